#!/bin/sh
# cgroup-v2-guest.sh - limits, endings and remains under cgroup v2; runs inside the machine of cgroup-v2.sh
#
# One line a check: "ok NAME" or "not ok NAME: what was seen". Status 0 only when all are ok.
bad=0
mkdir -p /root/p /tmp/box
receipt=/root/receipt.json

tell() { # tell NAME SEEN WANTED; WANTED is a pattern
    # shellcheck disable=SC2254
    case $2 in
    $3) echo "ok $1" ;;
    *)
        bad=1
        echo "not ok $1: $2 (not $3)"
        ;;
    esac
}

# run OPTION... FILE: leaves $status, and the fields asked for below
run() {
    rm -f "$receipt"
    timeout 60 fumehood run --receipt "$receipt" "$@" >/root/out 2>/root/err
    status=$?
}

field() { # field NAME: the first value of that name in the receipt
    sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p" "$receipt" 2>/dev/null | head -n 1
}

limit_of() { # limit_of KEY WHAT: a member of one row of "limits"
    sed -n "s/.*\"$1\":{\([^}]*\)}.*/\1/p" "$receipt" | tr ',' '\n' | sed -n "s/\"$2\":\"\{0,1\}\([^\"]*\).*/\1/p"
}

left() { # groups of fumehood that are there now
    find /sys/fs/cgroup -type d -name 'fumehood-*' | wc -l | tr -d ' '
}

program() { # program NAME: the text comes from stdin
    cat >"/root/p/$1.sh"
}

program hello <<'END'
echo hello
END
program memory <<'END'
a=xxxxxxxxxxxxxxxx
while :; do a=$a$a; done
END
program processes <<'END'
n=0
while [ $n -lt 300 ]; do sleep 60 & n=$((n + 1)); done
exit 0
END
program spin <<'END'
while :; do :; done
END
program spin_twice <<'END'
while :; do :; done &
while :; do :; done
END
program daemon <<'END'
setsid sh -c 'setsid sleep 4321 &' &
exit 0
END
program stop <<'END'
kill -STOP $$
END
program touch_memory <<'END'
dd if=/dev/zero of=/tmp/file bs=1M count=20 2>/dev/null
END
program score <<'END'
cat /proc/self/oom_score_adj
END
program groups <<'END'
cat /proc/self/cgroup
END

[ ! -d /sys/fs/cgroup/memory ] && [ -f /sys/fs/cgroup/cgroup.controllers ]
tell "the machine has cgroup v2 only" "$?" 0

# A launcher that the killer of processes spares
spared() {
    (echo -1000 >/proc/self/oom_score_adj && exec fumehood run "$@" 2>&1)
}
tell "the guest is not spared with its launcher" "$(spared /root/p/score.sh)" 0
tell "its memory limit ends it" "$(spared --limit memory_bytes=64MiB --limit wall_ms=20s /root/p/memory.sh)" "*memory limit*"

run /root/p/hello.sh
tell "a run works" "$status $(cat /root/out)" "0 hello"
for key in memory_bytes processes cpus; do
    tell "$key is held by cgroup v2" "$(limit_of $key enforced_by)" cgroup-v2
done

run /root/p/groups.sh
tell "the guest sees no path of its group" "$(cat /root/out)" "0::/"

run /root/p/touch_memory.sh
peak=$(field memory_peak_bytes)
[ "${peak:-0}" -gt 20000000 ]
tell "the memory peak comes from the kernel" "$? $status" "0 0"

run --limit memory_bytes=64MiB /root/p/memory.sh
tell "memory is bounded" "$status $(field limit)" "137 memory"
hits=$(limit_of memory_bytes hits)
[ "${hits:-0}" -gt 0 ]
tell "the memory limit counts its hits" "$?" 0

run --limit processes=16 --limit wall_ms=20s /root/p/processes.sh
hits=$(limit_of processes hits)
[ "${hits:-0}" -gt 0 ]
tell "processes are bounded" "$? $(field processes_peak)" "0 1[0-6]"

run --limit cpu_ms=500 --limit wall_ms=20s /root/p/spin.sh
tell "CPU time is bounded" "$status $(field limit)" "124 cpu"
run --limit wall_ms=1s /root/p/spin.sh
tell "wall time is bounded" "$status $(field limit)" "124 wall"

# Two processes that compute, for three seconds, on two processors of which they may have one
run --limit cpus=1 --limit wall_ms=3s /root/p/spin_twice.sh
used=$(field cpu_us)
[ "${used:-0}" -gt 1500000 ] && [ "$used" -lt 4000000 ]
tell "processors are bounded" "$? $status" "0 124"

