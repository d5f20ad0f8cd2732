"""What people run: each language's usual means, unharmed under the default policy, and not one denied call.

A language that is not installed is skipped, and the skip names the package. Of the large ones `scripts/setup.sh test`
leaves out Java, Go, Rust, PHP and Ruby (about 900 MB); with FUMEHOOD_TEST_BIG=1 in the environment it installs them too.
Compilers that no cage could see, in a home folder, are used on the host, as are all for Go and Rust.
"""
import functools
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from hood import *

USERS = ["hood", "user_hood"] if is_root() else ["hood"]


@pytest.fixture(params=USERS, ids=["root", "ordinary"] if is_root() else ["ordinary"])
def anyone(request):
    return request.getfixturevalue(request.param)


def need_tool(tool, package):
    """The tool as a cage sees it: below /usr."""
    found = shutil.which(tool, path="/usr/local/bin:/usr/bin:/bin")
    need(found and os.path.realpath(found).startswith("/usr/"), "%s is not installed (apt-get install %s)" % (tool, package))


def unharmed(hood, program, text, *args, options=(), denials=None, **more):
    """Exited 0, exactly this output and nothing on stderr, every protection in place, and only the denials that are
    named here, each with the reason why it is harmless in the test that names it."""
    if hood.prefix and "--policy" not in options:  # an ordinary user whose limits need no control group
        options = ["--policy", "if-available", *options]
    run = hood.run(program, args, options, **more)
    assert run.status == 0 and run.text == text, run
    expect_ending(run, "exited", exit_code=0, signal=None, limit=None)
    assert set(run.denials) == set(denials or ()), run.denials
    assert denials or run.err == b"", run
    assert all(limit.get("hits", 0) in (0, None) for limit in run.receipt["limits"].values()), run.receipt["limits"]
    if hood.prefix:
        assert set(run.receipt["protections"]["missing"]) <= {"cgroup"}, run.receipt["protections"]
    else:
        expect_protected(run.receipt)
    return run


# ---------------------------------------------------------------- CPython

PYTHON_PROGRAMS = {}

PYTHON_PROGRAMS["threads"] = ("""
import concurrent.futures, contextvars, queue, threading, time
total, lock, work, done = 0, threading.Lock(), queue.Queue(8), []
def add():
    global total
    for _ in range(20000):
        with lock: total += 1
threads = [threading.Thread(target=add) for _ in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]
def serve():
    while (item := work.get()) is not None: done.append(item * item); work.task_done()
servers = [threading.Thread(target=serve, daemon=True) for _ in range(4)]
[t.start() for t in servers]
for n in range(100): work.put(n)
work.join()
[work.put(None) for _ in servers]; [t.join() for t in servers]
barrier, event, woken, ready = threading.Barrier(5), threading.Event(), [], threading.Condition()
def meet(n):
    barrier.wait(5); event.wait(5)
    with ready: woken.append(n); ready.notify_all()
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    for n in range(4): pool.submit(meet, n)
    barrier.wait(5); event.set()
    with ready: ready.wait_for(lambda: len(woken) == 4, 5)
timer = threading.Timer(0.01, lambda: done.append(-1)); timer.start(); timer.join()
threading.stack_size(1 << 20); small = threading.Thread(target=lambda: done.append(-2)); small.start(); small.join()
print(total, sum(done), sorted(woken), threading.active_count(), threading.get_native_id() > 0)
""", "160000 328347 [0, 1, 2, 3] 1 True\n")

