# eats memory until it is stopped
def solution(levels):
    hoard = []
    while True:
        hoard.append(b"x" * (4 << 20))
