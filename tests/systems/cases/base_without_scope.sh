# base_without_scope.sh - an option for who wants nothing of systemd
# starter: root alice
# length: long
# seconds: 120
. /opt/systems/lib.sh
echo 'print("hello")' >hello.py
sleep 1
begun=$(date +%s)
run --no-scope hello.py
if [ "$WHO" = root ]; then
    tell "root has a base at the top" "$status $(field cgroup base)" "0 top"
    tell "it goes with the last" "$(ls -d /sys/fs/cgroup/fumehood 2>&1)" "*No such file*"
else
    tell "an ordinary user is refused" "$status $(cat err)" "126*leave out --no-scope*"
    run --no-scope --if-available hello.py
    tell "or goes on without limits" "$status $(cat out) $(field cgroup manager)" "0 hello none"
fi
FUMEHOOD_SCOPE=no fumehood policy explain default >out
[ "$WHO" = root ] || tell "explain says so" "$(grep -c 'is refused' out)" 1
tell "systemd was not asked" "$(scopes_started "$begun")" 0
