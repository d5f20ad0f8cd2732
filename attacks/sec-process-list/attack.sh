#!/bin/sh
# Walks /proc and prints what it says of each process: command line, name, folders, open files. If it worked,
# passwords on command lines and the paths of the machine would be open to every program.
victim=$1
reached=0

show() {
    tr '\0' ' ' <"/proc/$1/cmdline" 2>/dev/null && echo
    cat "/proc/$1/comm" "/proc/$1/stat" "/proc/$1/wchan" 2>/dev/null
    readlink "/proc/$1/exe" "/proc/$1/cwd" "/proc/$1/root" "/proc/$1"/fd/* 2>/dev/null
}

if [ -d "/proc/$victim" ] && [ "$victim" != $$ ]; then
    if [ -n "$DRILL_CONTROL" ]; then
        echo "process $victim: reached"
        show "$victim"
        exit 10
    fi
    # a small number may be one of its own
    tr '\0' ' ' <"/proc/$victim/cmdline" | grep -q attack.sh || reached=10
fi
for entry in /proc/[0-9]*; do
    pid=${entry#/proc/}
    if [ "$pid" = 1 ]; then
        echo "process 1: reached"
        reached=10
    fi
    if ! grep -q '^PPid:' "$entry/status" 2>/dev/null; then continue; fi
    own=$(tr '\0' ' ' <"$entry/cmdline" 2>/dev/null)
    case $own in
    */attack.sh* | "grep "* | "tr "* | "ls "* | "") ;;
    *)
        echo "process $pid ($own): reached"
        reached=10
        ;;
    esac
done
# hidden ones answer to their name
for pid in 1 2 3 4 5 "$PPID" "$victim" $((victim + 1)); do
    [ "$pid" = 0 ] || [ "$pid" = $$ ] && continue
    ls "/proc/$pid/fd" "/proc/$pid/task" >/dev/null 2>&1 && ! grep -q attack.sh "/proc/$pid/cmdline" && reached=10
done
ps axww -o args= 2>/dev/null | grep -v -e attack.sh -e '^ps ' -e '^grep ' | grep . && reached=10
pgrep -f fumehood 2>/dev/null && reached=10
exit $reached
