# base_without_session.sh - users who have not logged in: whose manager runs need nothing, and for the rest one thing is to be done
# starter: root
# length: short
# seconds: 200
. /opt/systems/lib.sh
dir=$(mktemp -d /var/tmp/base-session-XXXXXX)
echo 'print("hello")' >"$dir/hello.py"
chmod 755 "$dir"
as() { # as USER: as su makes it, without a session
    su - "$1" -c "fumehood run $dir/hello.py" >out 2>err </dev/null
    status=$?
}
loginctl disable-linger bob
loginctl terminate-user bob 2>/dev/null
wait_for 30 sh -c '! systemctl is-active -q "user@$(id -u bob)"'
as bob
tell "without a manager it is refused" "$status $(cat out)" "126 "
tell "the remedy" "$(cat err)" "*or as root: loginctl enable-linger $(id -u bob))"
# shellcheck disable=SC2046 # what it says is done
loginctl enable-linger $(sed -n 's/.*loginctl enable-linger \([0-9]*\).*/\1/p' err)
wait_for 30 systemctl is-active "user@$(id -u bob)"
as bob
tell "the remedy helps" "$status $(cat out err)" "0 hello"
loginctl disable-linger bob
setpriv --reuid=bob --regid=bob --clear-groups env -i PATH="$PATH" fumehood run "$dir/hello.py" >out 2>err
tell "what is left of a manager does not matter" "$? $(cat out)" "126 "
rm -rf "$dir"
tell "no control group is left" "$(groups_left)" 0
