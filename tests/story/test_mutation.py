"""Each protection is switched off in turn, and an attack of the drill turns red.

Needs a build that can do that (cmake -DFUMEHOOD_MUTATION=ON) in FUMEHOOD_MUTANT; tests/run_all.sh makes one. The attacks
are those beside the program under test.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import time

import pytest

from hood import *

MUTANT = os.environ.get("FUMEHOOD_MUTANT")
ATTACKS = BINARY.parent / "attacks"
# The attack that notices, for each row of the plan.
NOTICES = {
    "user_ns": "sec-own-ids", "pid_ns": "fs-proc-facts", "mount_ns": "fs-home-secrets", "network_ns": "net-loopback-only",
    "ipc_ns": "sec-queues", "uts_ns": "sec-host-name", "cgroup": "proc-fork-bomb", "cgroup_ns": "kern-cgroup-files",
    "identity_map": "res-counters", "own_root": "fs-climb-out", "host_view": "fs-write-tools", "devices": "fs-devices",
    "scratch": "fs-shared-tmp", "proc_masked": "kern-proc-settings", "parent_death": "sup-killed", "bounding": "fs-set-id",
    "session": "sup-inherited-signals", "descriptors": "fs-descriptor-leak", "identity": "kern-ids",
    "capabilities": "sec-own-rights", "no_new_privs": "kern-prctl", "landlock": "kern-landlock-layers", "rlimits": "res-file-size",
    "syscall_filter": "kern-mount",
}


def steps():
    rows = pathlib.Path(__file__, "../../../src/cage/steps.def").resolve().read_text()
    return re.findall(r'^STEP\(\w+, "(\w+)"', rows, re.M)


def drill(mutant, attack, without, cage="fresh"):
    done = subprocess.run([mutant, "drill", "--json", "--cage", cage, "--attacks", ATTACKS, "--only", attack], timeout=120,
                          env=dict(os.environ, FUMEHOOD_WITHOUT=without), capture_output=True)
    (row,) = json.loads(done.stdout)["attacks"]
    return row


@pytest.fixture
def mutant():
    need(MUTANT, "FUMEHOOD_MUTANT is not set: no protection can be switched off")
    need(is_root(), "only root has every protection to lose")
    need_groups()
    return MUTANT


def test_every_protection_has_an_attack_that_notices():
    assert sorted(steps()) == sorted(NOTICES)


@pytest.mark.parametrize("step", sorted(NOTICES))
def test_without_a_protection_the_drill_turns_red(hood, mutant, step):
    groups = own_cgroups()
    assert drill(mutant, NOTICES[step], "")["result"] == "held"
    row = drill(mutant, NOTICES[step], step)
    assert row["result"] == "red" and row["reasons"], row
    if step == "parent_death":  # cages that outlive their supervisor are cleared away when their own clock has ended them
        expect_next_start_clears(hood, groups)


# In a slot, where no drill is held: an attack that says so by its status, or what a program finds.
FINDS = {
    "network_ns": "wc -l </proc/self/net/dev",
    "ipc_ns": "[ $(readlink /proc/self/ns/ipc) = %s ] && echo the machine" % os.readlink("/proc/self/ns/ipc"),
    "rlimits": "ulimit -n; ulimit -c",
}


def what_comes_out(hood, mutant, step, without):
    """Status and output of the program that notices, in a slot."""
    program = hood.program(FINDS[step], "sh") if step in FINDS else next((ATTACKS / NOTICES[step]).glob("attack*"))
    done = subprocess.run([mutant, "run", "--cage", "slot", "--limit", "wall_ms=3s", program], stdin=subprocess.DEVNULL,
                          env=dict(os.environ, FUMEHOOD_WITHOUT=without), capture_output=True, timeout=60)
    return done.returncode, done.stdout


@pytest.mark.parametrize("step", sorted(set(NOTICES) - {"parent_death"}))
def test_without_a_protection_a_slot_is_not_the_same(hood, mutant, step):
    assert what_comes_out(hood, mutant, step, "") != what_comes_out(hood, mutant, step, step)


# As a fork of a zygote: what a guest finds that has not taken one of its own steps. None of it starts the program cold.
STATUS = "print([line for line in open('/proc/' + 'self/status') if line.startswith(%r)])"
FORK_FINDS = {
    "session": "import os\nprint(os.getsid(0) == os.getpid())",
    "descriptors": "import os\nprint(os.listdir('/proc/' + 'self/fd'), os.fstat(1).st_ino != os.fstat(0).st_ino)",
    "identity": "import os\nprint(os.getresuid(), os.getgroups())",
    "capabilities": STATUS % "Cap",
    "no_new_privs": STATUS % "NoNewPrivs",
    "landlock": "import fcntl\ntry: print(fcntl.ioctl(open('/dev/null'), 0x5401, bytes(64)))\nexcept OSError as why: print(why)",
    "rlimits": "import resource\nprint([resource.getrlimit(i) for i in range(16)])",
    "syscall_filter": STATUS % "Seccomp",
}


def fork_finds(hood, step, without):
    run = hood.python(FORK_FINDS[step], options=["--cage", "zygote", "--policy", "if-available", "--limit", "wall_ms=3s"],
                      env=dict(os.environ, FUMEHOOD_WITHOUT=without))
    assert run.receipt["zygote"]["used"], run.receipt["zygote"]
    assert without or run.status == 0, run
    return run.status, run.out


def test_every_step_of_a_guest_has_a_program_that_notices():
    rows = pathlib.Path(__file__, "../../../src/cage/steps.def").resolve().read_text()
    assert sorted(re.findall(r'^STEP\(\w+, "(\w+)", GUEST', rows, re.M)) == sorted(FORK_FINDS)


@pytest.mark.parametrize("step", sorted(FORK_FINDS))
def test_without_a_step_a_fork_of_a_zygote_is_not_the_same(hood, user_hood, mutant, step):
    """Capabilities go with an id that is changed too, so for these it is started by a user whose own one the guest has."""
    if step == "capabilities":
        user_hood.prefix = user_prefix(user_hood.folder, groups=())
        shutil.copy(mutant, user_hood.binary)
    else:
        user_hood = Hood(hood.folder, hood.nonce, mutant, as_is=True)
    assert fork_finds(user_hood, step, "") != fork_finds(user_hood, step, step)


@pytest.mark.parametrize("without, lives", [("", False), ("parent_death", True)])
def test_without_parent_death_a_guest_in_a_slot_lives_on(hood, mutant, without, lives):
    groups = own_cgroups()
    process = subprocess.Popen([mutant, "run", "--cage", "slot", "--env", "STORY_NONCE=" + hood.nonce, "--limit", "wall_ms=2s",
                                hood.program("echo up; sleep 60", "sh")],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=dict(os.environ, FUMEHOOD_WITHOUT=without))
    assert process.stdout.readline() == b"up\n"
    process.kill()
    process.wait()
    process.stdout.close()
    time.sleep(0.5)
    assert bool(hood.guests()) == lives
    assert wait_until(lambda: not hood.guests(), 10) is True  # its own clock
    expect_next_start_clears(hood, groups)


def test_what_is_installed_has_nothing_to_switch_off(hood):
    """The variable means nothing there, and its name is not even known."""
    run = hood.shell("cat /proc/self/status", env=dict(os.environ, FUMEHOOD_WITHOUT=" ".join(NOTICES)))
    assert re.search(r"^Seccomp:\s+2$", run.text, re.M), run
    assert b"FUMEHOOD_WITHOUT" not in BINARY.read_bytes()


@pytest.mark.parametrize("step", ["ipc_ns", "mount_ns", "pid_ns", "scratch"])
def test_without_what_is_new_for_each_run_of_a_slot_the_drill_turns_red(hood, mutant, step):
    groups = own_cgroups()
    assert drill(mutant, NOTICES[step], "", "slot")["result"] == "held"
    row = drill(mutant, NOTICES[step], step, "slot")
    assert row["result"] == "red" and row["reasons"], row
    expect_next_start_clears(hood, groups)


# Older kernels, as far as Landlock goes: what is put up, and what is said of it, by ABI.
ADDS = ["files", "moves from folder to folder", "truncation", "TCP", "requests on devices", "signals and abstract sockets",
        "no line in the audit log"]
LANDLOCK_FINDS = """
import fcntl, os, socket
def tried(what):
    try: what(); print('done')
    except OSError as why: print(why.errno)
