# base_many_at_once.sh - many that start and end at the same moment share a base, or have one each; nothing is left of them
# starter: nobody root alice
# length: long
# seconds: 300
. /opt/systems/lib.sh
cat >hello.py <<'PROGRAM'
print("hello")
PROGRAM
cat >many.py <<'PROGRAM'
import subprocess, sys
from concurrent.futures import ThreadPoolExecutor
def one(n):
    done = subprocess.run(["fumehood", "run", "hello.py"], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr
with ThreadPoolExecutor(4) as pool:
    for seen in pool.map(one, range(16)):
        if seen != (0, "hello\n", ""):
            print(seen)
PROGRAM
tell "sixteen runs, four at a time" "$(python3 many.py)" ""
manager=--user
[ "$(id -u)" != 0 ] || manager=--system
[ "$WHO" = nobody ] ||
    tell "sixteen in one delegated scope" "$(systemd-run $manager -q --collect --scope -p Delegate=yes python3 many.py)" ""
if command -v make >/dev/null; then
    printf 'all: 1 2 3 4 5 6 7 8\n1 2 3 4 5 6 7 8:\n\t@fumehood run hello.py\n' >Makefile
    tell "eight below make" "$(make -s -j4 2>&1 | sort | uniq -c | tr -s ' ')" " 8 hello"
fi
tell "no control group is left" "$(groups_left)" 0
tell "no base is left at the top" "$(ls -d /sys/fs/cgroup/fumehood 2>&1)" "*No such file*"