run /root/p/daemon.sh
tell "a daemon dies with its run" "$status $(pidof sleep)" "0 "
run --limit wall_ms=2s /root/p/stop.sh
tell "a stopped program is ended" "$status $(field limit)" "124 wall"
tell "no group is left after all these runs" "$(left)" 0

program sleeper <<'END'
sleep 7777 & sleep 7777
END
run_forever() { # run_forever OPTION...: leaves $supervisor
    fumehood run "$@" /root/p/sleeper.sh >/dev/null 2>&1 &
    supervisor=$!
    tries=0
    while [ -z "$(pidof sleep)" ] && [ $tries -lt 50 ]; do
        sleep 0.2
        tries=$((tries + 1))
    done
}
run_forever
tell "the guest to be orphaned has started" "$([ -n "$(pidof sleep)" ] && echo yes)" yes
kill -KILL $supervisor
sleep 2
tell "no guest outlives a killed supervisor" "$(pidof sleep)" ""
run /root/p/hello.sh
tell "the next start removes what it left" "$status $(left)" "0 0"

# In a slot
run --cage slot /root/p/hello.sh
tell "a run in a slot works" "$status $(cat /root/out) $(field cage)" "0 hello slot"
slot() {
    sed -n 's/.*"slot":{\([^}]*\)}.*/\1/p' "$receipt" | tr -d '"'
}
tell "the slot is clean" "$(slot)" "state:clean,why:null"
program several <<'END'
sleep 0.1 & sleep 0.1 & wait
END
run --cage slot /root/p/several.sh
tell "several processes leave it clean" "$status $(slot) $(field processes_peak)" "0 state:clean,why:null 3"
run --cage slot /root/p/groups.sh
tell "the guest in a slot sees no path of its group" "$(cat /root/out)" "0::/"
run --cage slot --limit memory_bytes=64MiB /root/p/memory.sh
tell "memory is bounded in a slot" "$status $(field limit)" "137 memory"
tell "and its keeper is not killed for it" "$(slot)" "state:clean,why:null"
peak=$(field memory_peak_bytes)
[ "${peak:-0}" -gt 60000000 ] && [ "$peak" -le 67108864 ]
tell "to the limit and no further" "$? ($peak)" "0 *"
program one_too_many <<'END'
sleep 5 & sleep 5 & sleep 5 & sleep 5 & kill 0
END
run --limit processes=4 /root/p/one_too_many.sh
tell "one refused process is one hit" "$(limit_of processes hits) $(field processes_peak)" "1 4"
run --cage slot --limit processes=16 --limit wall_ms=20s /root/p/processes.sh
hits=$(limit_of processes hits)
[ "${hits:-0}" -gt 0 ]
tell "processes are bounded in a slot" "$? $(field processes_peak)" "0 1[0-6]"
run --cage slot /root/p/daemon.sh
tell "a daemon dies with its run in a slot" "$status $(pidof sleep)" "0 "
tell "no group is left after slots" "$(left)" 0
run_forever --cage slot
kill -KILL $supervisor
sleep 2
tell "no guest in a slot outlives a killed supervisor" "$(pidof sleep)" ""
run /root/p/hello.sh
tell "the next start removes the slot's groups" "$status $(left)" "0 0"

# One slot after the other: each run's peaks are its own
mkdir -p /root/c
for n in 1 2 3 4 5 6 7 8; do
    cp /root/p/hello.sh /root/c/t$n.sh
done
echo "hello() { dd if=/dev/zero of=/tmp/f bs=1M count=20 2>/dev/null; sleep 0.1 & sleep 0.1 & wait; echo hello; }; hello" >/root/c/t3.sh
for n in 1 2 3 4 5 6 7 8; do
    printf '{"id":"t%s","prompt":"","stdin":"","expect":"hello\\n"}\n' $n
done >/root/tasks.jsonl
fumehood eval /root/tasks.jsonl --candidates /root/c --cage slot --jobs 1 --out /root/results >/root/out 2>/root/err
tell "eval in slots" "$? $(cat /root/err)" "0 *"
tell "every slot stays" "$(grep -c '"state":"clean"' /root/results/receipts.jsonl)" 8
peaks=$(sed -n 's/.*"processes_peak":\([0-9]*\).*/\1/p' /root/results/receipts.jsonl | sort | uniq -c | tr -s ' \n' ' ')
tell "processes of one run are not another's" "$peaks" " 7 1 1 3 "
big=$(sed -n 's/.*"memory_peak_bytes":\([0-9]*\).*/\1/p' /root/results/receipts.jsonl | while read -r p; do [ "$p" -lt 15000000 ] || echo "$p"; done | wc -l)
tell "nor is its memory" "$big" 1
tell "no group is left after eval" "$(left)" 0