os.makedirs('a'); os.makedirs('b'); open('a/x', 'w').close()
tried(lambda: os.rename('a/x', 'b/x'))
tried(lambda: fcntl.ioctl(open('/dev/null'), 0x5401, bytes(64)))
tried(lambda: fcntl.ioctl(open('/dev/random'), 0x80045200, bytes(64)))
"""


def older(abi):
    return dict(os.environ, FUMEHOOD_LANDLOCK_ABI=str(abi))


@pytest.fixture
def landlock_abi(hood, mutant):
    abi = hood.shell("true").receipt["landlock_abi"]
    need(abi == len(ADDS), "this kernel's Landlock has ABI %s: newer ones cannot be looked at" % abi)
    return abi


@pytest.mark.parametrize("cage", ["fresh", "slot", "zygote"])
@pytest.mark.parametrize("abi", range(len(ADDS) + 1))
def test_on_older_kernels_a_receipt_says_what_was_put_up(hood, mutant, landlock_abi, abi, cage):
    """Moves from folder to folder are refused before ABI 2, whoever allows them; requests on devices by no ABI but 5 and by
    the filter in any case."""
    hood = Hood(hood.folder, hood.nonce, mutant, as_is=True)
    run = hood.python(LANDLOCK_FINDS, options=["--cage", cage], env=older(abi))
    assert run.status == 0, run
    assert run.receipt["landlock_abi"] == (abi or None)
    assert ("landlock" in run.receipt["protections"]["achieved"]) == (abi > 0)
    assert ("landlock" in run.receipt["protections"]["missing"]) == (abi == 0)
    moved, terminal, entropy = run.text.split()
    assert moved == ("18" if abi == 1 else "done")
    assert terminal == ("13" if abi >= 5 else "25") and entropy == "1"


@pytest.mark.parametrize("abi", range(len(ADDS) + 1))
def test_on_older_kernels_no_more_is_claimed(mutant, landlock_abi, abi):
    explained = subprocess.run([mutant, "policy", "explain", "default"], env=older(abi), capture_output=True, text=True).stdout
    text = " ".join(explained.split())
    if abi == 0:
        assert "MISSING on this machine, which the receipt will say: landlock" in text
        return
    assert "here ABI %d, %s" % (abi, ", ".join(ADDS[:abi])) in text
    assert ("not here: " + ADDS[abi] in text) if abi < len(ADDS) else ("not here: " not in text)
    doctor = json.loads(subprocess.run([mutant, "doctor", "--json"], env=older(abi), capture_output=True).stdout)
    row, = [check for check in doctor["checks"] if check["name"] == "landlock"]
    assert row["found"].startswith("ABI %d: %s" % (abi, ", ".join(ADDS[:abi])))
    states = {threat["id"]: threat["state"] for threat in doctor["threats"]}
    assert states["devices"] == "held" and states["other-processes"] == ("held" if abi >= 6 else "weaker")
    row, = [threat for threat in doctor["threats"] if threat["id"] == "other-processes"]
    assert {"word": "landlock_scopes", "here": "stands" if abi >= 6 else "lost", "by": "ABI %d" % abi if abi >= 6 else "from Linux 6.12 on"} in row["prevention"]
