"""What people type at the front door, and what they are told."""
import json
import os
import subprocess

import pytest

from hood import Run, expect_refusal, expect_status, need, results_of


def bare_call(hood, env, *words):
    """A call without the policy that the tests' own verbs would add."""
    done = subprocess.run([hood.binary, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, env=env)
    return Run(done.returncode, done.stdout, done.stderr)


# ---------------------------------------------------------------- limits that cannot be enforced


def weak_hood(user_hood):
    """An ordinary user without control groups."""
    done = user_hood.call("run", user_hood.program("exit 0", "sh"))
    need(done.status == 126, "this user has control groups: nothing is refused")
    return user_hood


@pytest.mark.parametrize("options", [
    [], ["--policy", "if-available"], ["--policy", "default"], ["--limit", "cpu_ms=5s", "--limit", "idle_ms=5s"],
    ["--policy", "if-available", "--limit", "memory_bytes=128MiB", "--limit", "cpus=2", "--limit", "processes=9"],
], ids=lambda options: " ".join(options) or "none")
def test_one_switch_softens_everything(user_hood, options):
    hood = weak_hood(user_hood)
    run = hood.shell("echo runs", options=["--if-available", *options])
    expect_status(run, 0)
    assert run.out == b"runs\n"
    limits = run.receipt["limits"]
    assert all(limit.get("if_available") for limit in limits.values()), limits
    assert limits["cpus"]["enforced_by"] == "none" and limits["wall_ms"]["enforced_by"] == "supervisor"


def test_the_switch_is_over_a_policy_file_too(user_hood):
    hood = weak_hood(user_hood)
    policy = hood.file("p.yaml", "name: mine\nlimits:\n  memory_bytes: 64MiB\n  cpus: 2\n  cpu_ms: 3s\n")
    expect_refusal(hood.call("run", "--policy", policy, hood.program("exit 0", "sh")), 126, "memory_bytes", "cpus", "cpu_ms")
    run = hood.shell("exit 0", options=["--policy", policy, "--if-available"])
    expect_status(run, 0)
    assert run.receipt["limits"]["memory_bytes"]["value"] == 64 << 20 and run.receipt["policy"]["name"] == "mine"


def test_a_remedy_is_not_what_was_given(user_hood):
    hood = weak_hood(user_hood)
    for options in ([], ["--policy", "if-available", "--limit", "memory_bytes=128MiB"]):
        line = expect_refusal(hood.call("run", *options, hood.program("exit 0", "sh")), 126, "--if-available goes on without")
        assert "--policy" not in line and len(line) < 400, line
        run = hood.call("run", "--if-available", *options, hood.program("exit 0", "sh"))  # what it says works
        expect_status(run, 0)


def test_what_a_launcher_took_is_softened_too(hood):
    program = hood.program("ulimit -n", "sh")
    words = hood.command("run", program)
    done = subprocess.run(["sh", "-c", "ulimit -n 64; exec \"$@\"", "sh", *words], capture_output=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 126 and b"--if-available" in done.stderr, done
    words = hood.command("run", "--if-available", program)
    done = subprocess.run(["sh", "-c", "ulimit -n 64; exec \"$@\"", "sh", *words], capture_output=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0 and done.stdout == b"64\n", done


def test_eval_has_the_switch(user_hood):
    hood = weak_hood(user_hood)
    tasks = hood.file("t.json", '[{"id": "a", "stdin": "", "expect": "x"}]')
    (hood.folder / "c").mkdir()
    (hood.folder / "c").chmod(0o755)
    hood.file("c/a.sh", "echo x")
    words = ["eval", tasks, "--candidates", hood.folder / "c", "--limit", "cpu_ms=5s"]
    assert hood.call(*words, "--out", hood.folder / "o1").status == 3
    expect_status(hood.call(*words, "--if-available", "--out", hood.folder / "o2"), 0)
    assert results_of(hood.folder / "o2")[0]["verdict"] == "pass"


def test_the_switch_changes_the_hash(hood):
    plain, soft = (hood.call("policy", "hash", *more).text for more in ([], ["--if-available"]))
    assert plain != soft
    kept = hood.file("soft.yaml", hood.call("policy", "show", "--if-available").text)
    assert hood.call("policy", "hash", kept).text == soft


# ---------------------------------------------------------------- a user's own default

def with_home(hood, text, mode=0o644, folder=".config/fumehood"):
    path = hood.file("home/%s/policy.yaml" % folder, text, mode)
    env = {key: value for key, value in os.environ.items() if key != "XDG_CONFIG_HOME"}
    return path, dict(env, HOME=str(hood.folder / "home"))


MINE = "name: mine\nlimits:\n  wall_ms: 7s\n  memory_bytes_if_available: 512MiB\n  cpus_if_available: 1\n"


def test_a_users_own_policy_is_the_default(hood):
    path, env = with_home(hood, MINE)
    run = bare_call(hood, env, "run", "--json", hood.program("exit 0", "sh"))
    receipt = json.loads(run.out)
    assert receipt["policy"]["name"] == "mine" and receipt["limits"]["wall_ms"]["value"] == 7000
    assert hood.call("policy", "hash", env=env).text.strip() == receipt["policy"]["sha256"]
    assert "name: mine" in hood.call("policy", "show", env=env).text
    # One that is named wins.
    assert "name: default" in hood.call("policy", "show", "default", env=env).text
    run = hood.call("run", "--json", "--policy", "if-available", hood.program("exit 0", "sh"), env=env)
    assert json.loads(run.out)["policy"]["name"] == "if-available"


def test_xdg_config_home_is_asked_first(hood):
    _, env = with_home(hood, MINE)
    hood.file("xdg/fumehood/policy.yaml", MINE.replace("mine", "other"))
    env["XDG_CONFIG_HOME"] = str(hood.folder / "xdg")
    assert "name: other" in hood.call("policy", "show", env=env).text
    env["XDG_CONFIG_HOME"] = "relative"  # which the XDG rules say to ignore
    assert "name: mine" in hood.call("policy", "show", env=env).text


@pytest.mark.parametrize("mode", [0o666, 0o664])
def test_a_default_that_others_may_write_is_refused(hood, mode):
    path, env = with_home(hood, MINE, mode)
    program = hood.program("exit 0", "sh")
    expect_refusal(bare_call(hood, env, "run", program), 2, "policy.yaml", "written by others", "--policy default")
    path.chmod(0o644)
    expect_status(bare_call(hood, env, "run", program), 0)


def test_a_default_of_somebody_else_is_refused(hood):
    need(os.geteuid() == 0, "not root: no file of another user can be made")
    path, env = with_home(hood, MINE)
    os.chown(path, 65534, 65534)
    expect_refusal(bare_call(hood, env, "run", hood.program("exit 0", "sh")), 2, "belongs to another user")


@pytest.mark.parametrize("text", ["wrong: 1\n", "limits:\n  wall_ms: never\n"])
def test_a_wrong_default_is_no_default(hood, text):
    path, env = with_home(hood, text)
    expect_refusal(bare_call(hood, env, "run", hood.program("exit 0", "sh")), 2, "policy.yaml")


def test_an_unreadable_default_is_not_passed_over(user_hood):
    folder = user_hood.folder / "home/.config/fumehood"
    folder.mkdir(parents=True)
    (folder / "policy.yaml").write_text(MINE)
    (folder / "policy.yaml").chmod(0)
    prefix = list(user_hood.prefix)
    user_hood.prefix = [word if not word.startswith("HOME=") else "HOME=%s" % (user_hood.folder / "home") for word in prefix]
    need(user_hood.prefix != prefix, "run by an ordinary user: the home of the tests is not changed")
    run = user_hood.call("policy", "show")
    assert run.status == 2 and "policy.yaml" in run.said, run
