#!/usr/bin/python3
# plain_harness.py - what evaluation scripts commonly do, without any isolation: something to compare fumehood with
#
# A pool of workers; for each candidate a fresh process by multiprocessing, which execs prompt, completion, test and the
# call of check() in a folder of its own, with its streams swallowed, the most dangerous functions of os taken away and a
# timer running; the verdict comes back by a pipe, or, with --result manager, in a list that a manager process of its own
# holds, as in the script that was published with HumanEval. This is no isolation: a candidate can do here whatever the
# user can. Only for candidates that are known.
import concurrent.futures
import contextlib
import gzip
import io
import json
import multiprocessing
import os
import signal
import shutil
import sys
import tempfile
import time

import program as programs

MEMORY = "/dev/shm"
TAKEN_AWAY = "kill killpg fork forkpty system putenv remove removedirs rmdir setuid fchdir rename unlink chroot truncate".split()


class TimeIsUp(Exception):
    pass


class NoInput(io.StringIO):
    def read(self, *_):
        raise OSError("no input")

    readline = readlines = read

    def readable(self):
        return False


def read_lines(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]


def read_programs(tasks_path, candidates_path):
    """[(task_id, sample, program)] for {prompt, samples} and {task_id, completion} lines, in their order."""
    tasks = {task["task_id"]: task for task in read_lines(tasks_path)}
    by_prompt = {task["prompt"]: task for task in tasks.values()}
    programs, counts = [], {}
    for line in read_lines(candidates_path):
        task = by_prompt[line["prompt"]] if "prompt" in line else tasks[line["task_id"]]
        for completion in line["samples"] if "samples" in line else [line["completion"]]:
            sample = counts[task["task_id"]] = counts.get(task["task_id"], -1) + 1
            text = f"{task['prompt']}{completion}\n{task['test']}\ncheck({task['entry_point']})\n"
            programs.append((task["task_id"], sample, text))
    return programs


@contextlib.contextmanager
def time_limit(seconds):
    def ring(*_):
        raise TimeIsUp

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def take_away():
    for name in TAKEN_AWAY:
        setattr(os, name, None)
    shutil.rmtree = shutil.move = shutil.chown = None


@contextlib.contextmanager
def own_folder():
    remove, unlink, rmdir = shutil.rmtree, os.unlink, os.rmdir
    folder, before = tempfile.mkdtemp(), os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.unlink, os.rmdir = unlink, rmdir
        os.chdir(before)
        remove(folder, ignore_errors=True)


def verdict_of(program, timeout_s):
    with own_folder():
        take_away()
        return run_program(program, timeout_s)


def run_program(program, timeout_s):
    swallowed = io.StringIO()
    sys.stdin = NoInput()
    try:
        with contextlib.redirect_stdout(swallowed), contextlib.redirect_stderr(swallowed), time_limit(timeout_s):
            exec(program, {"__name__": "__main__"})
        return "pass"
    except TimeIsUp:
        return "timeout"
    except BaseException:  # whatever a candidate raises, SystemExit too, is its failure
        return "fail"


def child_pipe(program, timeout_s, end):
    end.send(verdict_of(program, timeout_s))
    end.close()
    os._exit(0)  # what a candidate left running must not keep it


def child_manager(program, timeout_s, result):
    result.append(verdict_of(program, timeout_s))


def by_pipe(program, timeout_s):
    ours, theirs = multiprocessing.Pipe(duplex=False)
    p = multiprocessing.Process(target=child_pipe, args=(program, timeout_s, theirs))
    p.start()
    theirs.close()
    verdict = "fail"
    if not ours.poll(timeout_s + 1):
        verdict = "timeout"
    else:
        with contextlib.suppress(EOFError):
            verdict = ours.recv()
    end(p, 0.1)
    ours.close()
    return verdict


def by_manager(program, timeout_s):
    with multiprocessing.Manager() as manager:
        result = manager.list()
        p = multiprocessing.Process(target=child_manager, args=(program, timeout_s, result))
        p.start()
        end(p, timeout_s + 1)
        return result[0] if result else "timeout"


def end(process, patience_s):
    process.join(patience_s)
    if process.is_alive():
        process.kill()
        process.join()
    process.close()


WAYS = {"pipe": by_pipe, "manager": by_manager}


def judge(job):
    task_id, sample, program, timeout_s, way = job
    return task_id, sample, WAYS[way](program, timeout_s)


def begin_worker():
    """A worker is told by its parent when to end, not by the terminal."""
    os.setpgid(0, 0)
    for number in programs.STOPS:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def parse_arguments():
    p = programs.Parser(prog="bench/plain_harness.py", description="What evaluation scripts commonly do, without any isolation.")
    p.add_argument("tasks", help="HumanEval tasks, as JSON Lines, .gz or not")
    p.add_argument("candidates", help="JSON Lines of {prompt, samples} or {task_id, completion}, .gz or not")
    p.add_argument("--jobs", type=int, default=2, metavar="N", help="candidates at the same time (2)")
    p.add_argument("--timeout", type=float, default=5, metavar="S", help="seconds that a candidate may take (5)")
    p.add_argument("--result", choices=WAYS, default="pipe", help="how a verdict comes back (pipe)")
    return p.parse_args()


def place():
    """In memory, where there is room: ext4 takes long to find room for new files for minutes after many were removed,
    and whoever is measured beside this would pay for it."""
    return MEMORY if os.path.ismount(MEMORY) and os.access(MEMORY, os.W_OK) else None


def remove_folder():
    if tempfile.tempdir:
        shutil.rmtree(tempfile.tempdir, ignore_errors=True)


def main():
    arguments = parse_arguments()
    began = time.monotonic()
    try:
        rows = read_programs(arguments.tasks, arguments.candidates)
    except (OSError, EOFError, ValueError, KeyError, TypeError) as e:
        raise programs.Refused(f"tasks and candidates cannot be read, or do not belong together: {e!r}") from e
    jobs = [(*row, arguments.timeout, arguments.result) for row in rows]
    with contextlib.ExitStack() as stack:
        tempfile.tempdir = stack.enter_context(tempfile.TemporaryDirectory(prefix="plain-", dir=place()))  # the workers' too
        pool = stack.enter_context(concurrent.futures.ProcessPoolExecutor(arguments.jobs, initializer=begin_worker))
        for task_id, sample, verdict in pool.map(judge, jobs):
            print(json.dumps({"task_id": task_id, "sample": sample, "verdict": verdict}))
    print(f"{len(jobs)} programs, {time.monotonic() - began:.2f} s", file=sys.stderr)


if __name__ == "__main__":
    # The pool's threads wait for ever for a worker that was killed in a bad moment.
    programs.run("bench/plain_harness.py", main, at_a_stop=remove_folder)
