"""What people run: each language's usual means, unharmed under the default policy, and not one denied call.

A language that is not installed is skipped, and the skip names the package. `scripts/setup.sh test` leaves out the large
ones, Java, Go, Rust, Ruby, PHP, R, Mono, Octave and more (about 2 GB); with FUMEHOOD_TEST_BIG=1 in the environment it installs them too. What is
written in Go and Rust is built on the host, so these compilers may also be in a home folder, where no cage sees them.
"""
import functools
import json
import os
import shutil
import socket
import stat
import subprocess

import pytest

from hood import *

IF_AVAILABLE = "limits:\n  memory_bytes_if_available: 512MiB\n  cpus_if_available: 1\n"
USERS = ["hood", "user_hood"] if is_root() else ["hood"]


@pytest.fixture(params=USERS, ids=["root", "ordinary"] if is_root() else ["ordinary"])
def anyone(request):
    return request.getfixturevalue(request.param)


def loopback(hood):
    return hood.policy("loopback.yaml", "network: loopback\n" + (IF_AVAILABLE if hood.prefix else ""))


def need_tool(tool, package):
    """The tool as a cage sees it: below /usr."""
    found = shutil.which(tool, path="/usr/local/bin:/usr/bin:/bin")
    need(found and os.path.realpath(found).startswith("/usr/"), "%s is not installed (apt-get install %s)" % (tool, package))


def unharmed(hood, program, text, *args, options=(), denials=None, **more):
    """Exited 0, exactly this output and nothing on stderr, every protection in place, and only the denials that are
    named here: the test that names one says why it is harmless."""
    if hood.prefix and "--policy" not in options:  # an ordinary user whose limits need no control group
        options = ["--policy", "if-available", *options]
    options = ["--limit", "wall_ms=60s", *options]  # other tests may run beside
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


# ---------------------------------------------------------------- Node.js

NODE_PROGRAMS = {}

NODE_PROGRAMS["workers"] = (r"""
const {Worker, isMainThread, workerData, parentPort, MessageChannel, threadId} = require('worker_threads'), os = require('os');
if (!isMainThread) {
  const cells = new Int32Array(workerData.shared);
  for (let i = 0; i < 10000; i++) Atomics.add(cells, 0, 1);
  Atomics.add(cells, 1, 1); Atomics.notify(cells, 1);
  parentPort.once('message', ({port}) => { port.postMessage('from ' + workerData.n); port.close(); });
} else {
  const shared = new SharedArrayBuffer(8), cells = new Int32Array(shared);
  const one = n => new Promise((good, bad) => {
    const worker = new Worker(__filename, {workerData: {shared, n}}), {port1, port2} = new MessageChannel();
    const word = new Promise(good => port1.once('message', good));
    worker.on('error', bad).on('exit', async code => good([await word, code]));
    worker.postMessage({port: port2}, [port2]);
  });
  Promise.all([0, 1, 2, 3].map(one)).then(async found => {
    const failing = new Worker("throw new Error('inside')", {eval: true});
    const why = await new Promise(good => failing.on('error', good));
    const endless = new Worker('for (;;);', {eval: true}); await new Promise(good => endless.on('online', good));
    console.log(found, cells[0], cells[1], why.message, await endless.terminate());
    // there is no /proc/cpuinfo: how many processors it may use is told by availableParallelism alone
    console.log(os.cpus().length, os.availableParallelism ? os.availableParallelism() >= 1 : true);
  });
}
""", """[ [ 'from 0', 0 ], [ 'from 1', 0 ], [ 'from 2', 0 ], [ 'from 3', 0 ] ] 40000 4 inside 1
0 true
""")

NODE_PROGRAMS["processes"] = (r"""
const child = require('child_process'), fs = require('fs'), net = require('net'), {once} = require('events');
if (process.argv[2] === 'forked') {
  process.on('message', message => { process.send({twice: message.n * 2}); process.disconnect(); });
} else (async () => {
  const tr = child.spawn('tr', ['a-z', 'A-Z']); let text = ''; tr.stdout.on('data', piece => text += piece); tr.stdin.end('words');
  console.log(await once(tr, 'close'), text);
  const forked = child.fork(__filename, ['forked']); forked.send({n: 21});
  console.log((await once(forked, 'message'))[0], await once(forked, 'exit'));
  console.log(child.execSync('echo a | cat').toString(), child.spawnSync('sh', ['-c', 'kill -TERM $$']).signal, child.spawnSync('sh', ['-c', 'exit 3']).status);
  const sleeper = child.spawn('sleep', ['60']); sleeper.kill('SIGKILL'); console.log(await once(sleeper, 'exit'));
  child.execFile('no-such-program', why => console.log(why.code));
  const server = net.createServer(socket => socket.pipe(socket)).listen('/tmp/echo'); await once(server, 'listening');
  const socket = net.connect('/tmp/echo'); socket.end('echoed'); console.log((await once(socket, 'data'))[0].toString()); server.close();
  process.once('SIGUSR2', () => { console.log('caught'); }); process.kill(process.pid, 'SIGUSR2');
})();
""", """[ 0, null ] WORDS
{ twice: 42 } [ 0, null ]
a
 SIGTERM 3
[ null, 'SIGKILL' ]
ENOENT
echoed
caught
""")

NODE_PROGRAMS["library"] = (r"""
const fs = require('fs'), zlib = require('zlib'), crypto = require('crypto'), os = require('os'), path = require('path'), util = require('util');
const {pipeline} = require('stream/promises'), {Readable, Transform} = require('stream'), {AsyncLocalStorage, createHook} = require('async_hooks');
const {performance, PerformanceObserver} = require('perf_hooks'), vm = require('vm'), readline = require('readline'), v8 = require('v8'), assert = require('assert');
(async () => {
  const data = Buffer.from('the same again and again '.repeat(4000));
  await pipeline(Readable.from([data]), zlib.createGzip(), new Transform({transform(piece, how, next) { next(null, piece); }}), fs.createWriteStream('/work/a.gz'));
  const back = []; await pipeline(fs.createReadStream('/work/a.gz'), zlib.createGunzip(), async function (source) { for await (const piece of source) back.push(piece); });
  console.log(Buffer.concat(back).equals(data), zlib.brotliDecompressSync(zlib.brotliCompressSync(data)).length);
  console.log(crypto.createHash('sha256').update('a').digest('hex').slice(0, 12), (await util.promisify(crypto.pbkdf2)('a', 'b', 1000, 8, 'sha1')).toString('hex'), crypto.randomBytes(8).length);
  const {privateKey, publicKey} = await util.promisify(crypto.generateKeyPair)('ec', {namedCurve: 'P-256'});
  console.log(crypto.verify('sha256', data, publicKey, crypto.sign('sha256', data, privateKey)), (await crypto.subtle.digest('SHA-1', data)).byteLength);
  await fs.promises.mkdir('/work/x/y', {recursive: true}); await fs.promises.writeFile('/work/x/y/f', 'f'); await fs.promises.cp('/work/x', '/work/z', {recursive: true});
  await fs.promises.rename('/work/z/y/f', '/work/z/g'); fs.symlinkSync('g', '/work/z/s'); fs.appendFileSync('/work/z/s', 'more'); fs.chmodSync('/work/z/g', 0o600);
  console.log(fs.readFileSync('/work/z/g', 'utf8'), fs.readdirSync('/work/z', {withFileTypes: true}).map(entry => entry.name + entry.isSymbolicLink()), fs.statSync('/work/z/g').mode & 0o777, fs.mkdtempSync('/tmp/d-').length);
  await fs.promises.rm('/work/x', {recursive: true}); console.log(fs.existsSync('/work/x'), (await Promise.allSettled([fs.promises.readFile('/work/x')]))[0].reason.code);
  const store = new AsyncLocalStorage(); let hooks = 0; const hook = createHook({init() { hooks++; }}).enable();
  const held = await store.run({id: 7}, async () => { await new Promise(good => setTimeout(good, 5)); await new Promise(setImmediate); return store.getStore().id; });
  hook.disable(); const order = []; setTimeout(() => order.push('timer'), 0); setImmediate(() => order.push('immediate')); process.nextTick(() => order.push('tick')); queueMicrotask(() => order.push('micro'));
  let beats = 0; await new Promise(good => { const beat = setInterval(() => ++beats === 3 && (clearInterval(beat), good()), 2); });
  console.log(held, hooks > 0, order[0], order.length, beats, performance.now() > 0);
  console.log(vm.runInNewContext('a + 1', {a: 1}), 2n ** 100n, structuredClone(new Map([[1, {a: 1}]])).get(1), new Intl.NumberFormat('de-DE').format(1234.5), new Date(0).toISOString(), 'ü'.normalize('NFD').length);
  console.log(os.hostname(), os.userInfo().username, os.homedir(), os.tmpdir(), os.totalmem() > 0, os.endianness(), process.memoryUsage().rss > 0, v8.getHeapStatistics().heap_size_limit > 0);
  const big = Buffer.alloc(64 << 20, 1), many = Array.from({length: 200000}, (_, i) => ({i})); let garbage = 0; for (let i = 0; i < 300; i++) garbage += new Array(20000).fill(i).length;
  const wasm = await WebAssembly.instantiate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 7, 1, 96, 2, 127, 127, 1, 127, 3, 2, 1, 0, 7, 7, 1, 3, 97, 100, 100, 0, 0, 10, 9, 1, 7, 0, 32, 0, 32, 1, 106, 11]));
  console.log(big.length >> 20, many.length, garbage, wasm.instance.exports.add(40, 2));
  const lines = []; for await (const line of readline.createInterface({input: process.stdin})) lines.push(line);
  try { (function deep() { deep(); })(); } catch (why) { console.log(why.name, lines); }
  process.on('exit', code => console.log('exit', code));
})();
""", """true 100000
ca978112ca1b 8b0b1a28939a3076 8
true 20
fmore [ 'gfalse', 'strue', 'yfalse' ] 384 13
false ENOENT
7 true micro 4 3 true
2 1267650600228229401496703205376n { a: 1 } 1.234,5 1970-01-01T00:00:00.000Z 2
cage guest /work /tmp true LE true true
64 200000 6000000 42
RangeError [ 'what it', 'reads' ]
exit 0
""")

