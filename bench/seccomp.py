# seccomp.py - one allow-list of system calls in the three forms that the peers take.
#
# A list of fumehood's kind: everything a usual program needs, nothing that administers a machine. It only has to be
# of the same size and shape, so that every tool carries the same load. x86-64; elsewhere the peers run without.
import os
import platform
import struct

HERE = os.path.dirname(os.path.abspath(__file__))
AUDIT_ARCH_X86_64 = 0xC000003E
RET_ALLOW, RET_EPERM, RET_KILL = 0x7FFF0000, 0x00050001, 0x80000000
LOAD_WORD, JUMP_EQUAL, JUMP_AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
NUMBER_AT, ARCH_AT = 0, 4


def allowed():
    """The (name, number) pairs of the list."""
    with open(os.path.join(HERE, "syscalls.x86_64"), encoding="ascii") as f:
        rows = [line.split() for line in f if line.strip() and not line.startswith("#")]
    return [(name, int(number)) for name, number in rows]


def supported():
    return platform.machine() == "x86_64"


def _steps():
    """Where the answer changes, from number 0 upwards: [(first number, answer)]."""
    steps, numbers = [], {number for _, number in allowed()}
    for n in range(max(numbers) + 2):
        answer = RET_ALLOW if n in numbers else RET_EPERM
        if not steps or steps[-1][1] != answer:
            steps.append((n, answer))
    return steps


def _search(steps):
    """A binary search over the steps as (code, jump-true, jump-false, value) rows."""
    if len(steps) == 1:
        return [(RETURN, 0, 0, steps[0][1])]
    middle = len(steps) // 2
    below, above = _search(steps[:middle]), _search(steps[middle:])
    assert len(below) < 256, "the jump does not fit"
    return [(JUMP_AT_LEAST, len(below), 0, steps[middle][0])] + below + above


def bpf():
    """The filter as the kernel takes it (bwrap --seccomp, minijail0 --seccomp-bpf-binary)."""
    rows = [
        (LOAD_WORD, 0, 0, ARCH_AT),
        (JUMP_EQUAL, 1, 0, AUDIT_ARCH_X86_64),
        (RETURN, 0, 0, RET_KILL),
        (LOAD_WORD, 0, 0, NUMBER_AT),
    ] + _search(_steps())
    return b"".join(struct.pack("=HBBI", *row) for row in rows)


def kafel():
    """The filter in nsjail's policy language, by number: it names some calls in its own way."""
    return "ALLOW {\n" + ",\n".join(f"SYSCALL[{number}]" for _, number in allowed()) + "\n}\nDEFAULT ERRNO(1)\n"


def oci():
    """The filter as the OCI runtime specification writes it."""
    return {
        "defaultAction": "SCMP_ACT_ERRNO",
        "architectures": ["SCMP_ARCH_X86_64"],
        "syscalls": [{"names": [name for name, _ in allowed()], "action": "SCMP_ACT_ALLOW"}],
    }
