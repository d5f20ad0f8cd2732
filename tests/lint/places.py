"""places.py - what writes into folders goes through base/place.h

Nothing else opens a file to write, makes, renames, links or changes the rights of one. *_child.c run inside a cage or
between fork and exec, *_priv.c write to the kernel's own files; the build's own tools (folders make/) are not looked at.
"""
import re

from common import Faults, code_of, files, line_of, root

OWNER = "src/base/place.c"
# What has no folder of a user's to write into, and why.
EXCEPTIONS = {
    "src/drill/folder.c": "below the drill's own folder",
    "src/drill/scene_file.c": "stages what is to be attacked, below the drill's own folder",
    "src/drill/scene_ipc.c": "stages what is to be attacked, in memory",
    "src/drill/scene_process.c": "a terminal",
    "src/drill/scene_socket.c": "stages what is to be attacked, below the drill's own folder",
    "src/drill/supervisor.c": "below the drill's own folder",
    "src/front/cli/start.c": "stands in for standard streams",
    "src/warden/streams.c": "a descriptor that was given, opened anew",
    "src/zygote/pages.c": "its own memory",
}
CALL = re.compile(r"(?<![\w.>])(?:kernel_)?(open|openat|openat2|open64|creat|fopen|freopen|fdopen|rename|renameat|renameat2|mkdir|mkdirat|"
                  r"mkdtemp|mkstemp|mkostemp|mkstemps|mknod|mknodat|mkfifo|mkfifoat|link|linkat|symlink|symlinkat|unlink|rmdir|"
                  r"remove|truncate|chmod|fchmodat|chown|lchown|fchownat)\s*\(([^;{]*)")
# The call itself, by its number: what it is given is not looked at.
NUMBER = re.compile(r"\bSYS_(openat2?|open|creat|rename(?:at2?)?|mkdir(?:at)?|mknod(?:at)?|link(?:at)?|symlink(?:at)?|unlink(?:at)?|rmdir|"
                    r"truncate|chmod|fchmodat2?|l?chown|fchownat|io_uring_setup)\b")
OPENS = {"open", "openat", "openat2", "open64"}
STREAMS = {"fopen", "freopen", "fdopen"}
WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|O_TMPFILE|\bflags\b")
READS = re.compile(r'"r[be]*"')


def writes(name, arguments, text):
    """@arguments without the insides of literals, @text with them."""
    if name in OPENS:
        return WRITES.search(arguments)
    return not READS.search(text) if name in STREAMS else True


def main():
    top = root()
    faults = Faults(top)
    for path in files(top / "src", "*.c", "*.h"):
        name = str(path.relative_to(top))
        if "make" in path.relative_to(top).parts or name == OWNER or name in EXCEPTIONS:
            continue
        if path.name.endswith(("_child.c", "_priv.c")) or name == "src/cage/kernel.h":
            continue
        faults.looked_at += 1
        text = path.read_text()
        code = code_of(text)
        for match in CALL.finditer(code):
            if writes(match.group(1), match.group(2), text[match.start(2):match.end(2)]):
                faults.add(path, line_of(code, match.start()), f"{match.group(1)}: what writes into a folder goes through base/place.h")
        for match in NUMBER.finditer(code):
            faults.add(path, line_of(code, match.start()), f"{match.group(0)}: what writes into a folder goes through base/place.h")
    faults.end()


main()
