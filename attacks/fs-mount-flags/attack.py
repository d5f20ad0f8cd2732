# Reads its list of mounts and looks for one that is not restricted, or that is not among those a cage has. If it
# worked, a stranger's file system would lie in the cage, or one on which set-uid programs and devices take effect.
import os
import re
import sys

WRITABLE = {"/work", "/tmp", "/dev/shm", "/proc"}
DEVICES = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}
PLACES = WRITABLE | DEVICES | {"/", "/usr", "/etc/alternatives", "/etc/ld.so.cache", "/etc/java", "/scratch", "/bin", "/sbin", "/lib", "/lib64"}
NOEXEC = {"/dev/shm", "/proc", "/etc/java", "/dev/pts"} | DEVICES
# Those that any of src/cage/settings.def may name.
SETTINGS = re.compile("/etc/(ImageMagick-[67]|GNUstep|OpenCL|R|X11/rgb.txt|asciidoc|dictionaries-common/words|fonts|fpc.cfg|ghostscript|"
                      "gnucobol|groff|groovy|jython|locale.alias|matplotlibrc|maven/(logging|m2.conf)|mime.types|mono|nim|ocamlfind.conf|"
                      "octaverc|perl/XML|php/[^/]+/(cli|mods-available)|povray|protocols|racket|services|sgml|"
                      "ssl/(certs/(ca-certificates.crt|java)|openssl.cnf)|texmf|xml|yorick)|"
                      "/var/(cache/fontconfig|lib/(aspell|ghc|ghostscript|texmf))")
faults = []
lines = [line.split() for line in open("/proc/self/mountinfo")]
for fields in lines:
    at, flags = fields[4], set(fields[5].split(","))
    kind = fields[fields.index("-") + 1]
    if at not in PLACES and at != "/dev/pts" and not at.startswith("/usr/") and not SETTINGS.fullmatch(at):
        faults.append(f"{at} ({kind}) is mounted")
    if "nosuid" not in flags:
        faults.append(f"{at}: set-uid programs take effect")
    if "nodev" not in flags and at not in DEVICES and at != "/dev/pts":
        faults.append(f"{at}: devices take effect")
    if "ro" not in flags and at not in WRITABLE:
        faults.append(f"{at}: can be written")
    if (at in NOEXEC or SETTINGS.fullmatch(at)) and "noexec" not in flags:
        faults.append(f"{at}: programs can be run")
    if kind == "proc" and "subset=pid" not in fields[-1].split(","):
        faults.append(f"{at}: shows the whole machine")
    if any(field.startswith(("shared:", "master:")) for field in fields[6:fields.index("-")]):
        faults.append(f"{at}: changes of its mounts go to or come from others")
    if kind in ("sysfs", "cgroup", "cgroup2", "debugfs", "tracefs", "securityfs", "bpf", "mqueue", "fuse") or (kind == "devpts") != (at == "/dev/pts"):
        faults.append(f"{at}: a {kind}")
# what the kernel says must agree with what it does
for at in sorted(PLACES):
    try:
        flag = os.statvfs(at).f_flag
    except OSError:
        continue
    if not flag & os.ST_NOSUID or at not in DEVICES and not flag & os.ST_NODEV:
        faults.append(f"{at}: statvfs says {flag:#x}")
print(len(lines), "mounts")
print("\n".join(faults[:40]))
sys.exit(10 if faults or not lines else 0)
