# call.py - calls one function of a candidate, and says on descriptor 3 what came of it
#
# Runs in the cage, before and around the candidate's code. The case is in .case (entry point, arguments, what to
# report); the value that is expected is not in the cage. The file is gone before the candidate's first statement.
# What is said here can be forged by the candidate; it is compared outside.
import json
import os
import sys
import types
from sys import modules

CANDIDATE = "candidate.py"
LEVELS_MAX = 256
PLAIN = {int, float, str, bool, type(None)}
encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


class Unfit(Exception):
    """A value that cannot travel."""


def carry_items(items, level):
    return items if set(map(type, items)) <= PLAIN else [carry(item, level + 1) for item in items]


def carry_pairs(pairs, level):
    """Keys have the text on which JSON writers agree."""
    carried = {}
    for key, item in pairs:
        kind = type(key)
        if issubclass(kind, str):
            name = str.__str__(key)
        elif kind in PLAIN or issubclass(kind, (int, float)) or kind.__module__ == "numpy":
            name = encode(carry(key))
        else:
            raise Unfit("a dictionary key of type " + kind.__name__)
        if name in carried:
            raise Unfit("two dictionary keys with the text " + encode(name))
        carried[name] = carry(item, level + 1)
    return list(carried.items())


def carry(value, level=0):
    """A value in the encoding of judge/answer_untrusted.c: plain ones as they are, all else as an object with one key,
    which is its type. Nothing is asked of the value's own class: a list that lies about its length is what it holds."""
    kind = type(value)
    if kind in PLAIN or issubclass(kind, (int, float, str)):
        return value
    if level >= LEVELS_MAX:
        raise Unfit("more than %d levels of lists" % LEVELS_MAX)
    if issubclass(kind, list):
        return {"l": carry_items(list(list.__iter__(value)), level)}
    if issubclass(kind, tuple):
        return {"t": carry_items(list(tuple.__iter__(value)), level)}
    if issubclass(kind, dict):
        return {"d": carry_pairs(dict.items(value), level)}
    # Some of numpy's scalars are numbers of Python's, and some are not.
    if kind.__module__ == "numpy" and kind.__name__ != "ndarray" and type(value.item()) in PLAIN:
        return value.item()
    raise Unfit("a value of type " + kind.__name__)


def make_say(nonce, write=os.write, fstat=os.fstat, set_blocking=os.set_blocking, leave=os._exit, getpid=os.getpid):
    """The one way to speak, and the last thing that happens: an answered call is answered. It keeps its means where a
    candidate that renames things does not reach them by accident, and does without descriptor 3 where that was closed."""
    own, ways, streams = getpid(), [(fd, fstat(fd)[1:3]) for fd in (3, 2, 1)], (sys.stdout, sys.stderr)

    def say(word, payload, status):
        if getpid() != own:  # a fork of the candidate's that came back here
            leave(status)
        for stream in sys.stdout, sys.stderr, *streams:
            try:
                stream.flush()
            except BaseException:
                pass  # it was closed, or is something of the candidate's
        line = b"\n%b %b %b\n" % (word, nonce, payload.replace(b"\n", b" "))  # a new line, whatever was left there
        for fd, file in ways:
            try:
                if fstat(fd)[1:3] == file:
                    set_blocking(fd, True)
                    while line:
                        line = line[write(fd, line):]
                    break
            except OSError:
                pass
        leave(status)
    return say


def reason_of(error):
    try:
        return (type(error).__name__ + ": " + str(error))[:160].encode("utf-8", "backslashreplace")
    except BaseException:
        return b"an exception that has no text"


def fail(say, word, error):
    """As the interpreter does with an exception that nobody caught."""
    try:
        sys.__excepthook__(type(error), error, error.__traceback__)
    finally:
        say(word, reason_of(error), 1)


# What there is instead of a function that is missing. A text, since compiling it would cost every run its time.
OTHERS = r"""
own = [(name, type(value)) for name, value in module.__dict__.items()
       if type(name) is str and type(value) in (types.FunctionType, type) and value.__module__ == "solution"]
text = ", ".join(["class " * (kind is type) + name for name, kind in own])
text = text if len(text) <= 100 else text[:97] + "..."
others = ("; there are: " + text if own else ", nor any other").encode("utf-8", "backslashreplace")
"""


def others_in(module):
    try:
        found = {"module": module, "types": types}
        exec(OTHERS, found)
        return found["others"]
    except BaseException:
        return b""


def load(say, entry_point):
    with open(CANDIDATE, "rb") as file:
        source = file.read()
    try:
        code = compile(source, CANDIDATE, "exec", dont_inherit=True)
    except BaseException as error:
        fail(say, b"compile", error)
    module = types.ModuleType("solution")
    module.__file__ = os.path.abspath(CANDIDATE)
    modules["solution"] = module
    sys.argv[:] = [CANDIDATE]
    exec(code, module.__dict__)
    function = getattr(module, entry_point, None)
    if not callable(function):
        say(b"missing", b"there is no function " + entry_point.encode() + others_in(module), 1)
    return function


def report(say, word, value):
    try:
        payload = encode(carry(value)).encode()
    except BaseException as error:
        reasons = {UnicodeEncodeError: b"text that is not valid Unicode", ValueError: b"a number that is not finite"}
        reason = str(error).encode("utf-8", "backslashreplace") if type(error) is Unfit else reasons.get(type(error))
        what = b"left in its input " if word == b"input" else b"returned "
        say(b"carry", what + (reason or b"what cannot travel: " + reason_of(error)), 1)
    say(word, payload, 0)


def main():
    # However long an integer is, reading and writing it is not the candidate's fault.
    digits_max = getattr(sys, "get_int_max_str_digits", int)()
    set_digits_max = getattr(sys, "set_int_max_str_digits", lambda digits: None)
    set_digits_max(0)
    with open(".case", "rb") as file:
        case = json.load(file)
    os.unlink(".case")
    say = make_say(case["nonce"].encode())
    set_digits_max(digits_max)
    try:
        function = load(say, case["entry_point"])
        value = function(*case["args"])
    except SystemExit:
        raise
    except BaseException as error:
        fail(say, b"raise", error)
    set_digits_max(0)
    report(say, case["answer"].encode(), case["args"] if case["answer"] == "input" else value)


main()
