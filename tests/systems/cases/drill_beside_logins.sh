# drill_beside_logins.sh - people log in and out while a drill goes on: their mounts are not a cage's
# starter: root alice
# length: long
# seconds: 400
. /opt/systems/lib.sh
bob=$(id -u bob)
fumehood drill --json --only 'fs-deep-tree' --only 'fs-climb-out' --only 'net-direct' --only 'kern-[a-c]*' >drill.json 2>err &
drill=$!
turns=0
while kill -0 $drill 2>/dev/null; do
    as_root systemctl start "user@$bob.service"
    as_root systemctl stop "user@$bob.service" "user-runtime-dir@$bob.service"
    turns=$((turns + 1))
done
status=0
wait $drill || status=$?
tell "no row is red" "$status $(cat err) $(python3 -c '
import json
print(*[row["name"] + ": " + "; ".join(row["reasons"]) for row in json.load(open("drill.json"))["attacks"] if row["result"] == "red"])')" \
    "0  "
tell "somebody came and went meanwhile" "$turns" "[1-9]*"
tell "no control group is left" "$(groups_left)" 0