PYTHON_PROGRAMS["multiprocessing"] = ("""
import multiprocessing, os, sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import shared_memory
def square(n): return n * n
def fill(name, at):
    memory = shared_memory.SharedMemory(name); memory.buf[at] = at + 1; memory.close()
def serve(inbox, outbox, end):
    for item in iter(inbox.get, None): outbox.put(item.upper())
    end.send({'pid': os.getpid() > 1}); end.close()
def count(value, lock, array):
    for n in range(100):
        with lock: value.value += 1
    array[0] += 1.5
def main():
    for method in ('fork', 'spawn', 'forkserver'):
        context = multiprocessing.get_context(method)
        with context.Pool(3) as pool:
            squares = pool.map(square, range(50)); late = pool.apply_async(pow, (2, 100)).get(20)
            lazy = sorted(pool.imap_unordered(square, range(5)))
        memory = shared_memory.SharedMemory(create=True, size=4096)
        inbox, outbox, (near, far) = context.Queue(), context.Queue(), context.Pipe()
        value, lock, array = context.Value('i', 0), context.Lock(), context.Array('d', 2)
        workers = [context.Process(target=fill, args=(memory.name, n)) for n in range(2)]
        workers += [context.Process(target=serve, args=(inbox, outbox, far))]
        workers += [context.Process(target=count, args=(value, lock, array)) for _ in range(2)]
        [w.start() for w in workers]
        for word in ('a', 'b'): inbox.put(word)
        words = [outbox.get(timeout=20) for _ in range(2)]
        inbox.put(None)
        told = near.recv()
        [w.join() for w in workers]
        print(method, sum(squares), late == 2 ** 100, lazy, bytes(memory.buf[:2]), words, told, value.value, array[0],
              [w.exitcode for w in workers])
        memory.close(); memory.unlink()
    with multiprocessing.Manager() as manager:
        shared = manager.dict(); child = multiprocessing.Process(target=shared.update, args=({'k': 'v'},))
        child.start(); child.join(); print(dict(shared))
    with ProcessPoolExecutor(2) as pool: print(list(pool.map(square, range(6), chunksize=2)))
    child = multiprocessing.Process(target=sys.exit, args=(3,)); child.start(); child.join(); print(child.exitcode)
    child = multiprocessing.Process(target=__import__('time').sleep, args=(60,)); child.start(); child.terminate(); child.join()
    print(child.exitcode)
if __name__ == '__main__': main()
""", "".join("%s 40425 True [0, 1, 4, 9, 16] b'\\x01\\x02' ['A', 'B'] {'pid': True} 200 3.0 [0, 0, 0, 0, 0]\n" % method
             for method in ("fork", "spawn", "forkserver")) + "{'k': 'v'}\n[0, 1, 4, 9, 16, 25]\n3\n-15\n")

PYTHON_PROGRAMS["asyncio"] = ("""
import asyncio, os, signal, sys
async def child():
    process = await asyncio.create_subprocess_exec('tr', 'a-z', 'A-Z', stdin=-1, stdout=-1)
    out, _ = await process.communicate(b'words'); return out.decode(), process.returncode
async def shell():
    process = await asyncio.create_subprocess_shell('echo out; echo err >&2; exit 4', stdout=-1, stderr=-1)
    return [text.decode().strip() for text in await process.communicate()] + [process.returncode]
async def served():
    async def answer(reader, writer):
        writer.write((await reader.readline())[::-1]); await writer.drain(); writer.close()
    server = await asyncio.start_unix_server(answer, '/tmp/socket')
    async with server:
        reader, writer = await asyncio.open_unix_connection('/tmp/socket')
        writer.write(b'olleh\\n'); text = await reader.read(); writer.close(); return text.strip().decode()
async def slow():
    try: await asyncio.wait_for(asyncio.sleep(30), 0.02)
    except asyncio.TimeoutError: return 'timeout'
async def main():
    loop, caught = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGUSR1, caught.set); os.kill(os.getpid(), signal.SIGUSR1); await asyncio.wait_for(caught.wait(), 5)
    lock, seen = asyncio.Lock(), []
    async def one(n):
        async with lock: seen.append(n); await asyncio.sleep(0)
    await asyncio.gather(*(one(n) for n in range(100)))
    print(await asyncio.gather(child(), shell(), served(), slow(), asyncio.to_thread(sum, range(10)), loop.run_in_executor(None, len, 'abc')), sum(seen))
asyncio.run(main())
""", "[('WORDS', 0), ['out', 'err', 4], 'hello', 'timeout', 45, 3] 4950\n")

