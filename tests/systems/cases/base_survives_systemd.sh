# base_survives_systemd.sh - reload, reexec, login, logout and accounting switched off, again and again while runs go on
# starter: root alice
# length: long
# seconds: 1500
. /opt/systems/lib.sh
conf=/etc/systemd/system.conf.d/accounting.conf
undo() {
    as_root rm -f "$conf"
    as_root systemctl daemon-reload
}
trap undo EXIT
as_root mkdir -p "${conf%/*}"
printf '[Manager]\nDefaultMemoryAccounting=no\nDefaultTasksAccounting=no\nDefaultCPUAccounting=no\n' >accounting
as_root cp accounting "$conf"
cat >fork.py <<'PROGRAM'
import os, time
child = os.fork()
time.sleep(0.3)
print("hello", flush=True)
if child:
    os.wait()
PROGRAM
cat >tasks.py <<'PROGRAM'
import json, os
tasks = [{"id": f"t{n}", "stdin": "", "expect": "hello\nhello\n"} for n in range(200)]
json.dump(tasks, open("tasks.json", "w"))
os.mkdir("candidates")
text = open("fork.py").read()
for task in tasks:
    open(f"candidates/{task['id']}.py", "w").write(text)
PROGRAM
python3 tasks.py
fumehood eval tasks.json --candidates candidates --out results --jobs 2 --limit cpus=1 --limit wall_ms=60s >out 2>err &
eval=$!
turns=0
while kill -0 $eval 2>/dev/null; do
    as_root systemctl daemon-reload
    as_root systemctl start "user@$(id -u bob).service" 2>/dev/null || true
    as_root systemctl daemon-reexec
    as_root systemctl stop "user@$(id -u bob).service" 2>/dev/null || true
    [ "$WHO" != alice ] || systemctl --user daemon-reload
    [ "$WHO" != alice ] || systemctl --user daemon-reexec
    turns=$((turns + 1))
    sleep 1
done
wait $eval
tell "all pass" "$? $(grep -o '200 of 200 passed' out) $(grep -o '"by_verdict":{[^}]*}' results/summary.json)" "0 200 of 200 passed *"
tell "systemd was at it" "$turns" "[2-9]*"
tell "no limit was lost" "$(grep -o '"\(cpus\|memory_bytes\|processes\)":{[^}]*}' results/receipts.jsonl |
    grep -v '"enforced_by":"cgroup-v2"' | head -n 3)" ""
tell "none was tried twice" "$(wc -l <results/receipts.jsonl)" 200
tell "no control group is left" "$(groups_left)" 0
