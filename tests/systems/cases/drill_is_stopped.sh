# drill_is_stopped.sh - the unit in which a drill goes on is stopped: nothing is left of the drill or of its cages
# starter: root alice
# length: short
# seconds: 200
. /opt/systems/lib.sh
manager=
[ "$WHO" = root ] || manager=--user
unit=drill-$$

# a cage of the drill's has a group
has_cage() {
    [ "$(groups_left)" -gt 0 ]
}

for cage in fresh slot; do
    systemd-run --quiet $manager --collect --unit "$unit-$cage" -p Delegate=yes fumehood drill --only 'proc-*' --cage "$cage" 2>err ||
        tell "$cage: the unit starts" "$(cat err)" ""
    wait_for 60 has_cage
    tell "$cage: a cage is there" "$?" 0
    systemctl $manager stop "$unit-$cage"
    tell "$cage: no control group is left" "$(groups_left)" 0
    tell "$cage: no process" "$(pgrep -xc fumehood)" 0
done