NODE_PROGRAMS["loopback"] = (r"""
const http = require('http'), dgram = require('dgram'), os = require('os'), {once} = require('events');
(async () => {
  const server = http.createServer((request, answer) => answer.end(request.url.slice(1).toUpperCase())).listen(0, '127.0.0.1'); await once(server, 'listening');
  const found = await fetch(`http://127.0.0.1:${server.address().port}/hello`); console.log(found.status, await found.text()); server.closeAllConnections(); server.close();
  const socket = dgram.createSocket('udp4'); socket.bind(0, '127.0.0.1'); await once(socket, 'listening');
  socket.send('to itself', socket.address().port, '127.0.0.1'); console.log((await once(socket, 'message'))[0].toString()); socket.close();
})();
""", "200 HELLO\nto itself\n")


@pytest.mark.parametrize("name", NODE_PROGRAMS)
def test_node(anyone, name):
    need_tool("node", "nodejs")
    source, text = NODE_PROGRAMS[name]
    if name == "loopback":
        options = ["--policy", loopback(anyone)]
        unharmed(anyone, anyone.program(source, "js"), text, options=options)
    else:
        unharmed(anyone, anyone.program(source, "js"), text, stdin=b"what it\nreads\n")


def test_node_lists_no_interfaces(anyone):
    """The one call of Node's library that throws: the list of interfaces comes over a netlink socket, which is denied
    and named, since behind such a socket stands much of the kernel."""
    need_tool("node", "nodejs")
    program = anyone.program("try { require('os').networkInterfaces(); } catch (why) { console.log(why.name); }", "js")
    unharmed(anyone, program, "SystemError\n", denials={("network", "socket(AF_NETLINK)")})


# ---------------------------------------------------------------- C and C++

C_SOURCE = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static atomic_long total; static _Thread_local int own; static sigjmp_buf back; static volatile sig_atomic_t alarms;
static pthread_barrier_t barrier;
static void *work(void *n) { own = (int)(long)n; pthread_barrier_wait(&barrier); for (int i = 0; i < 1000; i++) total += own; return NULL; }
static void jump(int signal) { siglongjmp(back, signal); }
static void count(int signal) { alarms += signal == SIGALRM; }
int main(int argc, char **argv) {
  pthread_t threads[8]; pthread_attr_t attr; pthread_attr_init(&attr); pthread_attr_setstacksize(&attr, 1 << 18); pthread_barrier_init(&barrier, NULL, 8);
  for (long i = 0; i < 8; i++) if (pthread_create(&threads[i], &attr, work, (void *)i)) return 1;
  for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
  printf("threads %ld\n", total);
  stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16}; sigaltstack(&stack, NULL);
  struct sigaction action = {.sa_handler = jump, .sa_flags = SA_ONSTACK}; sigaction(SIGSEGV, &action, NULL);
  volatile char *wall = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (sigsetjmp(back, 1) == 0) *wall = 1; else puts("caught a fault");
  signal(SIGALRM, count); struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM}; timer_t timer;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer)) return 2;
  timer_settime(timer, 0, &(struct itimerspec){.it_value = {0, 1000000}}, NULL); while (!alarms) pause();
  sem_t *sem = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); sem_init(sem, 1, 0);
  int shm = shmget(IPC_PRIVATE, 4096, 0600), sems = semget(IPC_PRIVATE, 1, 0600); char *shared = shmat(shm, NULL, 0);
  if (fork() == 0) { strcpy(shared, "from the child"); sem_post(sem); semop(sems, &(struct sembuf){0, 1, 0}, 1); _exit(0); }
  sem_wait(sem); semop(sems, &(struct sembuf){0, -1, 0}, 1); wait(NULL); puts(shared); shmctl(shm, IPC_RMID, NULL); semctl(sems, 0, IPC_RMID);
  int named = shm_open("/story", O_CREAT | O_RDWR, 0600); if (ftruncate(named, 4096) || shm_unlink("/story")) return 3;
  sem_t *open = sem_open("/story", O_CREAT, 0600, 1); if (open == SEM_FAILED || sem_wait(open) || sem_unlink("/story")) return 4;
  int code = memfd_create("code", 0); /* made at run time, as compilers just in time do */
  if (write(code, "\xb8\x2a\0\0\0\xc3", 6) != 6) return 5;
  int (*made)(void) = (int (*)(void))mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, code, 0); printf("made %d\n", made());
  pid_t pid; char *words[] = {"sh", "-c", "exit 3", NULL}; int status; posix_spawnp(&pid, "sh", NULL, NULL, words, NULL); waitpid(pid, &status, 0);
  int clock = timerfd_create(CLOCK_MONOTONIC, 0); uint64_t ticks; timerfd_settime(clock, 0, &(struct itimerspec){.it_value = {0, 1000000}}, NULL); if (read(clock, &ticks, 8) != 8) return 6;
  FILE *pipe = popen("tr a-z A-Z", "w"); fputs("popen\n", pipe); fflush(stdout); pclose(pipe);
  char *big = malloc(100 << 20); memset(big, 1, 100 << 20); big = realloc(big, 150 << 20); printf("%d %.3f %d %s\n", WEXITSTATUS(status), sqrt(2), big[(100 << 20) - 1], argc > 1 ? argv[1] : ""); return 0; }
"""
C_TEXT = "threads 28000\ncaught a fault\nfrom the child\nmade 42\nPOPEN\n3 1.414 1 word\n"

CPP_SOURCE = r"""
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
struct base { virtual ~base() = default; virtual int value() const = 0; };
struct derived : base { int held; explicit derived(int n) : held(n) {} int value() const override { return held; } };
struct noisy { ~noisy() { std::cout << "unwound\n"; } };
static void fail(int depth) { noisy here; if (depth == 0) throw std::out_of_range("deep"); fail(depth - 1); }
int main() {
  std::vector<std::thread> threads; std::mutex lock; std::condition_variable ready; std::map<int, std::string> found; std::atomic<int> left{4};
  for (int n = 0; n < 4; n++) threads.emplace_back([&, n] { std::lock_guard held(lock); found[n] = std::string(3, char('a' + n)); if (--left == 0) ready.notify_all(); });
  { std::unique_lock held(lock); ready.wait(held, [&] { return left == 0; }); }
  for (auto &thread : threads) thread.join();
  for (auto &[key, text] : found) std::cout << key << text << ' ';
  auto later = std::async(std::launch::async, [] { std::vector<long> v(1 << 20); std::iota(v.begin(), v.end(), 0); return std::accumulate(v.begin(), v.end(), 0L); });
  std::cout << later.get() << '\n';
  try { fail(1); } catch (const std::exception &why) { std::cout << why.what() << '\n'; }
  auto failing = std::async(std::launch::async, []() -> int { throw std::runtime_error("in a thread"); });
  try { failing.get(); } catch (const std::runtime_error &why) { std::cout << why.what() << '\n'; }
  try { std::vector<char> much(size_t(1) << 60); } catch (const std::bad_alloc &) { std::cout << "bad_alloc\n"; } catch (const std::length_error &) { std::cout << "length\n"; }
  std::unique_ptr<base> one = std::make_unique<derived>(7); std::cout << one->value() << (dynamic_cast<derived *>(one.get()) != nullptr) << '\n';
  std::filesystem::create_directories("/work/a/b"); std::ofstream("/work/a/b/f") << "text"; std::filesystem::rename("/work/a/b/f", "/work/a/g");
  std::cout << std::filesystem::file_size("/work/a/g") << std::filesystem::remove_all("/work/a") << '\n';
  std::this_thread::sleep_for(std::chrono::milliseconds(1)); return std::thread::hardware_concurrency() >= 1 ? 0 : 1; }
"""
CPP_TEXT = "0aaa 1bbb 2ccc 3ddd 549755289600\nunwound\nunwound\ndeep\nin a thread\nbad_alloc\n71\n43\n"


def test_gcc_compiles_and_runs_inside(anyone):
    """Preprocessor, compiler, assembler, linker with its plugin, a static program, a library that is loaded at run time."""
    need_tool("gcc", "gcc libc6-dev")
    need_tool("make", "make")
    source = anyone.file("program.c", C_SOURCE)
    unharmed(anyone, anyone.program(r"""
