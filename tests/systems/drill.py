"""drill.py WHO CAGE... - the whole drill in each kind of cage; a line for each kind, and one for each red row"""
import json
import subprocess
import sys


def drill(who, cage):
    name = f"{who}: the drill, {cage}"
    done = subprocess.run(["fumehood", "drill", "--json", "--cage", cage], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        print(f"not ok {name}: status {done.returncode}: {done.stderr[-300:]!r}", flush=True)
        return
    for row in report["attacks"]:
        if row["result"] == "red":
            print(f"not ok {name}: {row['name']}: {'; '.join(row['reasons'])}", flush=True)
    counts = {key: value for key, value in report["summary"].items() if isinstance(value, int)}
    said = " ".join(f"{key} {value}" for key, value in counts.items())
    if counts["red"]:
        print(f"not ok {name}: {said}", flush=True)
    else:
        print(f"ok {name} ({said}; {report['wall_s']:.0f} s)", flush=True)


for kind in sys.argv[2:]:
    drill(sys.argv[1], kind)
