# namespaces_are_refused.sh - what keeps somebody from namespaces, or from rights in them, is said by its name
# starter: root
# length: long
# seconds: 400
. /opt/systems/lib.sh
bob() { su bob -s /bin/sh -c 'cd / && fumehood run --if-available -- echo here' 2>&1; }

refused() { # refused SETTING RUN WORDS
    before=$(sysctl -n "$1") && sysctl -qw "$1=0"
    said=$($2)
    sysctl -qw "$1=$before"
    tell "$1=0 is named" "$said" "fumehood: namespaces: *sysctl -w $1=*"
}
root() { fumehood run --if-available -- echo here 2>&1; }
[ ! -e /proc/sys/kernel/unprivileged_userns_clone ] || refused kernel.unprivileged_userns_clone bob
refused user.max_user_namespaces root
refused user.max_uts_namespaces bob

# A namespace is made, and gives no rights.
own=/etc/apparmor.d/fumehood
[ ! -e $own ] || apparmor_parser -R $own
profile() { # profile RULES
    printf 'profile narrow /usr/local/bin/fumehood {\n  /** rwlkm,\n  network,\n  signal,\n  ptrace,\n  unix,\n  mount,\n  umount,\n  pivot_root,\n  /** ix,\n  %s\n}\n' "$1"
}
profile "deny capability," >narrow
[ ! -e /etc/apparmor.d/abi/4.0 ] || { echo 'abi <abi/4.0>,' && profile "userns, deny capability,"; } >narrow
apparmor_parser -r narrow
tell "a profile that gives no rights is named" "$(bob)" "fumehood: *AppArmor profile narrow*docs/systemd.md#apparmor)"
apparmor_parser -R narrow
[ ! -e $own ] || apparmor_parser -r $own
