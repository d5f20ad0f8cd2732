# What a zygote of CPython does in Python: nothing of it is on the stack while the guest's program runs.
import atexit
import builtins
import gc
import os
import sys
from _weakref import ref
from importlib.machinery import SourceFileLoader

__builtins__ = dict(vars(builtins))  # a guest's own changes are not for these functions
PLACE = sys.argv[0]
STREAMS = tuple(map(id, (sys.stdin, sys.stdout, sys.stderr)))  # held by nobody else: their end is a flush


def enter(path, arguments):
    """The guest's process: as if the interpreter had been started with this program."""
    name = os.fsdecode(path)
    given = [name] + [os.fsdecode(argument) for argument in arguments]
    sys.argv[:] = given
    sys.orig_argv[-1:] = given
    sys.path[0] = os.path.dirname(name)
    sys.path_importer_cache[name] = sys.path_importer_cache.pop(PLACE, None)
    main = sys.modules["__main__"]
    main.__file__ = name
    main.__cached__ = None
    main.__loader__ = SourceFileLoader("__main__", name)


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


def wait_for_threads():
    threading = sys.modules.get("threading")
    if threading is not None:
        threading._shutdown()
    run_exit_functions()


# --- whether anything would notice the interpreter's end

COUNTED = 1 << 14  # Py_TPFLAGS_HAVE_GC: instances are among all objects
MANY = 100000
all_objects, unfreeze, run_exit_functions = gc.get_objects, gc.unfreeze, atexit._run_exitfuncs
names_of, bases_of, flags_of = (type.__dict__[name].__get__ for name in ("__dict__", "__mro__", "__flags__"))
callback_of = ref.__dict__["__callback__"].__get__


def notices(kind):
    """Whether instances of a class may do something at their end: files, suspended generators, callbacks, __del__."""
    bases = bases_of(kind)
    return any("__del__" in names_of(base) for base in bases) or (kind is not ref and any(base is ref for base in bases))


def has_noticing():
    """Whether something is there that has come since the fork and would notice. No method of the program's is called."""
    if tuple(map(id, (sys.stdin, sys.stdout, sys.stderr))) != STREAMS:
        return True
    made = all_objects()
    if len(made) > MANY:
        return True
    kinds = {id(kind): kind for kind in map(type, made)}
    if id(ref) in kinds and any(type(one) is ref and callback_of(one) is not None for one in made):
        return True
    if any(map(notices, kinds.values())):
        return True
    return any(not flags_of(one) & COUNTED and notices(one) for one in made if issubclass(type(one), type))


def is_noticed():
    """What does not go with the process then must be found by the interpreter."""
    try:
        noticed = has_noticing()
    except BaseException:
        noticed = True
    if noticed:
        unfreeze()
    return noticed
