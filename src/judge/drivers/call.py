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
LEVELS_MAX = 200
PLAIN = {int, float, str, bool, type(None)}
encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


class Unfit(Exception):
    """A value that cannot travel."""


def key_text(key):
    """The text of a dictionary's key, as JSON writers agree on it."""
    kind = type(key)
    if issubclass(kind, str):
        return key
    if kind is bool or key is None:
        return {True: "true", False: "false", None: "null"}[key]
    if issubclass(kind, int):
        return int.__repr__(key)
    if issubclass(kind, float) and float.__sub__(key, key) == 0:
        return float.__repr__(key)
    raise Unfit("a dictionary key of type " + kind.__name__)


def carry_items(items, level):
    kinds = set(map(type, items))
    if kinds <= PLAIN:
        return items
    return [carry(item, level + 1) for item in items]


def carry_pairs(pairs, level):
    carried = {}
    for key, item in pairs:
        name = str.__str__(key_text(key))
        if name in carried:
            raise Unfit("two dictionary keys with the text " + json.dumps(name))
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
    raise Unfit("a value of type " + kind.__name__)


def encoded(value):
    try:
        return encode(carry(value)).encode()
    except UnicodeEncodeError:
        raise Unfit("text that is not valid Unicode")
    except ValueError:
        raise Unfit("a number that is not finite")


def make_say(nonce, write=os.write, fstat=os.fstat, set_blocking=os.set_blocking, leave=os._exit, getpid=os.getpid):
    """The one way to speak, and the last thing that happens: an answered call is answered. It keeps its means where a
    candidate that renames things does not reach them by accident, and does without descriptor 3 where that was closed."""
    def which(fd):
        stat = fstat(fd)
        return stat.st_dev, stat.st_ino

    own = getpid()
    ways = [(fd, which(fd)) for fd in (3, 2, 1)]
    streams = sys.stdout, sys.stderr

    def put(fd, line):
        while line:
            try:
                line = line[write(fd, line):]
            except BlockingIOError:
                set_blocking(fd, True)

    def flush(streams):
        for stream in streams:
            try:
                stream.flush()
            except BaseException:
                pass  # it was closed, or is something of the candidate's

    def say(word, payload, status):
        if getpid() == own:  # else this is a fork of the candidate's that came back here
            flush((sys.stdout, sys.stderr))
            line = (word + " " + nonce + " ").encode() + payload
            line = b"\n" + line.replace(b"\n", b" ") + b"\n"  # a new line, whatever the candidate left there
            for fd, identity in ways:
                try:
                    if which(fd) == identity:
                        put(fd, line)
                        break
                except OSError:
                    pass
            flush(streams)
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
    except BaseException:
        pass
    say(word, reason_of(error), 1)


def load(say, entry_point):
    with open(CANDIDATE, "rb") as file:
        source = file.read()
    try:
        code = compile(source, CANDIDATE, "exec", dont_inherit=True)
    except BaseException as error:
        fail(say, "compile", error)
    module = types.ModuleType("solution")
    module.__file__ = os.path.abspath(CANDIDATE)
    modules["solution"] = module
    sys.argv[:] = [CANDIDATE]
    exec(code, module.__dict__)
    function = getattr(module, entry_point, None)
    if not callable(function):
        say("missing", b"there is no function " + entry_point.encode(), 1)
    return function


def report(say, word, value):
    what = "left in its input " if word == "input" else "returned "
    try:
        payload = encoded(value)
    except Unfit as error:
        say("carry", (what + str(error)).encode("utf-8", "backslashreplace"), 1)
    except BaseException as error:
        say("carry", what.encode() + b"what cannot travel: " + reason_of(error), 1)
    say(word, payload, 0)


def main():
    # However long an integer is, reading and writing it is not the candidate's fault.
    digits_max = getattr(sys, "get_int_max_str_digits", int)()
    set_digits_max = getattr(sys, "set_int_max_str_digits", lambda digits: None)
    set_digits_max(0)
    with open(".case", "rb") as file:
        case = json.load(file)
    os.unlink(".case")
    say = make_say(case["nonce"])
    set_digits_max(digits_max)
    try:
        function = load(say, case["entry_point"])
        value = function(*case["args"])
    except SystemExit:
        raise
    except BaseException as error:
        fail(say, "raise", error)
    set_digits_max(0)
    report(say, case["answer"], case["args"] if case["answer"] == "input" else value)


main()
