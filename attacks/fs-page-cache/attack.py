# Empties the cache of a file that it can only read, and asks whether a page of it is there without having it
# fetched. A program can so watch which files of the toolchains others read. That is a side channel, which the
# documents name as not protected from; reading by the clock alone would show the same, only slower.
import os
import sys

RWF_NOWAIT = 8


def is_cached(fd):
    try:
        return os.preadv(fd, [bytearray(4096)], 0, RWF_NOWAIT) > 0
    except BlockingIOError:
        return False
    except OSError as why:
        print("cannot ask:", why.strerror)
        return True


def large_files():
    for top in ("/usr/share/doc", "/usr/share/perl", "/usr/share", "/usr/lib/python3"):
        for where, folders, files in os.walk(top):
            for name in files:
                path = os.path.join(where, name)
                if os.path.isfile(path) and not os.path.islink(path) and os.path.getsize(path) > 16384:
                    yield path
            del folders[20:]


for number, path in enumerate(large_files()):
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        continue
    os.pread(fd, 4096, 0)
    there = is_cached(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    gone = not is_cached(fd)
    os.close(fd)
    if there and gone:
        print("the cache of one file was emptied: reached")
        sys.exit(10)
    if number > 20:
        break
if os.environ.get("DRILL_CONTROL"):
    print("files below /usr are not in a cache that can be emptied")
    sys.exit(77)
sys.exit(0)
