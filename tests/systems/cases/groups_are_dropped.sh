# groups_are_dropped.sh - what only a further group of the starter may read is not read in a cage; or it is said that it may be
# starter: alice
# length: short
# seconds: 300
. /opt/systems/lib.sh
secret=/usr/local/share/adm-only
cat >groups.py <<END
import os
print(os.getgroups(), *os.getresuid())
try: print(open("$secret").read())
except OSError as why: print(type(why).__name__)
END
restore() {
    as_root rm -f $secret
    [ ! -e /usr/bin/newuidmap.away ] || as_root mv /usr/bin/newuidmap.away /usr/bin/newuidmap
}
trap restore EXIT
as_root sh -c "echo secret >$secret && chgrp adm $secret && chmod 640 $secret"
tell "the starter may read it" "$(cat $secret)" secret

for cage in fresh slot zygote; do
    run --cage $cage groups.py
    tell "$cage: no group, and it is not read" "$status $(cat out err)" "0 \[\] 1000 1000 1000
PermissionError"
    tell "$cage: identity is achieved" "$(field protections achieved)" '*"identity"*'
    tell "$cage: and not missing" "$(field protections missing)" "\[\]"
done
fumehood doctor --all >doctor
tell "doctor says how" "$(tr -s ' \n' ' ' <doctor)" '*identity your groups (4, 27) are dropped, by newuidmap and newgidmap*'

setpriv --no-new-privs fumehood run --receipt receipt.json groups.py >out 2>err || true
tell "under no_new_privs it is read" "$(sed -n 2p out)$(cat err)" secret
tell "under no_new_privs identity is missing" "$(field protections missing)" '*"identity"*'

as_root mv /usr/bin/newuidmap /usr/bin/newuidmap.away
run groups.py
tell "without uidmap it is read" "$(sed -n 2p out)$(cat err)" secret
tell "without uidmap identity is missing" "$(field protections missing)" '*"identity"*'
fumehood doctor --all >doctor
tell "doctor says what to mend" "$(tr -s ' \n' ' ' <doctor)" '*newuidmap and newgidmap are not installed*apt install uidmap*'
tell "no control group is left" "$(groups_left)" 0
