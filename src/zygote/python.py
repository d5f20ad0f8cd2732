# What a zygote of CPython does in Python: nothing of it is on the stack while the guest's program runs.
import atexit
import gc
import os
import signal
import sys
from importlib.machinery import SourceFileLoader


def enter(path, arguments):
    """The guest's process: as if the interpreter had been started with this program."""
    name = os.fsdecode(path)
    given = [name] + [os.fsdecode(argument) for argument in arguments]
    sys.argv[:] = given
    sys.orig_argv[-1:] = given
    sys.path[0] = os.path.dirname(name)
    main = sys.modules["__main__"]
    main.__file__ = name
    main.__cached__ = None
    main.__loader__ = SourceFileLoader("__main__", name)


def status_of(end):
    """What the interpreter would exit with; @end is an exception, printed already unless it is SystemExit."""
    if end is None:
        return 0
    if not isinstance(end, SystemExit):
        return 1
    code = end.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    print(code, file=sys.stderr, flush=True)
    return 1


def wait_for_threads():
    threading = sys.modules.get("threading")
    if threading is not None:
        threading._shutdown()
    atexit._run_exitfuncs()


def drop_globals():
    """Objects of the program's end, in the interpreter's order: names with one underscore first."""
    names = sys.modules["__main__"].__dict__
    for name in list(names):
        if name[:1] == "_" and name[1:2] != "_":
            names[name] = None
    for name in list(names):
        if name[:1] != "_" or (name[1:2] == "_" and name != "__builtins__"):
            names[name] = None
    gc.collect()


def die_of_interrupt():
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGINT)
