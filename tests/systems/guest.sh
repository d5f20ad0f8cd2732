#!/bin/sh
# guest.sh - everything that is tried in the machine; systems.service starts it, and nobody is logged in then
#
# Its lines are machine.sh's. Cases run by themselves first, then as people who have logged in.
here=/opt/systems
length=long only='' stay=''
# shellcheck source=/dev/null
. "$here/order"
bad=0

# login USER COMMAND...: a session as ssh makes it
login() {
    user=$1
    shift
    ssh -q -o StrictHostKeyChecking=no -o BatchMode=yes "$user@localhost" "$@" </dev/null
}

# Lines pass through; what is not ok makes the whole not ok.
count() {
    while IFS= read -r line; do
        case $line in
        "ok "* | "skip "*) echo "$line" ;;
        "not ok "*) echo "$line"; echo 1 >/run/systems-bad ;;
        *) echo "$line" >&2 ;;
        esac
    done
}

# all USER: everything of the long form
all() {
    login "$1" python3 -B "$here/drill.py" "$1" fresh slot zygote | count
    login "$1" sh "$here/session.sh" "$1" examples | count
}

install -m 755 "$here/fumehood" /usr/local/bin/fumehood
mkdir -p /usr/local/share/fumehood
ln -sfn "$here/attacks" /usr/local/share/fumehood/attacks
export HOME=/root LANG=C.UTF-8
# What ordinary users need of root on Ubuntu: docs/systemd.md
if ! grep -q '^Delegate=.*cpu' /lib/systemd/system/user@.service; then
    mkdir -p /etc/systemd/system/user@.service.d
    printf '[Service]\nDelegate=cpu memory pids\n' >/etc/systemd/system/user@.service.d/override.conf
    systemctl daemon-reload
fi
if [ "$(sysctl -n kernel.apparmor_restrict_unprivileged_userns 2>/dev/null)" = 1 ]; then
    cp "$here/examples/apparmor/fumehood" /etc/apparmor.d/
    apparmor_parser -r /etc/apparmor.d/fumehood
fi

systemd-run --quiet --wait --pipe --collect -p Delegate=yes -p LimitCORE=infinity sh "$here/session.sh" nobody cases | count
login root sh "$here/session.sh" root cases | count
login alice sh "$here/session.sh" alice cases | count
if [ "$length" = long ] && [ -z "$only" ]; then
    all root
    all alice
fi
[ ! -e /run/systems-bad ] || bad=1
echo "END $bad"
[ -z "$stay" ] || sleep infinity