# What limited a run is looked at when it is over
program sleeps <<'END'
sleep 3
END
changed() { # changed FILE VALUE: in the run's group, while it runs
    run --limit wall_ms=20s /root/p/sleeps.sh &
    tries=0
    while [ -z "$(pidof sleep)" ] && [ $tries -lt 50 ]; do
        sleep 0.2
        tries=$((tries + 1))
    done
    group=$(find /sys/fs/cgroup -type d -name run -path '*/fumehood-*/run')
    case $1 in
    cgroup.subtree_control)
        echo -memory >"$group/../$1"
        echo +memory >"$group/../$1"
        ;;
    *) echo "$2" >"$group/$1" ;;
    esac
    wait
}
ending() {
    sed -n 's/.*"ending":{\([^}]*\)}.*/\1/p' "$receipt"
}
for file in memory.max cpu.max pids.max; do
    changed $file max
    tell "a run whose $file was changed is lost" "$(ending)" "*its limit*changed*lost*"
done
tell "and its limit is not claimed" "$(limit_of processes enforced_by)" none
changed cgroup.subtree_control
tell "a run whose controller was taken away for a moment is lost" "$(ending)" "*memory_bytes*lost*"
tell "no group is left after lost runs" "$(left)" 0

# An ordinary user: first without, then with a group of its own
echo 'guest:x:1234:1234::/tmp/box:/bin/sh' >>/etc/passwd
echo 'guest:x:1234:' >>/etc/group
chmod -R a+rX /root
chown 1234:1234 /tmp/box
chmod 755 /root
su guest -c "cd /tmp/box && fumehood run /root/p/hello.sh" >/root/out 2>/root/err
tell "a user without a group is refused" "$?" "12[56]"
tell "and told how to mend it" "$(grep -c -i delegat /root/err)" "[1-9]*"

# A new group each time, as systemd-run --scope gives: the one that handed out controllers takes no processes any more.
echo "+memory +pids +cpu" >/sys/fs/cgroup/cgroup.subtree_control
cat >/root/delegated.sh <<'END'
own=/sys/fs/cgroup/user-$$
mkdir $own
chown -R 1234:1234 $own
echo 0 >$own/cgroup.procs
exec su guest -c "cd /tmp/box && fumehood run --receipt /tmp/box/receipt.json $*"
END
receipt=/tmp/box/receipt.json
sh /root/delegated.sh /root/p/hello.sh >/root/out 2>/root/err
tell "a user with a delegated group runs" "$? $(cat /root/out) $(cat /root/err)" "0 hello "
tell "its memory is held by cgroup v2" "$(limit_of memory_bytes enforced_by)" cgroup-v2
sh /root/delegated.sh --limit memory_bytes=64MiB /root/p/memory.sh >/root/out 2>/root/err
tell "its memory limit works" "$? $(field limit)" "137 memory"
sh /root/delegated.sh --cage slot /root/p/several.sh >/root/out 2>/root/err
tell "its slot stays clean, too" "$? $(slot)" "0 state:clean,why:null"
sed 's/^echo 0/echo 60M >$own\/memory.max; echo 0 >$own\/memory.swap.max\n&/' /root/delegated.sh >/root/tight.sh
for cage in fresh slot; do
    sh /root/tight.sh --cage $cage --limit memory_bytes=200MiB /root/p/memory.sh >/root/out 2>/root/err
    tell "memory that runs out around a run is not its limit ($cage)" "$? $(ending)" "125 *ran out of memory*lost*"
done
sed 's/^echo 0/echo 12 >$own\/pids.max\n&/' /root/delegated.sh >/root/few.sh
sh /root/few.sh --limit processes=64 --limit wall_ms=20s /root/p/processes.sh >/root/out 2>/root/err
# From Linux 6.11 on a refusal is counted where the limit stands, and the run's own group does not show it.
seen="*lost* 0"
[ -z "$(find /sys/fs/cgroup -name pids.events.local | head -n 1)" ] || seen="* 0"
tell "processes that are refused around a run are not its limit" "$(ending) $(limit_of processes hits)" "$seen"
tell "it leaves no group" "$(left)" 0

exit $bad
