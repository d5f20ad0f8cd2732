# floods its output
def solution(value):
    while True:
        print("echo " * 2000)
