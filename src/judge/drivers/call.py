# call.py - calls one function of a candidate, and says on descriptor 3 what came of it
#
# Runs in the cage, before and around the candidate's code. The case is in .case (entry point, arguments, what to
# report); the value that is expected is not in the cage. The file is gone before the candidate's first statement.
import json
import os
import sys
import types
from sys import modules

CANDIDATE = "candidate.py"
BIG = "\x01int"
LEVELS_MAX = 200


class Unfit(Exception):
    """A value that JSON cannot carry."""


def whole(pairs):
    """Integers beyond 64 bits come as their digits."""
    if len(pairs) == 1 and pairs[0][0] == BIG:
        return int(pairs[0][1])
    return dict(pairs)


def key_text(key):
    """The text of a dictionary's key, as JSON writers agree on it."""
    if isinstance(key, str):
        return carry_text(key)
    if isinstance(key, bool) or key is None:
        return {True: "true", False: "false", None: "null"}[key]
    if isinstance(key, int):
        return int.__repr__(key)
    if isinstance(key, float):
        return float.__repr__(carry_real(key))
    raise Unfit("a dictionary key of type " + type(key).__name__)


def carry_text(text):
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Unfit("text that is not valid Unicode")
    return str(text)


def carry_real(number):
    if number != number or number in (float("inf"), float("-inf")):
        raise Unfit("a number that is not finite")
    return float(number)


def carry_map(value, level):
    carried = {}
    for key, item in value.items():
        name = key_text(key)
        if name in carried:
            raise Unfit("two dictionary keys with the text " + json.dumps(name))
        carried[name] = carry(item, level + 1)
    return carried


def carry(value, level=0):
    """A copy of plain values; everything else is refused with its reason."""
    if level > LEVELS_MAX:
        raise Unfit("more than %d levels of lists" % LEVELS_MAX)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return carry_real(value)
    if isinstance(value, str):
        return carry_text(value)
    if isinstance(value, (list, tuple)):
        return [carry(item, level + 1) for item in value]
    if isinstance(value, dict):
        return carry_map(value, level)
    raise Unfit("a value of type " + type(value).__name__)


def make_say(nonce, write=os.write):
    """The one way to speak; keeps its means where a candidate that renames things does not reach them by accident."""
    def say(word, payload=""):
        line = (word + " " + nonce + (" " + payload if payload else "")).encode("utf-8", "backslashreplace")
        line = b"\n" + line.replace(b"\n", b" ") + b"\n"  # a new line, whatever the candidate left there
        while line:
            line = line[write(3, line):]
    return say


def reason_of(error):
    try:
        return (type(error).__name__ + ": " + str(error))[:160]
    except BaseException:
        return "an exception that has no text"


def fail(say, word, error):
    """As the interpreter does with an exception that nobody caught."""
    say(word, reason_of(error))
    sys.__excepthook__(type(error), error, error.__traceback__)
    sys.exit(1)


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
        say("missing", "there is no function " + entry_point)
        sys.exit(1)
    return function


def report(say, word, value, dumps=json.dumps):
    try:
        text = dumps(carry(value))
    except Unfit as error:
        say("carry", "returned " + str(error))
        sys.exit(1)
    except (ValueError, RecursionError, MemoryError) as error:
        say("carry", "returned what JSON cannot carry: " + reason_of(error))
        sys.exit(1)
    say(word, text)


def main():
    # However long an integer is, reading and writing it is not the candidate's fault.
    digits_max = getattr(sys, "get_int_max_str_digits", int)()
    set_digits_max = getattr(sys, "set_int_max_str_digits", lambda digits: None)
    set_digits_max(0)
    with open(".case", "rb") as file:
        case = json.load(file, object_pairs_hook=whole)
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
