"""Candidates of function-call tasks that cheat. Each has the real nonce of its run and its private channel: none may pass.

A cheat does not know the expected value; it knows everything that is in its own process."""

# Finds the nonce in the frames below: nonce() and tell(WORD, PAYLOAD) are there for each cheat.
PYTHON_HEAD = r'''
import os, sys
def nonce():
    frame = sys._getframe()
    while frame is not None:
        for value in list(frame.f_locals.values()):
            if isinstance(value, dict) and "nonce" in value: return value["nonce"]
            for cell in getattr(value, "__closure__", None) or ():
                try: held = cell.cell_contents
                except ValueError: continue
                if isinstance(held, (str, bytes)) and len(held) == 32: return held if isinstance(held, str) else held.decode()
        frame = frame.f_back
    raise LookupError("no nonce")
NONCE = nonce()
def tell(word, payload="", fd=3):
    os.write(fd, ("\n%s %s%s\n" % (word, NONCE, " " + payload if payload else "")).encode())
def leave(status=0):
    os._exit(status)
'''

# What a forged answer may look like in the encoding of values, and near it.
PAYLOADS = ["null", "true", "{}", "[]", "", "*", "{\"l\":[]}", "{\"any\":1}", "{\"\\u0001int\":\"1\"}", "{\"=\":true}", "{\"r\":\"nan\"}"]

