# dies of a signal
import os
import signal

print(7, flush=True)
os.kill(os.getpid(), signal.SIGSEGV)
