#!/bin/sh
# Leaves what tidying up stumbles over: folders without any rights, odd names, pipes, a file of absurd size and date,
# a file that is deleted and held open by a child. If it worked, something of the run would stay on the machine.
umask 0
for place in /work /tmp /dev/shm; do
    cd "$place" || exit 1
    mkdir -p a/b/c/d/e
    mkfifo a/b/pipe 'a/b/
name' a/b/-rf
    : >"$(printf 'a/b/\033[2J\302\205\342\200\256')"
    : >"a/b/$(head -c 255 /dev/zero | tr '\0' x)"
    truncate -s 60M a/b/c/sparse
    touch -d @-1 a/b/c/before
    touch -d @99999999999 a/b/c/after
    ln a/b/c/sparse a/b/c/d/second
    chmod 0 a/b/c/d/e a/b/c/d a/b/c a/b
    chmod 0555 a
done
# the permitted sibling: the tree is there, and its own owner cannot remove it
rm -rf /work/a 2>/dev/null
[ -d /work/a ] || exit 1
cd /work && : >held && chmod 0 . || exit 1
(exec 8<>/tmp/held; rm -f /tmp/held; cd /tmp/a 2>/dev/null; trap '' HUP TERM; sleep 30) >/dev/null 2>&1 &
echo left there
exit 0