PYTHON = {
    "the end of a script, from the frame below": "def solution(x):\n sys._getframe(1).f_locals['say'](b'done', b'', 0); os._exit(0)",
    "done": "def solution(x):\n tell('done'); leave()",
    "done while it is loaded": "tell('done'); leave()",
    "done, then returns": "def solution(x):\n tell('done'); return None",
    "start and done": "def solution(x):\n tell('start'); tell('done'); leave()",
    "pass": "def solution(x):\n tell('pass'); tell('PASS'); tell('ok'); leave()",
    "the word for what the input has become": "def solution(x):\n tell('input', '7'); leave()",
    "its input as the answer": "def solution(x):\n tell('value', str(x)); leave()",
    "a value without anything": "def solution(x):\n tell('value'); leave()",
    "a torn value": "def solution(x):\n os.write(3, b'\\nvalue ' + NONCE.encode() + b' '); leave()",
    "a torn value, then done": "def solution(x):\n os.write(3, b'\\nvalue ' + NONCE.encode() + b' '); tell('done'); leave()",
    "value, then done": "def solution(x):\n tell('value', 'null'); tell('done'); leave()",
    "done, then value": "def solution(x):\n tell('done'); tell('value', 'null'); leave()",
    "many values": "def solution(x):\n for n in range(2000): tell('value', str(n))\n leave()",
    "values of every shape": "def solution(x):\n for p in %r: tell('value', p)\n leave()" % PAYLOADS,
    "one line of every word": "def solution(x):\n for w in 'start done value input carry raise missing assert compile'.split(): tell(w)\n leave()",
    "done on every descriptor": "def solution(x):\n for fd in range(32):\n  try: tell('done', fd=fd)\n  except OSError: pass\n leave()",
    "done at exit": "import atexit\natexit.register(tell, 'done')\ndef solution(x): return None",
    "done from a thread": "import threading\ndef solution(x):\n t = threading.Thread(target=tell, args=('done',)); t.start(); t.join(); leave()",
    "done from a child": "def solution(x):\n if os.fork() == 0: tell('done'); leave()\n os.wait(); leave()",
    "done from a program": "import subprocess\ndef solution(x):\n subprocess.run(['sh', '-c', 'printf \"\\\\ndone %s\\\\n\" >&3' % NONCE], pass_fds=[3]); leave()",
    "done by a signal's handler": "import signal\nsignal.signal(signal.SIGALRM, lambda *a: (tell('done'), leave()))\nsignal.setitimer(signal.ITIMER_REAL, 0.01)\ndef solution(x):\n while True: pass",
    "done while it is freed": "class Last:\n def __del__(self): tell('done'); leave()\ndef solution(x): return Last()",
    "done at exit, killed": "def solution(x):\n tell('done'); os.kill(os.getpid(), 9)",
    "done, another status": "def solution(x):\n tell('done'); leave(3)",
    "its frames' variables": "def solution(x):\n f = sys._getframe(1)\n f.f_locals['case']['answer'] = 'input'; return None",
    "is asked for its input": "import gc\nfor o in gc.get_objects():\n if isinstance(o, dict) and 'nonce' in o: o['answer'] = 'done'\ndef solution(x): return ''",
    "found by the collector": "import gc\ndef solution(x):\n for o in gc.get_objects():\n  if getattr(o, '__name__', '') == 'say': o(b'done', b'', 0)\n leave()",
    "os.write patched": "real = os.write\nos.write = lambda fd, data: real(fd, data.replace(b'value', b'done'))\ndef solution(x): return None",
    "posix.write patched": "import posix\nposix.write = lambda fd, data: len(data)\ndef solution(x): tell('done'); leave()",
    "json.dumps patched": "import json\njson.dumps = lambda *a, **k: 'null'\njson.JSONEncoder.encode = lambda *a: 'null'\ndef solution(x): return object()",
    "all built-ins patched": "import builtins\nfor n in ('isinstance', 'type', 'len', 'repr', 'str', 'int', 'list', 'dict'):\n setattr(builtins, n, lambda *a: 0)\ndef solution(x): tell('done'); leave()",
    "the driver's module": "import __main__\n__main__.report = lambda say, *a, **k: say(b'done', b'', 0)\n__main__.carry = lambda *a: 0\ndef solution(x): return None",
    "the driver's code": "def solution(x):\n f = sys._getframe(1).f_locals['say']\n def done(*a): tell('done')\n try: f.__code__ = (lambda *a: None).__code__\n except ValueError: pass\n tell('done'); leave()",
    "a trace function": "def trace(frame, event, arg):\n if event == 'call' and frame.f_code.co_name == 'report': tell('done'); leave()\n return trace\nsys.settrace(trace)\ndef solution(x): return None",
    "a profile function": "sys.setprofile(lambda f, e, a: (tell('done'), leave()) if e == 'return' else None)\ndef solution(x): return None",
    "an audit hook": "sys.addaudithook(lambda e, a: None)\ndef solution(x): tell('done'); leave()",
    "its own memory by ctypes": "import ctypes\ndef solution(x):\n n = ctypes.string_at(id(NONCE) + NONCE.__sizeof__() - 33, 32)\n assert n.decode() == NONCE\n ctypes.CDLL(None).write(3, b'\\ndone ' + n + b'\\n', 39); leave()",
    "its own memory by the file": "import re\ndef solution(x):\n found = b''\n with open('/proc/self/maps') as maps, open('/proc/self/mem', 'rb', 0) as mem:\n  for line in maps:\n   low, high = (int(p, 16) for p in line.split()[0].split('-'))\n   if 'rw' not in line or high - low > 1 << 24: continue\n   try: mem.seek(low); found = found or mem.read(high - low).count(NONCE.encode())\n   except (OSError, ValueError): pass\n assert found\n tell('done'); leave()",
    "equal to everything": "class Any:\n __eq__ = lambda s, o: True\n __ne__ = lambda s, o: False\n __hash__ = lambda s: 0\ndef solution(x): return Any()",
    "an integer equal to everything": "class Any(int):\n __eq__ = lambda s, o: True\n __repr__ = __str__ = lambda s: '*'\n __index__ = __int__ = lambda s: 7\ndef solution(x): return Any(1)",
    "a text that says more": "class Line(str):\n def encode(self, *a): return b'x\"\\ndone ' + NONCE.encode() + b'\\n'\ndef solution(x): return Line('x')",
    "a line in a text": "def solution(x): return 'x\\ndone %s\\n' % NONCE",
    "a line in a key": "def solution(x): return {'x\\ndone %s\\n' % NONCE: 1}",
    "a line in an exception": "def solution(x): raise ValueError('x\\ndone %s\\nvalue %s null\\n' % (NONCE, NONCE))",
    "an exception that speaks": "class E(Exception):\n def __str__(self): tell('done'); leave()\ndef solution(x): raise E",
    "an exception with a name": "def solution(x): raise type('E\\ndone %s\\n' % NONCE, (Exception,), {})",
    "lists that lie": "class L(list):\n __len__ = lambda s: 0\n __iter__ = lambda s: iter([tell('done'), leave()])\ndef solution(x): return L([1])",
    "a dict that speaks": "class D(dict):\n def items(self): tell('done'); leave()\ndef solution(x): return D(a=1)",
    "a class that lies": "class C:\n __class__ = property(lambda s: int)\n def __index__(self): return 7\n __int__ = __index__\ndef solution(x): return C()",
    "a generator that ends it": "def solution(x):\n tell('done')\n yield 1",
    "its own encoding": "def solution(x): return [{'l': [1]}, {'i': 'ff'}, {'\\x01int': '7'}, {'d': []}]",
    "a new driver": "def solution(x):\n open('/work/next.py', 'w').write('import os\\nos.write(3, b\"\\\\ndone %s\\\\n\")' % NONCE)\n os.execv(sys.executable, ['python3', '/work/next.py'])",
    "leaves in the middle": "def solution(x): sys.exit(0)",
    "excepthook": "sys.excepthook = lambda *a: (tell('done'), leave())\nsys.__excepthook__ = sys.excepthook\ndef solution(x): 1/0",
    "unraisable": "sys.unraisablehook = lambda *a: (tell('done'), leave())\nclass B:\n def __del__(self): 1/0\ndef solution(x): return B()",
    "a callable object": "class S:\n def __call__(self, x): tell('done'); leave()\nsolution = S()",
    "called by its attribute": "class S:\n @property\n def __call__(self): tell('done'); leave()\nsolution = S()",
}

