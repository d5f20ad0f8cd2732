# What a zygote of CPython does in Python: nothing of it is on the stack while the guest's program runs. What every
# guest needs is not here but in program.c.
import atexit
import builtins
import gc
import os
import sys
from _weakref import ref  # noqa: F401
from importlib.machinery import SourceFileLoader

__builtins__ = dict(vars(builtins))  # a guest's own changes are not for these functions
loader = SourceFileLoader("__main__", "")
all_objects, unfreeze, run_exit_functions = gc.get_objects, gc.unfreeze, atexit._run_exitfuncs


def say(value):
    """The text of an exit, on whatever the program has made of its stream."""
    stream = getattr(sys, "stderr", None)
    if stream is None:
        os.write(2, (str(value) + "\n").encode("utf-8", "backslashreplace"))
        return
    try:
        stream.write(str(value))
    except BaseException:
        pass
    try:
        stream.write("\n")
    except BaseException:
        os.write(2, b"\n")


def status_of(end):
    """What the interpreter would exit with; @end is an exception, printed already unless it is SystemExit."""
    if end is None:
        return 0
    if not issubclass(type(end), SystemExit):
        return 1
    try:
        code = end.code
    except BaseException:
        code = end
    if code is None:
        return 0
    if issubclass(type(code), int):
        number = int.__index__(code)
        return number & 0xFF if -1 << 63 <= number < 1 << 63 else 0xFF
    say(code)
    return 1


def is_interrupt(end):
    return type(end) is KeyboardInterrupt
