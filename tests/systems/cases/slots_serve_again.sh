# slots_serve_again.sh - a slot is proved clean and serves the next run, whatever of its counters this kernel can set back
# starter: root alice
# length: short
# seconds: 200
. /opt/systems/lib.sh
cat >tasks.py <<'PROGRAM'
import json, os
tasks = [{"id": f"t{n}", "stdin": "", "expect": "hello\n"} for n in range(12)]
json.dump(tasks, open("tasks.json", "w"))
os.mkdir("candidates")
# two processes each: what they have used is not the next one's
text = "import os\nif os.fork() == 0: os._exit(0)\nos.wait()\nprint('hello')\n"
for task in tasks:
    open(f"candidates/{task['id']}.py", "w").write(text)
PROGRAM
python3 tasks.py
cat >count.py <<'PROGRAM'
import json
rows = [json.loads(line) for line in open("results/receipts.jsonl")]
slots = [row["teardown"]["slot"] for row in rows]
peaks = {row["usage"]["processes_peak"] for row in rows}
print(len(rows), sum(slot["state"] == "clean" for slot in slots), "null" if peaks == {None} else max(peaks),
      *{slot["why"] for slot in slots if slot["why"]})
PROGRAM
peak='[1-4]'
[ -e /sys/fs/cgroup/system.slice/pids.peak ] || peak=null
for cage in slot zygote; do
    rm -rf results
    fumehood eval tasks.json --candidates candidates --out results --jobs 1 --cage "$cage" >out 2>err
    tell "$cage: all pass" "$? $(cat err)" "0 "
    tell "$cage: every slot was proved clean" "$(python3 count.py)" "12 12 $peak"
done
tell "no control group is left" "$(groups_left)" 0