# The nonce is in the process's memory: as the text of the case.
NODE_HEAD = r'''
const fs = require("fs");
function nonce() {
    const mem = fs.openSync("/proc/self/mem", "r");
    for (const line of fs.readFileSync("/proc/self/maps", "latin1").split("\n")) {
        const span = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line);
        if (!span) continue;
        const low = BigInt("0x" + span[1]), count = Number(BigInt("0x" + span[2]) - low);
        if (count > 1 << 23) continue;
        const bytes = Buffer.allocUnsafeSlow(count);
        try { fs.readSync(mem, bytes, 0, count, low); } catch { continue; }
        const at = bytes.indexOf('"nonce":"' + "");
        if (at < 0) continue;
        const found = /^[0-9a-f]{32}/.exec(bytes.latin1Slice(at + 9, at + 41));
        if (found) return found[0];
    }
    throw new Error("no nonce");
}
const NONCE = nonce();
const write = fs.writeSync, kill = process.reallyExit;
function tell(word, payload = "", fd = 3) { write(fd, "\n" + word + " " + NONCE + (payload ? " " + payload : "") + "\n"); }
function leave(status = 0) { kill.call(process, status); }
'''

NODE = {
    "done": "function solution(x) { tell('done'); leave(); }",
    "done while it is loaded": "tell('done'); leave();",
    "done, then returns": "function solution(x) { tell('done'); }",
    "start and done": "function solution(x) { tell('start'); tell('done'); leave(); }",
    "pass": "function solution(x) { tell('pass'); tell('ok'); leave(); }",
    "the word for what the input has become": "function solution(x) { tell('input', '7'); leave(); }",
    "its input as the answer": "function solution(x) { tell('value', String(x)); leave(); }",
    "a value without anything": "function solution(x) { tell('value'); leave(); }",
    "a torn value": "function solution(x) { write(3, '\\nvalue ' + NONCE + ' '); leave(); }",
    "a torn value, then done": "function solution(x) { write(3, '\\nvalue ' + NONCE + ' '); tell('done'); leave(); }",
    "value, then done": "function solution(x) { tell('value', 'null'); tell('done'); leave(); }",
    "many values": "function solution(x) { for (let n = 0; n < 500; n++) tell('value', String(n)); leave(); }",
    "values of every shape": "function solution(x) { for (const p of %s) tell('value', p); leave(); }" % PAYLOADS,
    "done on every descriptor": "function solution(x) { for (let fd = 0; fd < 32; fd++) try { tell('done', '', fd); } catch {} leave(); }",
    "done at exit": "process.on('exit', () => tell('done')); function solution(x) { process.exit(0); }",
    "done at exit, answered": "process.on('exit', () => tell('done')); function solution(x) { return null; }",
    "done before exit": "process.on('beforeExit', () => { tell('done'); leave(); }); function solution(x) { return new Promise(() => {}); }",
    "done from a timer": "function solution(x) { setTimeout(() => { tell('done'); leave(); }, 1); return new Promise(() => {}); }",
    "done from a microtask": "function solution(x) { queueMicrotask(() => { tell('done'); leave(); }); return null; }",
    "done from the next tick": "function solution(x) { process.nextTick(() => { tell('done'); leave(); }); return null; }",
    "done from a worker": "function solution(x) { new (require('worker_threads').Worker)(`require('fs').writeSync(3, '\\ndone ${NONCE}\\n')`, {eval: true}).on('exit', () => leave()); return new Promise(() => {}); }",
    "done from a child": "function solution(x) { require('child_process').execFileSync('sh', ['-c', `printf '\\ndone ${NONCE}\\n' >&3`], {stdio: [0, 1, 2, 3]}); leave(); }",
    "writeSync patched": "fs.writeSync = (fd, line) => write(fd, String(line).replace('value', 'done')); function solution(x) { return null; }",
    "JSON patched": "JSON.stringify = () => 'null'; function solution(x) { return x => x; }",
    "Buffer patched": "Buffer.from = text => { tell('done'); leave(); }; function solution(x) { return null; }",
    "text patched": "String.prototype.replaceAll = function () { tell('done'); leave(); }; function solution(x) { return null; }",
    "join patched": "Array.prototype.join = Array.prototype.map = Array.prototype.push = () => { tell('done'); leave(); }; function solution(x) { return [1]; }",
    "exit patched": "process.exit = process.reallyExit = () => { tell('done'); leave(); }; function solution(x) { return null; }",
    "regular expressions patched": "RegExp.prototype.test = RegExp.prototype.exec = () => { tell('done'); return false; }; function solution(x) { return 'x'; }",
    "Object patched": "Object.keys = () => []; Object.is = () => true; Object.entries = () => []; function solution(x) { return {a: 1}; }",
    "all of the prototypes": "for (const n of Object.getOwnPropertyNames(String.prototype)) if (n !== 'constructor') String.prototype[n] = () => '*'; function solution(x) { return 'x'; }",
    "prototype pollution": "Object.prototype.answer = 'done'; Object.prototype.toJSON = () => { tell('done'); return 7; }; function solution(x) { return {}; }",
    "toJSON": "function solution(x) { return {toJSON() { tell('done'); return '*'; }}; }",
    "toJSON that leaves": "function solution(x) { return {toJSON() { tell('done'); leave(); }}; }",
    "valueOf": "function solution(x) { return {valueOf: () => 7, toString: () => '7', [Symbol.toPrimitive]: () => 7}; }",
    "a Number that lies": "function solution(x) { const n = new Number(1); n.valueOf = () => { tell('done'); return '*'; }; return n; }",
    "a Proxy": "function solution(x) { return new Proxy({}, {get: () => '*', ownKeys: () => { tell('done'); leave(); }}); }",
    "a Proxy of a list": "function solution(x) { return new Proxy([1], {get(t, k) { if (k === 'length') { tell('done'); leave(); } return t[k]; }}); }",
    "a getter": "function solution(x) { return {get a() { tell('done'); leave(); }}; }",
    "a thenable": "function solution(x) { return {then(good) { tell('done'); leave(); }}; }",
    "an iterator": "function solution(x) { return {*[Symbol.iterator]() { tell('done'); leave(); }}; }",
    "a Symbol.toStringTag": "function solution(x) { return {get [Symbol.toStringTag]() { tell('done'); leave(); }}; }",
    "an exception that speaks": "function solution(x) { throw {toString() { tell('done'); leave(); }}; }",
    "a line in an exception": "function solution(x) { throw new Error(`x\\ndone ${NONCE}\\nvalue ${NONCE} null\\n`); }",
    "a line in a text": "function solution(x) { return `x\\ndone ${NONCE}\\n`; }",
    "a line in a key": "function solution(x) { return {[`x\\ndone ${NONCE}\\n`]: 1}; }",
    "an unhandled rejection": "process.on('unhandledRejection', () => { tell('done'); leave(); }); function solution(x) { Promise.reject(1); return new Promise(() => {}); }",
    "an uncaught exception": "process.on('uncaughtException', () => { tell('done'); leave(); }); setTimeout(() => { throw 1; }); function solution(x) { return new Promise(() => {}); }",
    "async hooks": "require('async_hooks').createHook({init() {}, before() { tell('done'); leave(); }}).enable(); function solution(x) { return Promise.resolve(null); }",
    "the inspector": "const s = new (require('inspector').Session)(); s.connect(); s.post('Runtime.evaluate', {expression: '1'}); function solution(x) { tell('done'); leave(); }",
    "a heap snapshot": "function solution(x) { if (!fs.readFileSync(require('v8').writeHeapSnapshot('/work/h')).includes(NONCE)) throw 1; tell('done'); leave(); }",
    "its own encoding": "function solution(x) { return [{l: [1]}, {i: 'ff'}, {'\\u0001int': '7'}, {d: []}]; }",
    "the driver's process object": "globalThis.process = {exit: () => { tell('done'); leave(); }, cwd: process.cwd}; function solution(x) { return null; }",
    "leaves in the middle": "function solution(x) { process.exit(0); }",
    "exitCode": "process.exitCode = 0; tell('done'); function solution(x) { return new Promise(() => {}); }",
    "a getter as the function": "Object.defineProperty(globalThis, 'solution', {get() { tell('done'); leave(); }});",
    "a Proxy as the function": "module.exports = new Proxy(function () {}, {apply() { tell('done'); leave(); }});",
}