set -e
gcc -O2 -Wall -Werror -pthread -o made program.c -lm
./made word
gcc -O2 -flto -pthread -w -static -o whole program.c -lm
./whole word | tail -n 1
mkdir lib
cd lib
echo 'int twice(int n) { return 2 * n; }' >twice.c
printf '#include <stdio.h>\nint twice(int);\nint main(void) { printf("%%d\\n", twice(21)); return 0; }\n' >main.c
printf 'main: main.o libtwice.so\n\tgcc -o $@ main.o -L. -ltwice -Wl,-rpath,$(CURDIR)\nlibtwice.so: twice.o\n\tgcc -shared -o $@ $<\n%%.o: %%.c\n\tgcc -pipe -g -fPIC -c -o $@ $<\n' >Makefile
make -s -j3
./main
echo 'int main(void) { return x; }' >wrong.c
gcc wrong.c 2>&1 | grep -c error
""", "sh"), C_TEXT + "3 1.414 1 word\n42\n1\n", options=["--input", source])


def test_gpp_compiles_and_runs_inside(anyone):
    need_tool("g++", "g++")
    source = anyone.file("program.cc", CPP_SOURCE)
    unharmed(anyone, anyone.program("set -e\ng++ -std=c++17 -O2 -pthread -o made program.cc\n./made\n", "sh"), CPP_TEXT,
             options=["--input", source])


# ---------------------------------------------------------------- Rust and Go: built on the host

RUST_SOURCE = r"""
use std::collections::HashMap;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::{atomic::{AtomicU64, Ordering}, mpsc, Arc, Barrier, Condvar, Mutex, RwLock};
use std::{env, fs, panic, thread, time::Duration};
struct Noisy(&'static str);
impl Drop for Noisy { fn drop(&mut self) { println!("dropped {}", self.0); } }
fn main() {
    let total = Arc::new(Mutex::new(0u64)); let atomic = Arc::new(AtomicU64::new(0)); let barrier = Arc::new(Barrier::new(8));
    let threads: Vec<_> = (0..8).map(|n| { let (total, atomic, barrier) = (total.clone(), atomic.clone(), barrier.clone());
        thread::Builder::new().name(format!("t{n}")).stack_size(1 << 18).spawn(move || { barrier.wait(); for _ in 0..1000 { *total.lock().unwrap() += n; atomic.fetch_add(1, Ordering::SeqCst); } }).unwrap() }).collect();
    for t in threads { t.join().unwrap(); }
    println!("{} {}", total.lock().unwrap(), atomic.load(Ordering::SeqCst));
    let (sender, receiver) = mpsc::channel(); for n in 0..4 { let sender = sender.clone(); thread::spawn(move || { sender.send(n * n).unwrap(); }); } drop(sender);
    let mut squares: Vec<i32> = receiver.iter().collect(); squares.sort(); println!("{squares:?}");
    let pair = Arc::new((Mutex::new(false), Condvar::new())); let other = pair.clone();
    thread::spawn(move || { *other.0.lock().unwrap() = true; other.1.notify_one(); });
    let (ready, wait) = pair.1.wait_timeout_while(pair.0.lock().unwrap(), Duration::from_secs(10), |ready| !*ready).unwrap(); println!("{} {}", *ready, wait.timed_out()); drop(ready);
    let mut values = vec![1, 2, 3]; thread::scope(|scope| { scope.spawn(|| values.iter_mut().for_each(|v| *v *= 2)); }); println!("{values:?} {}", RwLock::new(5).read().unwrap());
    panic::set_hook(Box::new(|why| println!("hook: {}", why.payload().downcast_ref::<&str>().unwrap_or(&"other"))));
    let caught = panic::catch_unwind(|| { let _held = Noisy("in a panic"); panic!("on purpose") }); println!("{}", caught.is_err());
    println!("{}", thread::spawn(|| { let _held = Noisy("in a thread"); panic!("again"); }).join().is_err());
    let mut child = Command::new("tr").args(["a-z", "A-Z"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"piped").unwrap(); println!("{}", String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap());
    println!("{:?}", Command::new("sh").args(["-c", "exit 3"]).env_clear().current_dir("/tmp").status().unwrap().code());
    fs::create_dir_all("/work/a/b").unwrap(); fs::write("/work/a/b/f", "text").unwrap(); fs::copy("/work/a/b/f", "/work/a/g").unwrap(); fs::rename("/work/a/g", "/work/a/h").unwrap();
    println!("{} {}", fs::read_to_string("/work/a/h").unwrap(), fs::metadata("/work/a/h").unwrap().len()); fs::remove_dir_all("/work/a").unwrap();
    let map: HashMap<String, usize> = env::args().skip(1).enumerate().map(|(n, word)| (word, n)).collect(); let mut text = String::new(); std::io::stdin().read_to_string(&mut text).unwrap();
    let big = vec![1u8; 64 << 20]; println!("{} {:?} {} {}", map["word"], text, big.iter().map(|b| *b as usize).sum::<usize>() >> 20, thread::available_parallelism().unwrap().get() >= 1);
}
"""
RUST_TEXT = """28000 8000
[0, 1, 4, 9]
true false
[2, 4, 6] 5
hook: on purpose
dropped in a panic
true
hook: again
dropped in a thread
true
PIPED
Some(3)
text 4
0 "what it reads" 64 true
"""

GO_SOURCE = r"""
package main
import ("bufio"; "bytes"; "compress/gzip"; "context"; "crypto/sha256"; "encoding/json"; "errors"; "fmt"; "io"; "os"; "os/exec"; "os/signal"
  "os/user"; "path/filepath"; "runtime"; "runtime/debug"; "sort"; "strings"; "sync"; "sync/atomic"; "syscall"; "time")
type tree struct { left, right *tree }
func grow(depth int) *tree { if depth == 0 { return &tree{} }; return &tree{grow(depth - 1), grow(depth - 1)} }
func (t *tree) count() int { if t.left == nil { return 1 }; return 1 + t.left.count() + t.right.count() }
func fail() (err error) { defer func() { err = fmt.Errorf("recovered: %v", recover()) }(); var m map[string]int; m["a"] = 1; return nil }
func fault() (err error) { defer func() { err = recover().(error) }(); var t *tree; t.left = t; return nil }
func deep(n int) int { var room [256]byte; if n == 0 { return int(room[0]) }; return 1 + deep(n - 1) }
func main() {
  var group sync.WaitGroup; var total int64; work, done := make(chan int, 16), make(chan int)
  for i := 0; i < 2000; i++ { group.Add(1); go func(n int) { defer group.Done(); runtime.Gosched(); atomic.AddInt64(&total, int64(n)) }(i) }
  group.Wait(); fmt.Println(total)
  for i := 0; i < 8; i++ { go func() { runtime.LockOSThread(); sum := 0; for n := range work { sum += n * n }; done <- sum }() }
  for n := 0; n < 1000; n++ { work <- n }; close(work); sum := 0; for i := 0; i < 8; i++ { sum += <-done }; fmt.Println(sum)
  limit, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond); defer cancel()
  select { case <-limit.Done(): fmt.Println(limit.Err()); case <-time.After(20 * time.Second): fmt.Println("late") }
  fmt.Println(fail(), "|", fault(), "|", deep(200000))
  count := 0; for i := 0; i < 8; i++ { count += grow(14).count() }; debug.FreeOSMemory(); fmt.Println(count)
  command := exec.Command("tr", "a-z", "A-Z"); command.Stdin = strings.NewReader("piped"); out, err := command.Output(); fmt.Println(string(out), err)
  var exit *exec.ExitError; err = exec.Command("sh", "-c", "exit 3").Run(); fmt.Println(errors.As(err, &exit), exit.ExitCode(), exec.CommandContext(limit, "sleep", "60").Run())
  signals := make(chan os.Signal, 1); signal.Notify(signals, syscall.SIGUSR1); syscall.Kill(os.Getpid(), syscall.SIGUSR1); fmt.Println(<-signals)
  os.MkdirAll("/work/a/b", 0o755); os.WriteFile("/work/a/b/f", []byte("text"), 0o600); var names []string
  filepath.Walk("/work/a", func(path string, info os.FileInfo, err error) error { names = append(names, path); return err }); fmt.Println(names, os.RemoveAll("/work/a"))
  var packed bytes.Buffer; zip := gzip.NewWriter(&packed); zip.Write(bytes.Repeat([]byte("abc"), 10000)); zip.Close(); unzip, _ := gzip.NewReader(&packed); plain, _ := io.ReadAll(unzip); fmt.Printf("%d %x\n", len(plain), sha256.Sum256(plain))
  host, _ := os.Hostname(); who, err := user.Current(); fmt.Println(host, who.Username, err, runtime.NumCPU() >= 1, time.Local.String())
  words := map[string]int{"b": 1, "a": 2}; text, _ := json.Marshal(words); keys := []string{}; for key := range words { keys = append(keys, key) }; sort.Strings(keys)
  line, _ := bufio.NewReader(os.Stdin).ReadString('\n'); big := make([]byte, 64<<20); for i := range big { big[i] = 1 }; fmt.Println(string(text), keys, line, len(big)>>20, os.Args[1])
}
"""
GO_TEXT = """1999000
332833500
context deadline exceeded
recovered: assignment to entry in nil map | runtime error: invalid memory address or nil pointer dereference | 200000
262136
PIPED <nil>
true 3 context deadline exceeded
user defined signal 1
[/work/a /work/a/b /work/a/b/f] <nil>
30000 %s
cage guest <nil> true UTC
{"a":2,"b":1} [a b] what it reads 64 word
"""

GO_LOOPBACK = r"""
package main
import ("fmt"; "io"; "net"; "net/http"; "strings")
func main() {
  listener, err := net.Listen("tcp", "localhost:0"); if err != nil { fmt.Println(err); return }
  go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, strings.ToUpper(r.URL.Path)) }))
  done := make(chan string)
  for i := 0; i < 20; i++ { go func() { answer, err := http.Get("http://" + listener.Addr().String() + "/hello"); if err != nil { done <- err.Error(); return }; text, _ := io.ReadAll(answer.Body); answer.Body.Close(); done <- string(text) }() }
  for i := 0; i < 19; i++ { <-done }; fmt.Println(<-done)
  packets, _ := net.ListenPacket("udp", "127.0.0.1:0"); socket, _ := net.Dial("udp", packets.LocalAddr().String()); socket.Write([]byte("to itself"))
  piece := make([]byte, 64); n, _, _ := packets.ReadFrom(piece); fmt.Println(string(piece[:n]))
}
"""


def built(hood, compiler, extension, source, *words):
    """A program that the host's compiler has made, in the test's own folder."""
    hood.count += 1
    code, made = hood.file("c%d.%s" % (hood.count, extension), source), hood.folder / ("n%d-%s" % (hood.count, hood.nonce))
    subprocess.run([*compiler, *words, "-o", str(made), str(code)], check=True, timeout=300)
    return made


@functools.lru_cache(maxsize=None)
def works(tool):
    """A tool in a home folder may be a name only, without a toolchain behind it."""
    return bool(shutil.which(tool)) and subprocess.run([tool, "version" if tool == "go" else "--version"], capture_output=True).returncode == 0


def test_rust(anyone):
    need(works("rustc"), "rustc is not installed (apt-get install rustc): no Rust program is run")
    program = built(anyone, ["rustc"], "rs", RUST_SOURCE, "--edition", "2021", "-C", "opt-level=1")
    unharmed(anyone, program, RUST_TEXT, "word", stdin=b"what it reads")


@pytest.fixture(scope="session")
def go(tmp_path_factory):
    need(works("go"), "go is not installed (apt-get install golang-go): no Go program is run")
    cache = os.environ.get("GOCACHE") or str(tmp_path_factory.mktemp("go"))
    return ["env", "GOCACHE=" + cache, "GO111MODULE=off", "GOFLAGS=", "CGO_ENABLED=0", "go", "build"]


def test_go(anyone, go):
    import hashlib
    unharmed(anyone, built(anyone, go, "go", GO_SOURCE), GO_TEXT % hashlib.sha256(b"abc" * 10000).hexdigest(), "word", stdin=b"what it reads")


def test_go_talks_to_itself(anyone, go):
    options = ["--policy", loopback(anyone)]
    unharmed(anyone, built(anyone, go, "go", GO_LOOPBACK), "/HELLO\nto itself\n", options=options)


# ---------------------------------------------------------------- Java

JAVA_SOURCE = r"""
import java.io.*; import java.math.BigInteger; import java.nio.*; import java.nio.channels.*; import java.nio.file.*; import java.security.*; import java.time.*;
import java.util.*; import java.util.concurrent.*; import java.util.concurrent.atomic.*; import java.util.stream.*; import java.util.zip.*;
public class Main {
  record Pair(int number, String text) {}
  sealed interface Shape permits Round, Square {} record Round(int r) implements Shape {} record Square(int a) implements Shape {}
  static int deep(int n) { return 1 + deep(n + 1); }
  public static void main(String[] words) throws Exception {
    AtomicLong total = new AtomicLong(); Map<Integer, Integer> shared = new ConcurrentHashMap<>(); List<Thread> threads = new ArrayList<>();
    for (int n = 0; n < 8; n++) { int own = n; threads.add(new Thread(() -> { for (int i = 0; i < 1000; i++) { total.addAndGet(own); shared.merge(i % 10, 1, Integer::sum); } })); }
    for (Thread t : threads) t.start(); for (Thread t : threads) t.join(); System.out.println(total + " " + shared.get(3));
    ExecutorService pool = Executors.newFixedThreadPool(4); CompletableFuture<Integer> later = CompletableFuture.supplyAsync(() -> 20, pool).thenCombine(CompletableFuture.supplyAsync(() -> 22, pool), Integer::sum);
    System.out.println(later.get() + " " + pool.invokeAll(List.<Callable<Integer>>of(() -> 1, () -> 2)).stream().mapToInt(f -> { try { return f.get(); } catch (Exception why) { return -1; } }).sum());
    ScheduledExecutorService clock = Executors.newScheduledThreadPool(1); System.out.println(clock.schedule(() -> "tick", 5, TimeUnit.MILLISECONDS).get()); clock.shutdown(); pool.shutdown();
    System.out.println(IntStream.range(0, 100000).parallel().mapToLong(n -> (long) n * n).sum() + " " + new ForkJoinPool(3).submit(() -> IntStream.range(0, 1000).parallel().sum()).get());
    List<byte[]> live = new ArrayList<>(); long garbage = 0; for (int i = 0; i < 60; i++) live.add(new byte[1 << 20]);
    for (int round = 0; round < 300; round++) { List<int[]> junk = new ArrayList<>(); for (int i = 0; i < 500; i++) junk.add(new int[1000]); garbage += junk.size(); } System.out.println(garbage + " " + live.size());
    try { deep(0); } catch (StackOverflowError why) { System.out.println("StackOverflowError"); }
    try { live.add(new byte[Integer.MAX_VALUE - 16]); } catch (OutOfMemoryError why) { System.out.println("OutOfMemoryError"); } live.clear();
    Process child = new ProcessBuilder("tr", "a-z", "A-Z").start(); try (OutputStream to = child.getOutputStream()) { to.write("piped".getBytes()); }
    System.out.println(new String(child.getInputStream().readAllBytes()) + " " + child.waitFor() + " " + new ProcessBuilder("sh", "-c", "exit 3").start().waitFor());
    Path folder = Files.createTempDirectory("story"); Path file = Files.writeString(folder.resolve("f"), "text\nlines\n");
    Files.move(file, folder.resolve("g")); Files.createSymbolicLink(folder.resolve("s"), Path.of("g")); System.out.println(Files.lines(folder.resolve("s")).collect(Collectors.joining(",")) + " " + Files.size(folder.resolve("g")));
    try (FileChannel channel = FileChannel.open(folder.resolve("m"), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE); FileLock lock = channel.lock()) { MappedByteBuffer map = channel.map(FileChannel.MapMode.READ_WRITE, 0, 4096); map.putInt(0, 42); map.force(); System.out.println(map.getInt(0) + " " + lock.isValid()); }
    ByteArrayOutputStream packed = new ByteArrayOutputStream(); try (GZIPOutputStream zip = new GZIPOutputStream(packed)) { zip.write(new byte[100000]); } System.out.println(new GZIPInputStream(new ByteArrayInputStream(packed.toByteArray())).readAllBytes().length);
    System.out.println(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest("a".getBytes())).substring(0, 12) + " " + new SecureRandom().generateSeed(8).length + " " + BigInteger.TWO.pow(200).mod(BigInteger.valueOf(1000007)));
    KeyPair keys = KeyPairGenerator.getInstance("EC").generateKeyPair(); Signature sign = Signature.getInstance("SHA256withECDSA"); sign.initSign(keys.getPrivate()); sign.update((byte) 1); byte[] signed = sign.sign(); sign.initVerify(keys.getPublic()); sign.update((byte) 1); System.out.println(sign.verify(signed));
    Object shape = new Round(2); System.out.println((shape instanceof Round round ? round.r() : 0) + " " + new Pair(1, "a") + " " + LocalDate.of(2024, 2, 28).plusDays(2) + " " + ZoneId.systemDefault() + " " + String.format(Locale.GERMANY, "%,.1f", 1234.5));
    ObjectOutputStream out = new ObjectOutputStream(packed = new ByteArrayOutputStream()); out.writeObject(new ArrayList<>(List.of("kept"))); System.out.println(new ObjectInputStream(new ByteArrayInputStream(packed.toByteArray())).readObject());
    Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
    System.out.println(new BufferedReader(new InputStreamReader(System.in)).readLine() + " " + words[0] + " " + System.getProperty("user.name") + " " + System.getProperty("user.dir") + " " + (Runtime.getRuntime().availableProcessors() >= 1));
  }
}
"""
JAVA_TEXT = """28000 800
42 3
tick
333328333350000 499500
150000 60
StackOverflowError
OutOfMemoryError
PIPED 0 3
text,lines 11
42 true
100000
ca978112ca1b 8 %d
true
2 Pair[number=1, text=a] 2024-03-01 UTC 1.234,5
[kept]
what it reads word guest /work true
hook
""" % (2 ** 200 % 1000007)
# The JVM takes a quarter of the machine's memory for its heap, since it does not see the cage's limit.
JAVA_HEAP = "-Xmx256m"


# Its network library makes sockets when it is loaded, and files of java.nio load it, to see which families there are;
# it does without, and neither reads nor writes one.
JAVA_DENIALS = {("network", "socket(AF_INET)"), ("network", "socket(AF_INET6)")}
JAVA_LOOPBACK = r"""
import com.sun.net.httpserver.HttpServer; import java.io.*; import java.net.*; import java.net.http.*; import java.nio.file.*; import java.util.concurrent.*;
public class Net {
  public static void main(String[] words) throws Exception {
    HttpServer server = HttpServer.create(new InetSocketAddress("localhost", 0), 0); ExecutorService pool = Executors.newFixedThreadPool(2); server.setExecutor(pool);
    server.createContext("/", exchange -> { byte[] text = exchange.getRequestURI().getPath().toUpperCase().getBytes(); exchange.sendResponseHeaders(200, text.length); exchange.getResponseBody().write(text); exchange.close(); }); server.start();
    HttpClient client = HttpClient.newHttpClient(); System.out.println(client.send(HttpRequest.newBuilder(URI.create("http://localhost:" + server.getAddress().getPort() + "/hello")).build(), HttpResponse.BodyHandlers.ofString()).body());
    server.stop(0); pool.shutdown(); System.out.println(Files.exists(Path.of("/usr")) + " " + InetAddress.getLocalHost().getHostName());
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()); Socket near = new Socket("127.0.0.1", listener.getLocalPort()); Socket far = listener.accept()) { near.getOutputStream().write(42); System.out.println(far.getInputStream().read()); }
  }
}
"""


def need_java():
    need_tool("javac", "default-jdk-headless")
    need_tool("java", "default-jdk-headless")


def test_java_compiles_and_runs_inside(anyone):
    need_java()
    source = anyone.file("Main.java", JAVA_SOURCE)
    unharmed(anyone, anyone.program("set -e\njavac -d made Main.java\nexec java %s -cp made Main word\n" % JAVA_HEAP, "sh"), JAVA_TEXT,
             options=["--input", source], stdin=b"what it reads\n", denials=JAVA_DENIALS)


@pytest.mark.parametrize("collector", ["SerialGC", "ParallelGC"])
def test_java_from_a_jar_talks_to_itself(anyone, collector):
    """Where the policy grants loopback, nothing of it is denied."""
    need_java()
    anyone.file("Net.java", JAVA_LOOPBACK)
    subprocess.run(["/usr/bin/javac", "-d", "made", "Net.java"], cwd=anyone.folder, check=True)
    subprocess.run(["/usr/bin/jar", "cfe", "net.jar", "Net", "-C", "made", "."], cwd=anyone.folder, check=True)
    unharmed(anyone, anyone.program("exec java %s -XX:+Use%s -jar net.jar" % (JAVA_HEAP, collector), "sh"), "/HELLO\ntrue cage\n42\n",
             options=["--policy", loopback(anyone), "--input", anyone.folder / "net.jar"])


# ---------------------------------------------------------------- shells, Perl, SQLite and the usual tools

SCRIPTS = {}

SCRIPTS["bash"] = ("bash", "bash", r"""
set -euo pipefail
shopt -s extglob nullglob lastpipe
set -m
sleep 30 & first=$!; sleep 30 & second=$!; jobs -r | wc -l
kill -STOP %1; until grep -q "^State:.*T" /proc/$first/status; do :; done
{ bg %1 >/dev/null; kill %1 %2; wait $first || echo "first ended with $?"; wait $second || echo "second ended with $?"; } 2>/dev/null
(exit 3) & wait $! || echo "waited for $?"
set +m
trap 'echo trapped USR1' USR1; kill -USR1 $$; trap 'echo leaving' EXIT; trap 'echo "failed: $BASH_COMMAND"' ERR
false || echo 'no trap here'
diff <(printf 'a\nb\n') <(printf 'a\nc\n') | grep -c '^[<>]' || true
tee >(tr a-z A-Z >/tmp/upper) <<<'here string' >/dev/null; while [[ ! -s /tmp/upper ]]; do sleep 0.01; done; cat /tmp/upper
cat <<END | sed 's/^/> /'
sum: $((2 ** 40 + RANDOM * 0)) ${BASH_VERSINFO[0]:+bash}
END
coproc UP { while read -r line; do echo "${line^^}"; done; }; echo words >&"${UP[1]}"; read -r answer <&"${UP[0]}"; echo "$answer"
exec 5<>/tmp/both; echo kept >&5; exec 5>&-; read -r kept </tmp/both; echo "$kept"
declare -A map=([b]=2 [a]=1); mapfile -t keys < <(printf '%s\n' "${!map[@]}" | sort); echo "${keys[*]}" "${map[b]}"
total=0; printf '%s\n' {1..5} | while read -r n; do total=$((total + n)); done; echo "$total"
mkfifo /tmp/fifo; echo through >/tmp/fifo & cat /tmp/fifo; wait $!
out=$( (echo out; echo err >&2) 2>&1 | sort | paste -sd,); echo "$out"
ulimit -n; umask 027; touch f; stat -c %a f; [[ -d /dev/fd && -c /dev/null ]] && echo devices
timeout 0.1 sleep 30 || echo "timeout $?"; none=(*.none); echo "${#none[@]}"
read -r -t 5 line; echo "$line"
""", """2
first ended with 143
second ended with 143
waited for 3
trapped USR1
no trap here
2
HERE STRING
> sum: 1099511627776 bash
WORDS
kept
a b 2
15
through
err,out
256
640
devices
timeout 124
0
what it reads
leaving
""")

SCRIPTS["perl"] = ("pl", "perl", r"""
use strict; use warnings; use Config; use Errno; use Fcntl qw(:flock :seek); use File::Temp qw(tempfile tempdir); use File::Find; use IO::Handle; use IO::Socket::UNIX;
use IPC::Open3; use POSIX qw(:sys_wait_h strftime); use Socket; use Storable qw(dclone); use Time::HiRes qw(alarm); use Digest::SHA qw(sha256_hex); use MIME::Base64; use Math::BigInt; use Sys::Hostname; use Cwd;
$| = 1;
sub leave { STDOUT->flush; POSIX::_exit(shift) }
socketpair(my $near, my $far, AF_UNIX, SOCK_STREAM, PF_UNSPEC) or die $!;
if (!(my $pid = fork // die)) { close $near; my $line = <$far>; print $far uc $line; close $far; leave 3 } else { close $far; $near->autoflush(1); print $near "words\n"; print scalar <$near>; waitpid $pid, 0; print $? >> 8, "\n"; }
my @pipes; for my $n (1 .. 4) { my $pid = open(my $pipe, '-|') // die; if (!$pid) { print $n * $n; leave 0 } push @pipes, $pipe } print join(',', map { my $p = $_; scalar <$p> } @pipes), "\n"; close $_ for @pipes;
my $pid = open3(my $in, my $out, undef, 'tr', 'a-z', 'A-Z'); print $in "piped\n"; close $in; print scalar <$out>; waitpid $pid, 0;
print `echo quoted`, system('sh', '-c', 'exit 4') >> 8, "\n";
local $SIG{ALRM} = sub { die "alarm\n" }; eval { alarm 0.02; select undef, undef, undef, 10; }; print $@;
local $SIG{USR1} = sub { print "caught\n" }; kill USR1 => $$; local $SIG{CHLD} = 'IGNORE'; leave 0 if !fork; wait; print $!{ECHILD} ? "reaped\n" : "$!\n"; $SIG{CHLD} = 'DEFAULT';
my ($file, $name) = tempfile(DIR => '/work'); flock $file, LOCK_EX or die; print $file "one\ntwo\n"; seek $file, 0, SEEK_SET; my @lines = <$file>; print scalar(@lines), -s $name, "\n"; open my $again, '<', $name or die; print flock($again, LOCK_EX | LOCK_NB) ? "free\n" : "locked\n";
my $folder = tempdir(CLEANUP => 1); mkdir "$folder/a"; open my $f, '>', "$folder/a/ü" or die; print $f "ü"; close $f; my $found = 0; find(sub { $found++ if -f }, $folder); print $found, -s "$folder/a/ü", "\n";
my $server = IO::Socket::UNIX->new(Local => '/tmp/s', Listen => 1) or die; if (!fork) { my $c = IO::Socket::UNIX->new('/tmp/s'); print $c "over a socket\n"; $c->flush; leave 0 } my $got = $server->accept; print scalar <$got>; wait;
if ($Config{useithreads}) { require threads; require threads::shared; require Thread::Queue; my $total = &threads::shared::share(\(my $held = 0)); my $queue = Thread::Queue->new(1 .. 100); $queue->end; my @t = map { threads->create(sub { while (defined(my $n = $queue->dequeue)) { lock $total; $$total += $n } }) } 1 .. 4; $_->join for @t; print "threads $$total\n" } else { print "threads 5050\n" }
print sha256_hex('a') =~ /^ca978112/ ? 'sha' : '', ' ', encode_base64('a', ''), ' ', Math::BigInt->new(2)->bpow(100), ' ', strftime('%F %Z', gmtime 0), ' ', hostname, ' ', cwd, ' ', scalar getpwuid($<), ' ', $0 =~ /\.pl$/ ? 'named' : $0, "\n";
my %deep = (a => [1, {b => 2}]); my $copy = dclone \%deep; $copy->{a}[1]{b} = 3; my $big = 'x' x (64 << 20); print "$deep{a}[1]{b}$copy->{a}[1]{b} ", join('', sort { $b <=> $a } map { $_ * 2 } grep { $_ % 2 } 1 .. 5), ' ', length $big, ' ', "2024-03-01" =~ /(?<y>\d+)/ ? $+{y} : '', "\n";
eval { die { code => 7 } }; print $@->{code}, ' ', scalar <STDIN>;
END { print "end\n" }
""", """WORDS
3
1,4,9,16
PIPED
quoted
4
alarm
caught
reaped
28
locked
12
over a socket
threads 5050
sha YQ== 1267650600228229401496703205376 1970-01-01 UTC cage /work guest named
23 1062 67108864 2024
7 what it reads
end
""")

SCRIPTS["sqlite3"] = ("sh", "sqlite3", r"""
set -e
sqlite3 /work/a.db "pragma journal_mode=wal; create table t(n integer, who text); create index i on t(n);"
add() { i=0; while [ $i -lt 25 ]; do sqlite3 -cmd ".timeout 20000" /work/a.db "begin immediate; insert into t select coalesce(max(n), 0) + 1, '$1' from t; commit;"; i=$((i + 1)); done; }
add one & add two & wait
sqlite3 /work/a.db "select count(*), max(n), count(distinct n), count(distinct who) from t"
# one holds the lock, the other is told so
(printf 'begin exclusive;\n.shell touch /work/held; while [ ! -e /work/tried ]; do sleep 0.01; done\ncommit;\n' | sqlite3 /work/b.db) &
while [ ! -e /work/held ]; do sleep 0.01; done
sqlite3 /work/b.db "create table t(a)" 2>&1 | grep -o 'database is locked'; touch /work/tried; wait
sqlite3 /work/c.db <<'SQL'
pragma page_size=4096; pragma mmap_size=268435456; pragma synchronous=full; pragma temp_store=file;
create table t(a integer primary key, b text); with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) insert into t select i, 'row ' || i from n;
create virtual table f using fts5(b); insert into f select b from t limit 100; select count(*) from f where f match 'row'; select json_extract('{"a":[1,2]}', '$.a[1]');
select count(*), sum(length(b)) from t; select b from t order by b desc limit 1; vacuum; pragma integrity_check; delete from t where a > 10;
.backup /work/d.db
SQL
sqlite3 /work/d.db 'select group_concat(a) from t'; sqlite3 :memory: 'select sum(value) from generate_series(1, 100)'; ls /work/a.db*
""", """wal
50|50|50|2
database is locked
268435456
100
2
20000|168894
row 9999
ok
1,2,3,4,5,6,7,8,9,10
5050
/work/a.db
""")

SCRIPTS["tools"] = ("sh", "gzip xz-utils bzip2 tar mawk sed diffutils findutils coreutils", r"""
set -e
awk 'BEGIN { for (i = 0; i < 100000; i++) print (i * 7919) % 100000, "line" }' >numbers
sort -n -S 64K -T /tmp numbers | awk 'NR > 1 && $1 != last + 1 { bad++ } { last = $1 } END { print NR, bad + 0 }'
sort -R numbers | sort -n --parallel=2 | tail -n 1; LC_ALL=C sort -u -k2 numbers | wc -l
sed -n '1,3s/line/LINE/p' numbers; sed -i.old '1d;$d' numbers; wc -l <numbers; diff -q numbers numbers.old >/dev/null || echo differ
mkdir -p tree/a/b; printf x >tree/a/b/f; ln -s b tree/a/link; ln tree/a/b/f tree/hard; chmod 750 tree/a; mkfifo tree/pipe
tar czf a.tgz tree; tar cJf a.txz tree; tar cjf a.tbz tree; mkdir out; for file in a.t?z; do tar xf $file -C out; done; stat -c '%a %F %h' out/tree/a out/tree/hard out/tree/pipe out/tree/a/link
for tool in gzip bzip2 xz; do $tool -c numbers.old | $tool -dc | cmp - numbers.old && echo $tool; done; xz -T2 -c numbers.old | xz -T0 -dc | sha256sum | cut -c 1-8 >sum; sha256sum numbers.old | cut -c 1-8 | cmp - sum
find tree -type f -size -2 -o -type l | sort | xargs -n 1 -P 4 echo | wc -l; cp -a tree copy; cp --sparse=always --reflink=auto numbers big; mv big tree/; rm -rf tree copy
seq 10 | split -l 3 - part.; echo part.*; comm -12 part.aa part.aa | paste -sd+; seq 3 | tee one two >three; join one two | wc -l; shuf -i 1-9 -n 9 | sort | tr -d '\n'; echo
dd if=/dev/zero of=zeros bs=1M count=8 conv=fsync 2>/dev/null; truncate -s 16M zeros; du -k --apparent-size zeros | cut -f 1; head -c 8 /dev/urandom | od -An -tx1 | wc -w; install -m 600 one /tmp/one; stat -c %a /tmp/one
date -u -d @0 +%F; TZ=Europe/Berlin date -d @1720000000 +%H; id -un; uname -n; whoami; pwd; nice -n 5 nproc >/dev/null; env -i PATH=/usr/bin printenv PATH; echo 'a b' | xargs printf '%s-%s\n'; yes | head -n 100000 | wc -l
timeout -s KILL 0.05 sleep 9 2>/dev/null || echo $?
""", """100000 0
99999 line
1
0 LINE
7919 LINE
15838 LINE
99998
differ
750 directory 3
644 regular file 2
644 fifo 1
777 symbolic link 1
gzip
bzip2
xz
3
part.aa part.ab part.ac part.ad
1+2+3
3
123456789
16384
8
600
1970-01-01
11
guest
cage
guest
/work
/usr/bin
a-b
100000
137
""")


def run_script(hood, name, **more):
    extension, packages, source, text = SCRIPTS[name]
    for package in packages.split():
        tool = {"xz-utils": "xz", "mawk": "awk", "diffutils": "diff", "findutils": "find", "coreutils": "sort"}.get(package, package)
        need_tool(tool, package)
    return unharmed(hood, hood.program(source, extension), text, **more)


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts(anyone, name):
    run_script(anyone, name, stdin=b"what it reads\n")


OTHERS = {}

OTHERS["git"] = ("git", "git", r"""
set -e
git config --global user.name Guest; git config --global user.email guest@cage; git init -q -b main project; cd project
echo one >a; git add .; git commit -q -m first; git checkout -q -b side; echo two >b; git add b; git commit -q -m second; git checkout -q main
echo three >c; git add c; git commit -q -m third; git merge -q --no-edit side; git log --format=%s --topo-order | sort; git tag -a v1 -m tagged
git clone -q . ../other; cd ../other; echo more >>a; git commit -q -a -m fourth; git push -q origin HEAD:back; git gc -q; git fsck 2>&1; git rebase -q origin/side; git stash list; git diff --stat HEAD~1 | tail -n 1
cd ../project; git rev-list --count back; git archive --format=tar HEAD | tar tf - | paste -sd,; git grep -c three; git status --porcelain | wc -l
""", "Merge branch 'side'\nfirst\nsecond\nthird\n 1 file changed, 1 insertion(+)\n5\na,b,c\nc:1\n0\n")

OTHERS["lua"] = ("lua5.4", "lua5.4", r"""
exec lua5.4 - word <<'LUA'
local made = coroutine.wrap(function() for n = 1, 3 do coroutine.yield(n * n) end end)
print(made(), made(), made(), 2^53 | 0, ("x"):rep(64 << 20):len(), arg[1])
local pipe = io.popen("echo piped"); print(pipe:read("l"), pipe:close()); print(os.execute("exit 3"))
local name = os.tmpname(); local file = io.open(name, "w"); file:write("text"); file:close(); for line in io.lines(name) do print(line) end os.remove(name)
print(pcall(error, {code = 7}), select("#", table.unpack({1, 2, 3})), os.date("!%F", 0), collectgarbage("count") > 0)
print(pcall(function() local function deep() return 1 + deep() end return deep() end) == false)
LUA
""", "1\t4\t9\t9007199254740992\t67108864\tword\npiped\ttrue\texit\t0\nnil\texit\t3\ntext\nfalse\t3\t1970-01-01\ttrue\ntrue\n")

OTHERS["ruby"] = ("ruby", "ruby", r"""
exec ruby - <<'RUBY'
require 'digest'; require 'etc'; require 'json'; require 'open3'; require 'set'; require 'socket'; require 'stringio'; require 'tempfile'; require 'timeout'; require 'zlib'; require 'fileutils'
queue, lock, total = Queue.new, Mutex.new, 0; threads = 4.times.map { Thread.new { while (n = queue.pop) != :end do lock.synchronize { total += n } end } }
1.upto(100) { |n| queue << n }; 4.times { queue << :end }; threads.each(&:join); puts total
read, write = IO.pipe; pid = fork { read.close; write.puts 'from a child'; exit! 3 }; write.close; puts read.read; Process.wait pid; puts $?.exitstatus
out, err, status = Open3.capture3('tr a-z A-Z; echo err >&2; exit 4', stdin_data: 'words'); p out, err, status.exitstatus, `echo quoted`, system('true')
puts Ractor.new { 6 * 7 }.take if false; puts Fiber.new { Fiber.yield 1; 2 }.then { |f| [f.resume, f.resume] }.inspect
begin; Timeout.timeout(0.02) { sleep 9 }; rescue Timeout::Error; puts 'timeout'; end
trap('USR1') { puts 'caught' }; Process.kill('USR1', $$); sleep 0.01
UNIXServer.open('/tmp/s') { |server| client = Thread.new { UNIXSocket.open('/tmp/s') { |s| s.puts 'over a socket' } }; puts server.accept.gets; client.join }
Tempfile.create { |f| f.write 'text'; f.flush; f.flock(File::LOCK_EX); puts File.size(f.path) }; FileUtils.mkdir_p('/work/a/b'); FileUtils.rm_r('/work/a')
puts Digest::SHA256.hexdigest('a')[0, 8], JSON.generate({a: [1, nil]}), 2**100, Zlib::Inflate.inflate(Zlib::Deflate.deflate('a' * 9999)).size, ('x' * (64 << 20)).size, Etc.getpwuid.name, Socket.gethostname, Time.at(0).utc.year, (Etc.nprocessors >= 1)
def deep(n) = 1 + deep(n + 1)
begin; deep 0; rescue SystemStackError; puts 'deep'; end
GC.start; at_exit { puts 'end' }
RUBY
""", """5050
from a child
3
"WORDS"
"err\\n"
4
"quoted\\n"
true
[1, 2]
timeout
caught
over a socket
4
ca978112
{"a":[1,null]}
1267650600228229401496703205376
9999
67108864
guest
cage
1970
true
deep
end
""")

OTHERS["php"] = ("php", "php-cli", r"""
exec php -- word <<'PHP'
<?php
$pipes = []; $child = proc_open(['tr', 'a-z', 'A-Z'], [['pipe', 'r'], ['pipe', 'w']], $pipes); fwrite($pipes[0], 'words'); fclose($pipes[0]); echo stream_get_contents($pipes[1]), ' ', proc_close($child), "\n";
echo trim(`echo quoted`), ' ', exec('exit 4', $lines, $status), $status, "\n"; [$near, $far] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0); fwrite($near, "paired\n"); echo fgets($far);
$name = tempnam('/tmp', 's'); file_put_contents($name, 'text', LOCK_EX); echo file_get_contents($name), filesize($name), "\n"; unlink($name); mkdir('/work/a/b', 0750, true); echo decoct(fileperms('/work/a/b') & 0777), "\n";
function squares() { foreach (range(1, 3) as $n) yield $n * $n; } echo implode(',', iterator_to_array(squares())), ' ', json_encode(['a' => [1, null]]), ' ', hash('sha256', 'a') === hash('sha256', "a"), ' ', strlen(random_bytes(8)), ' ', strlen(str_repeat('x', 64 << 20)), "\n";
try { intdiv(1, 0); } catch (DivisionByZeroError $why) { echo $why->getMessage(), "\n"; } echo date('Y-m-d', 0), ' ', gethostname(), ' ', getcwd(), ' ', $argv[1] ?? 'none', "\n"; register_shutdown_function(fn() => print("end\n"));
PHP
""", """WORDS 0
quoted 4
paired
text4
750
1,4,9 {"a":[1,null]} 1 8 67108864
Division by zero
1970-01-01 cage /work word
end
""")


# ---------------------------------------------------------------- whose settings are not below /usr

OTHERS["r"] = ("Rscript", "r-base-core", r"""
cat >a.R <<'END'
cat(sd(c(1, 2, 3)), "\n"); pdf("x.pdf"); plot(1:3); invisible(dev.off()); cat(file.size("x.pdf") > 500, nchar(Sys.getenv("R_LIBS_SITE")) > 0, "\n")
END
exec Rscript a.R
""", "1 \nTRUE TRUE \n")

OTHERS["php-settings"] = ("php", "php-cli", r"""
exec php -r 'echo dirname(php_ini_loaded_file(), 2) == "/etc/php/" . PHP_MAJOR_VERSION . "." . PHP_MINOR_VERSION, extension_loaded("tokenizer"), "\n";'
""", "11\n")

OTHERS["mono"] = ("mcs", "mono-mcs", r"""
cat >A.cs <<'END'
using System; using System.Linq; using System.Threading;
class A { static void Main() { var t = new Thread(() => Console.WriteLine("thread")); t.Start(); t.Join(); Console.WriteLine(Enumerable.Range(1, 10).Sum()); } }
END
mcs A.cs && exec mono A.exe
""", "thread\n55\n")

OTHERS["pascal"] = ("fpc", "fp-compiler", r"""
echo "program a; uses sysutils; begin writeln('pascal ', IntToStr(42)); end." >a.pas
fpc -v0 a.pas >said 2>&1 && exec ./a
""", "pascal 42\n")

OTHERS["octave"] = ("octave-cli", "octave", r"""
mkdir -p .local/share
exec octave-cli --no-gui --eval 'disp(sum(magic(4)(:))); printf("%g\n", trapz([0 1], [0 1]));'
""", "136\n0.5\n")

OTHERS["fontconfig"] = ("fc-match", "fontconfig fonts-dejavu-core", r"""
fc-list : family | grep -c 'DejaVu Sans$'; fc-match -f '%{family}\n' monospace | grep -c .
""", "1\n1\n")

OTHERS["services"] = ("perl", "perl netbase", r"""
[ -e /etc/services ] || { echo tcp 443; exit; }
exec perl -e 'my @s = getservbyname("https", "tcp"); print scalar(getprotobyname("tcp") == 6 ? "tcp" : "none"), " $s[2]\n"'
""", "tcp 443\n")


def need_module(name, package):
    found = subprocess.run(["/usr/bin/python3", "-c", "import " + name], capture_output=True)
    need(found.returncode == 0, "Debian's Python has no %s (apt-get install %s)" % (name, package))


def test_matplotlib_draws(anyone):
    need_module("matplotlib", "python3-matplotlib")
    source = """
import matplotlib, os
matplotlib.use('Agg')
import matplotlib.pyplot as plt
plt.plot([1, 2, 3]); plt.title('drawn'); plt.savefig('a.png'); print(os.path.getsize('a.png') > 1000, matplotlib.matplotlib_fname())
"""
    unharmed(anyone, anyone.program(source, "py"), "True /etc/matplotlibrc\n")


def test_settings_are_shown_to_read_and_named_in_the_receipt(anyone):
    """Each is there, its flags are as the receipt says, and nothing of it can be written, not even where the starter could."""
    run = anyone.python("""
import os, sys
for line in sys.stdin.read().split():
    flags = os.statvfs(line).f_flag
    wanted = os.ST_RDONLY | os.ST_NOSUID | os.ST_NODEV | os.ST_NOEXEC
    try: os.open(line + '/x' if os.path.isdir(line) else line, os.O_WRONLY | os.O_CREAT); print(line, 'was opened')
    except OSError: pass
    if flags & wanted != wanted or not os.access(line, os.R_OK): print(line, flags)
print(sorted(os.listdir('/etc')))
""", options=["--policy", "if-available"], stdin=b"\n".join(path.encode() for path in shown(anyone)))
    listed = eval(run.text)
    named = {row["at"] for row in run.receipt["mounts"] if row["kind"] == "host-settings"}
    assert {path.replace(part, "*") if (part := path.split("/")[3:4] and path.startswith("/etc/php/") and path.split("/")[3]) else path
            for path in shown(anyone)} == named, named
    own = {"alternatives", "group", "hosts", "java", "ld.so.cache", "nsswitch.conf", "passwd"}
    assert {name for name in listed if not name.startswith("java-")} - own <= {path.split("/")[2] for path in named}, listed


def shown(hood):
    """Those that this machine has, as `policy explain` says."""
    words = hood.call("policy", "explain").text.split("host-settings")
    return sorted({part.split()[-1] for part in words[:-1]})


def test_settings_that_are_not_for_everybody_are_not_shown(hood):
    """A row of the list that this machine lacks is put there: for root alone, as a link out, as a socket, as a FIFO."""
    need(is_root(), "not root: nothing can be put into /etc")
    place = next((path for path in ("/etc/yorick", "/etc/povray", "/etc/jython") if not os.path.lexists(path)), None)
    need(place, "this machine has all of the settings that could be staged")
    secret = hood.file("secret", "the secret", mode=0o644)
    kinds = {
        "private": lambda: (os.mkdir(place), open(place + "/a", "w").write("x"), os.chmod(place, 0o700)),
        "file": lambda: (open(place, "w").write("x"), os.chmod(place, 0o640)),
        "link": lambda: os.symlink(secret, place),
        "folder link": lambda: os.symlink("/root", place),
        "secret link": lambda: os.symlink("/etc/shadow", place),
        "fifo": lambda: os.mkfifo(place, 0o666),
        "socket": lambda: socket.socket(socket.AF_UNIX).bind(place),
        "device": lambda: os.mknod(place, 0o666 | stat.S_IFCHR, os.makedev(1, 3)),
    }
    program = hood.program("import os\nprint(os.path.lexists(%r))\n" % place, "py")
    for kind, make in kinds.items():
        try:
            make()
            run = hood.run(program)
            assert run.text == "False\n", (kind, run)
            assert place not in {row["at"] for row in run.receipt["mounts"]}, kind
        finally:
            shutil.rmtree(place) if os.path.isdir(place) and not os.path.islink(place) else os.unlink(place)
    try:
        os.mkdir(place, 0o755)
        run = hood.run(program)
        assert run.text == "True\n" and place in {row["at"] for row in run.receipt["mounts"]}, run
    finally:
        os.rmdir(place)


def test_settings_behind_a_closed_folder_are_not_shown(hood):
    """The file is for everybody; the way to it is not, or is a link to elsewhere."""
    need(is_root(), "not root: nothing can be put into /etc")
    rows = ("/etc/dictionaries-common/words", "/etc/perl/XML", "/etc/maven/m2.conf")
    place = next((path for path in rows if not os.path.lexists(os.path.dirname(path))), None)
    need(place, "this machine has all of the folders that could be staged")
    folder = os.path.dirname(place)
    program = hood.program("import os\nprint(os.path.lexists(%r))\n" % place, "py")
    elsewhere = hood.file("elsewhere/" + os.path.basename(place), "x").parent
    os.mkdir(folder, 0o755)
    try:
        with open(place, "w") as file:
            file.write("x")
        assert hood.run(program).text == "True\n"
        os.chmod(folder, 0o700)
        assert hood.run(program).text == "False\n"
    finally:
        shutil.rmtree(folder)
    os.symlink(elsewhere, folder)
    try:
        assert os.path.exists(place) and hood.run(program).text == "False\n"
    finally:
        os.unlink(folder)


@pytest.mark.parametrize("descriptors", [28, 32, 48])
def test_few_descriptors_hide_no_settings(hood, descriptors):
    """They are held for a while, all at once where there is room: else in turns."""
    words = hood.command("run", "--limit", "open_files=16", "--", "cat", "/proc/self/mountinfo")
    shells = [[], ["/bin/sh", "-c", 'ulimit -n %d; exec "$0" "$@"' % descriptors]]
    seen = [subprocess.run(shell + words, capture_output=True, text=True).stdout.splitlines() for shell in shells]
    many, few = ({line.split()[4] for line in lines} for lines in seen)
    assert "/usr" in many and few == many, (few, many)


# ---------------------------------------------------------------- what /proc shows

PROC = """
import os
def text(path):
    try: return open(path, 'rb').read(64)
    except OSError: return b''
def has(path): return bool(os.listdir(path)) if os.path.isdir(path) else bool(text(path))
print(sorted(name for name in os.listdir('/proc') if not name.isdigit() and has('/proc/' + name)))
print(text('/proc/self/comm') != b'', [path for path in ('sys/kernel/hostname', 'kcore', 'cmdline', 'kallsyms', 'config.gz') if text('/proc/' + path)])
try: print(bool(os.open('/proc/sysrq-trigger', os.O_WRONLY)) and os.stat('/proc/sysrq-trigger').st_rdev == os.stat('/dev/null').st_rdev)
except OSError: print(True)
"""
PROC_OWN = "['mounts', 'net', 'self', 'thread-self']"
PROC_MACHINE = ("['cpuinfo', 'filesystems', 'loadavg', 'meminfo', 'mounts', 'net', 'self', 'stat', 'thread-self', 'uptime', "
                "'version', 'vmstat']")


@pytest.mark.parametrize("cage", ["fresh", "slot", "zygote"])
def test_proc_shows_the_machine_by_policy_alone(anyone, cage):
    """Its list and nothing else, whatever this kernel has; and the receipt says what is given up."""
    program = anyone.program(PROC, "py")
    softly = ["--if-available"] if anyone.prefix else []
    own = anyone.run(program, options=["--cage", cage, *softly])
    assert own.text.splitlines()[1:] == ["True []", "True"] and "stat'" not in own.text, own
    assert "proc_masked" in own.receipt["protections"]["achieved"]
    run = anyone.run(program, options=["--cage", cage, "--policy", anyone.file("p.yaml", "proc: machine\n"), *softly])
    assert run.text == PROC_MACHINE + "\nTrue []\nTrue\n", run
    protections = run.receipt["protections"]
    assert "proc_masked" in protections["missing"] and "proc_masked" not in protections["achieved"], protections
    assert [row["mode"] for row in run.receipt["mounts"] if row["at"] == "/proc"][0].startswith("own processes, processors"), run


MONITORS = {
    "psutil": ("py", "psutil", "python3-psutil", "import psutil\nprint(psutil.Process().create_time() > 0, psutil.virtual_memory().total > 0)\n", "True True\n"),
    "joblib": ("py", "joblib", "python3-joblib", "import math\nfrom joblib import Parallel, delayed\n"
               "print(sum(Parallel(n_jobs=2)(delayed(math.factorial)(n) for n in range(5))))\n", "34\n"),
    "sklearn": ("py", "sklearn", "python3-sklearn", "from sklearn.ensemble import RandomForestClassifier as Forest\n"
                "from sklearn.datasets import make_classification\nx, y = make_classification(100, random_state=0)\n"
                "print(Forest(5, n_jobs=2, random_state=0).fit(x, y).score(x, y) > 0.9)\n", "True\n"),
    "node": ("js", None, "nodejs", "const os = require('os'); console.log(os.cpus().length > 0, os.freemem() > 0, os.loadavg().length)\n", "true true 3\n"),
}


@pytest.mark.parametrize("name", MONITORS)
def test_who_looks_at_the_machine(anyone, name):
    extension, module, package, source, text = MONITORS[name]
    need_module(module, package) if module else need_tool(name, package)
    softly = ["--if-available"] if anyone.prefix else []
    run = anyone.run(anyone.program(source, extension), options=["--limit", "wall_ms=60s", "--policy", anyone.file("p.yaml", "proc: machine\n"), *softly])
    assert (run.status, run.text) == (0, text), run


def test_a_slot_does_not_mix_what_proc_shows(hood, open_folder):
    """One policy after the other in one process: the library keeps its slots, and none shows what another's policy wants."""
    task = hood.file("t.jsonl", json.dumps({"id": "t", "prompt": "", "stdin": "", "expect": "False\n"}))
    answer = hood.file("c.jsonl", json.dumps({"task_id": "t", "solution": "import os\nprint(os.path.exists('/proc/stat'))\n"}))
    words = ["eval", task, "--candidates", answer, "--jobs", "1", "--out"]
    assert hood.call(*words, hood.folder / "own").status == 0
    assert hood.call(*words, hood.folder / "machine", "--policy", hood.file("p.yaml", "proc: machine\n")).status == 1


# ---------------------------------------------------------------- terminals

TERMINALS = r"""
import errno, fcntl, os, pty, struct, termios
wait, go = os.pipe()
pid, ours = pty.fork()
if pid == 0: os.read(wait, 1); os.execvp("sh", ["sh", "-c", "tty; stty size; echo $TERM; read x; echo got $x; test -t 0 && echo ours"])
fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
os.write(ours, b"hello\n")
os.write(go, b"g")
said = b""
while True:
    try: piece = os.read(ours, 1000)
    except OSError: break
    said += piece
print(sorted(said.split()), os.waitpid(pid, 0)[1]); os.close(ours) # when an echo comes is chance
ends = []
try:
    while len(ends) < 99: ends.append(os.openpty())
except OSError as why: print(len(ends), why.errno == errno.ENOSPC)
termios.tcsetattr(ends[0][1], termios.TCSANOW, termios.tcgetattr(ends[0][1])); print(os.ttyname(ends[3][1]), os.isatty(ends[3][1]))
"""
TERMINALS_TEXT = ("[b'/dev/pts/0', b'24', b'80', b'dumb', b'got', b'hello', b'hello', b'ours'] 0\n16 True\n/dev/pts/3 True\n")


@pytest.mark.parametrize("cage", ["fresh", "slot", "zygote"])
def test_terminals_of_its_own(anyone, cage):
    """A few, gone with the run: the next one in the same slot has as many."""
    unharmed(anyone, anyone.program(TERMINALS, "py"), TERMINALS_TEXT, options=["--cage", cage])


def test_a_slot_gives_all_terminals_again(hood, open_folder):
    tasks = hood.file("t.jsonl", "".join(json.dumps({"id": "t%d" % n, "prompt": "", "stdin": "", "expect": TERMINALS_TEXT}) + "\n" for n in range(6)))
    answers = hood.file("c.jsonl", "".join(json.dumps({"task_id": "t%d" % n, "solution": TERMINALS}) + "\n" for n in range(6)))
    run = hood.call("eval", tasks, "--candidates", answers, "--out", hood.folder / "out", "--jobs", "1")
    assert run.status == 0, run


def test_tools_that_want_a_terminal(anyone):
    need_tool("script", "bsdutils")
    unharmed(anyone, anyone.program("""
script -qec 'tty; echo said' /dev/null </dev/null | tr -d '\\r'
python3 -c 'import pty; print(pty.spawn(["sh", "-c", "test -t 1 && tty"]))' </dev/null | tr -d '\\r'
""", "sh"), "/dev/pts/0\nsaid\n/dev/pts/0\n0\n")


def test_pexpect(anyone):
    need_module("pexpect", "python3-pexpect")
    unharmed(anyone, anyone.program("""
import pexpect
child = pexpect.spawn('/usr/bin/python3', ['-i', '-q']); child.expect('>>> '); child.sendline('6 * 7'); child.expect('42')
child.sendline('exit()'); child.expect(pexpect.EOF); child.close(); print(child.exitstatus)
""", "py"), "0\n")


@pytest.mark.parametrize("name", OTHERS)
def test_others(anyone, name):
    tool, package, source, text = OTHERS[name]
    need_tool(tool, package)
    unharmed(anyone, anyone.program(source, "sh"), text)


def test_processors_are_those_of_fumehood(hood):
    """A program sees as many as fumehood itself may use, whatever time each second its policy gives it there."""
    need(shutil.which("taskset"), "taskset is not installed (apt-get install util-linux)")
    hood.prefix = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
    run = hood.python("import os, multiprocessing\nprint(os.cpu_count(), multiprocessing.cpu_count(), len(os.sched_getaffinity(0)))")
    assert (run.status, run.text) == (0, "1 1 1\n"), run