PYTHON_PROGRAMS["processes"] = ("""
import errno, fcntl, os, pathlib, select, shutil, signal, socket, subprocess, sys, tempfile, time
print(subprocess.run(['sort', '-r'], input=b'a\\nb\\n', capture_output=True).stdout)
print(subprocess.run('exit 9', shell=True).returncode, subprocess.run(['sh', '-c', 'kill -9 $$']).returncode)
try: subprocess.run(['sleep', '30'], timeout=0.05)
except subprocess.TimeoutExpired as why: print(type(why).__name__)
try: subprocess.run(['/no/such'])
except FileNotFoundError as why: print(why.errno == errno.ENOENT)
print(subprocess.run([sys.executable, '-c', 'import os; print(os.getcwd(), os.environ)'], env={'A': 'b'}, cwd='/tmp',
                     capture_output=True, text=True, start_new_session=True, close_fds=True).stdout.strip().replace("'LC_CTYPE': 'C.UTF-8'", '').replace(', }', '}'))
first = subprocess.Popen(['printf', 'b\\\\na\\\\nb\\\\n'], stdout=-1)
second = subprocess.Popen(['sort', '-u'], stdin=first.stdout, stdout=-1); first.stdout.close(); print(second.communicate()[0], first.wait())
print(os.popen('echo popen').read().strip(), os.system('true'), os.waitstatus_to_exitcode(os.spawnlp(os.P_WAIT, 'sh', 'sh', '-c', 'exit 5') << 8))
pid = os.posix_spawn('/bin/sh', ['sh', '-c', 'exit 6'], {}); print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
pid = os.fork()
if pid == 0: os.setpgid(0, 0); os.nice(3); os._exit(11)
fd = os.pidfd_open(pid); print(bool(select.select([fd], [], [], 5)[0]), os.waitid(os.P_PIDFD, fd, os.WEXITED).si_status); os.close(fd)
near, far = socket.socketpair()
if os.fork() == 0:
    socket.send_fds(near, [b'x'], [os.open('/work/passed', os.O_CREAT | os.O_RDWR, 0o600)]); os._exit(0)
os.wait(); fd = socket.recv_fds(far, 9, 1)[1][0]; print(os.write(fd, b'through'), pathlib.Path('passed').read_text())
with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile(dir=folder) as named, tempfile.TemporaryFile() as hidden:
    named.write(b'abc'); named.flush(); os.link(named.name, folder + '/hard'); os.symlink('hard', folder + '/soft'); hidden.write(b'x'); os.fsync(hidden.fileno())
    shutil.copytree(folder, '/work/copy'); print(sorted(len(p.read_bytes()) for p in pathlib.Path('/work/copy').iterdir()), os.stat('/work/copy').st_mode & 0o777 == 0o700)
    shutil.make_archive('/work/made', 'gztar', folder); shutil.unpack_archive('/work/made.tar.gz', '/work/out'); print(len(os.listdir('/work/out')))
with open('/work/locked', 'w') as held, open('/work/locked', 'w') as other:
    fcntl.flock(held, fcntl.LOCK_EX)
    try: fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError: print('locked')
    fcntl.lockf(held, fcntl.LOCK_EX)
read, write = os.pipe(); os.set_blocking(read, False); epoll = select.epoll(); epoll.register(read, select.EPOLLIN); os.write(write, b'1'); print(epoll.poll(1) == [(read, select.EPOLLIN)])
got = []
signal.signal(signal.SIGUSR1, lambda number, frame: got.append(number)); os.kill(os.getpid(), signal.SIGUSR1)
signal.signal(signal.SIGALRM, lambda number, frame: got.append(number)); signal.setitimer(signal.ITIMER_REAL, 0.02); signal.pause()
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2]); os.kill(os.getpid(), signal.SIGUSR2); got.append(signal.sigtimedwait([signal.SIGUSR2], 5).si_signo)
signal.signal(signal.SIGCHLD, lambda number, frame: got.append(number)); subprocess.run('true'); print(got)
""", """b'b\\na\\n'
9 -9
TimeoutExpired
True
/tmp environ({'A': 'b'})
b'a\\nb\\n' 0
popen 0 5
6
True 11
7 through
[3, 3, 3] True
3
locked
True
[10, 14, 12, 17]
""")

