#!/bin/sh
# Looks where people keep keys and passwords, and at one file whose path it was told. If it worked, every program
# could take the credentials of whoever runs it.
reached=0

take() {
    if head -c 1 "$1" >/dev/null 2>&1; then
        echo "$1: reached"
        reached=10
    else
        echo "$1: no"
    fi
}

# The one that was put there for this; the only one whose content is printed.
for path in "$1" "/proc/self/root$1" "/proc/1/root$1" "/proc/self/cwd/../../../..$1" "//$1" "/usr/..$1"; do
    take "$path" && cat "$path" 2>/dev/null
done
[ -n "$DRILL_CONTROL" ] && exit $reached

for home in "$HOME" /root /home /home/* /var/lib /usr/local/etc; do
    for leaf in .ssh/id_rsa .ssh/id_ed25519 .ssh/config .aws/credentials .netrc .git-credentials .pgpass .kube/config \
        .docker/config.json .config/gh/hosts.yml .bash_history .python_history .gnupg/secring.gpg; do
        take "$home/$leaf"
    done
done
for path in /etc/shadow /etc/gshadow /etc/sudoers /etc/machine-id /etc/ssh/ssh_host_ed25519_key /etc/hostname /etc/fstab \
    /etc/resolv.conf /var/log/syslog /var/run/secrets/token /run/secrets/token /run/fumehood /tmp/fumehood-0 /scratch; do
    take "$path"
done
exit $reached
