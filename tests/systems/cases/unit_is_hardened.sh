# unit_is_hardened.sh - the example of a unit works with all its settings, and what a cage does not go with is said by name
# starter: root
# length: long
# seconds: 900
. /opt/systems/lib.sh
unit=/etc/systemd/system/fumehood@.service
cp "$here/examples/systemd/fumehood@.service" $unit
mkdir -p /srv/fumehood/case
cp "$here/examples/functions.json" /srv/fumehood/case/tasks.jsonl
cp -r "$here/examples/candidates/functions-good" /srv/fumehood/case/candidates
systemctl daemon-reload
systemctl start fumehood@case
tell "the unit evaluates" "$(systemctl show -P Result fumehood@case)" success
results=/var/lib/private/fumehood-results/case
tell "every candidate passes" "$(grep -c '"verdict":"pass"' $results/results.jsonl)" "$(grep -c . $results/results.jsonl)"
tell "its groups are below the unit" "$(grep -o '"unit":"[^"]*"' $results/receipts.jsonl | sort -u)" '"unit":"fumehood@case.service"'
systemctl start fumehood@case
tell "a second start goes on with its results" "$(systemctl show -P Result fumehood@case) $(grep -o '"runs":[0-9]*' $results/summary.json)" \
    'success "runs":0'
tell "no control group is left" "$(groups_left)" 0
rm -rf $unit /srv/fumehood/case $results /var/lib/fumehood-results
systemctl daemon-reload

# with SETTING WORDS: 125 or 126, and the words
with() {
    said=$(systemd-run -q --wait --pipe --collect -p User=bob -p Delegate=yes -p "$1" fumehood run -- true 2>&1)
    tell "$1 is said by its name" "$said" "fumehood: *$2*"
}
with ProtectSystem=strict "RuntimeDirectory="
with ProtectHome=yes "ProtectHome=read-only in "
with ProtectControlGroups=yes "ProtectControlGroups=no in "
with ProtectHostname=yes "ProtectHostname=no in "
with RestrictNamespaces=yes "RestrictNamespaces=no"
with MemoryDenyWriteExecute=yes "MemoryDenyWriteExecute=no"
with SystemCallFilter=@system-service "mount_setattr"
tell "what covers parts of /proc goes with a /proc of processes only" "$(systemd-run -q --wait --pipe --collect -p Delegate=yes \
    -p ProtectKernelTunables=yes -p ProtectKernelLogs=yes -p ProcSubset=pid fumehood run -- echo here 2>&1)" here
tell "root needs two capabilities" "$(systemd-run -q --wait --pipe --collect -p Delegate=yes \
    -p "CapabilityBoundingSet=CAP_SETUID CAP_SETGID" fumehood run -- echo here 2>&1)" here
tell "what su leaves of another session is not used" \
    "$(su bob -s /bin/sh -c 'cd / && XDG_RUNTIME_DIR=/run/user/0 fumehood run --if-available -- echo here' 2>&1)" here