PYTHON_PROGRAMS["library"] = ("""
import array, base64, bz2, collections, csv, ctypes, ctypes.util, dataclasses, datetime, decimal, email, enum, fractions, functools, getpass, grp
import gzip, hashlib, heapq, hmac, html, importlib, inspect, io, itertools, json, locale, logging, lzma, math, mmap, os, pickle, platform, pwd, random
import re, resource, secrets, shelve, socket, sqlite3, ssl, statistics, struct, sys, tarfile, time, traceback, tracemalloc, typing, unicodedata
import unittest, urllib.parse, uuid, warnings, xml.etree.ElementTree, zipfile, zlib, zoneinfo, decimal, faulthandler, gc, weakref
print(os.cpu_count() >= 1, 1 <= len(os.sched_getaffinity(0)), os.sysconf('SC_PAGE_SIZE'), os.uname().nodename, getpass.getuser(), pwd.getpwuid(os.getuid()).pw_dir, grp.getgrgid(os.getgid()).gr_name)
print(math.factorial(2000) % 1000003, pow(3, 10 ** 6, 10 ** 9 + 7), len(str(7 ** 5000)))
blocks = [bytearray(64 << 20) for _ in range(2)]
for block in blocks: block[::4096] = b'x' * len(block[::4096])
print(sum(len(block) for block in blocks) >> 20); del blocks, block
data = b'the same again and again ' * 4000
print(*(module.decompress(module.compress(data)) == data for module in (zlib, gzip, bz2, lzma)), hashlib.sha256(data).hexdigest()[:16], hashlib.blake2b(data).hexdigest()[:8], hashlib.sha3_256(data).hexdigest()[:8], hashlib.scrypt(b'a', salt=b'b', n=1024, r=8, p=1).hex()[:8], hmac.new(b'k', data, 'sha512').hexdigest()[:8])
base = sqlite3.connect('/work/t.db'); base.execute('pragma journal_mode=wal'); base.execute('create table t(a integer primary key, b text)')
with base: base.executemany('insert into t(b) values(?)', [('row %d' % n,) for n in range(1000)])
print(base.execute('select count(*), max(b) from t').fetchone(), sqlite3.connect('/work/t.db').execute('pragma integrity_check').fetchone()); base.close()
libc = ctypes.CDLL(None, use_errno=True); compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
numbers = (ctypes.c_int * 5)(3, 1, 5, 2, 4); libc.qsort(numbers, 5, ctypes.sizeof(ctypes.c_int), compare(lambda a, b: a[0] - b[0])); print(list(numbers), libc.strlen(b'four'))
with open('/work/mapped', 'wb+') as file:
    file.truncate(1 << 20); view = mmap.mmap(file.fileno(), 0); view[1000:1005] = b'bytes'; view.flush(); print(view.find(b'bytes'), view.size() >> 20); view.close()
shared = mmap.mmap(-1, 4096)
if os.fork() == 0: shared[:2] = b'ok'; os._exit(0)
os.wait(); print(shared[:2], memoryview(os.memfd_create('m').to_bytes(1, 'little')).nbytes)
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE); resource.setrlimit(resource.RLIMIT_NOFILE, (100, hard)); print(soft, resource.getrlimit(resource.RLIMIT_NOFILE)[0], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > 1000)
print(json.loads(json.dumps({'a': [1, 2.5, None, True, 'ü']})), pickle.loads(pickle.dumps(collections.Counter('hello'))).most_common(1), struct.pack('>I', 258), csv.reader(['a,"b,c"']).__next__())
print(datetime.datetime.fromtimestamp(0).isoformat(), zoneinfo.ZoneInfo('Europe/Berlin').utcoffset(datetime.datetime(2024, 7, 1)), time.tzname, locale.setlocale(locale.LC_ALL, 'C.UTF-8'))
print(abs(time.time() - time.clock_gettime(time.CLOCK_REALTIME)) < 1, time.monotonic() > 0, time.process_time() > 0, len(secrets.token_bytes(16)), random.Random(1).randint(1, 100), uuid.UUID(int=uuid.uuid4().int).version, uuid.uuid5(uuid.NAMESPACE_DNS, 'a').hex[:6])
def recurse(n): return 0 if n == 0 else 1 + recurse(n - 1)
sys.setrecursionlimit(20000); print(recurse(9000))
try: recurse(10 ** 6)
except RecursionError: print('RecursionError')
tracemalloc.start(); gc.collect(); faulthandler.enable(); print(decimal.Decimal(2).sqrt(), fractions.Fraction(1, 3) + fractions.Fraction(1, 6), ssl.create_default_context().verify_mode.name, sys.getfilesystemencoding(), sys.stdin.read())
""", None)

PYTHON_OUTPUT = """True True 4096 cage guest /work guest
0 {power} {digits}
128
True True True True {sha} {blake} {sha3} {scrypt} {hmac}
(1000, 'row 999') ('ok',)
[1, 2, 3, 4, 5] 4
1000 1
b'ok' 1
256 100 True
{{'a': [1, 2.5, None, True, 'ü']}} [('l', 2)] b'\\x00\\x00\\x01\\x02' ['a', 'b,c']
1970-01-01T00:00:00 2:00:00 ('UTC', 'UTC') C.UTF-8
True True True 16 18 4 {uuid}
9000
RecursionError
1.414213562373095048801688724 1/2 CERT_REQUIRED utf-8 what it reads
"""


def expected_of_the_library():
    import hashlib
    import hmac
    import math
    import uuid
    data = b"the same again and again " * 4000
    text = PYTHON_OUTPUT.format(
        power=pow(3, 10 ** 6, 10 ** 9 + 7), digits=len(str(7 ** 5000)), sha=hashlib.sha256(data).hexdigest()[:16],
        blake=hashlib.blake2b(data).hexdigest()[:8], sha3=hashlib.sha3_256(data).hexdigest()[:8],
        scrypt=hashlib.scrypt(b"a", salt=b"b", n=1024, r=8, p=1).hex()[:8], hmac=hmac.new(b"k", data, "sha512").hexdigest()[:8],
        uuid=uuid.uuid5(uuid.NAMESPACE_DNS, "a").hex[:6])
    return text.replace("\n0 ", "\n%d " % (math.factorial(2000) % 1000003), 1)


@pytest.mark.parametrize("name", PYTHON_PROGRAMS)
def test_python(anyone, name):
    source, text = PYTHON_PROGRAMS[name]
    unharmed(anyone, anyone.program(source, "py"), text or expected_of_the_library(), stdin=b"what it reads")
