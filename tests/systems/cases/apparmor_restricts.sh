# apparmor_restricts.sh - where AppArmor gives namespaces to programs with a profile only: what is said, and that ours is enough
# starter: root
# length: short
# seconds: 200
. /opt/systems/lib.sh
switch=kernel.apparmor_restrict_unprivileged_userns
own=/etc/apparmor.d/fumehood
example=$here/examples/apparmor/fumehood
if [ ! -e /etc/apparmor.d/abi/4.0 ]; then
    echo "skip the example of a profile is loaded: this AppArmor knows no userns"
    exit 0
fi
if [ "$(sysctl -n $switch 2>/dev/null)" != 1 ]; then
    apparmor_parser -r "$example"
    tell "with the profile it runs where nothing is restricted" "$(su bob -s /bin/sh -c 'cd / && fumehood run --if-available -- echo here' 2>&1)" here
    apparmor_parser -R "$example"
    echo "skip what is restricted is said: $switch is not 1"
    exit 0
fi
chmod 755 .
echo 'print("hello")' >hello.py
cp /usr/local/bin/fumehood other
bob() { su bob -s /bin/sh -c "cd /tmp && $1" 2>&1; }
remedy="fumehood: namespaces: AppArmor *(as root, for fumehood alone: install its profile, docs/systemd.md#apparmor)"

apparmor_parser -R $own
for cage in fresh slot zygote; do
    tell "$cage: what is to be done is said" "$(bob "fumehood run --if-available --cage $cage $PWD/hello.py")" "$remedy"
done
tell "by an evaluation, too" "$(bob "fumehood eval $here/examples/functions.json --policy if-available \
    --candidates $here/examples/candidates/functions-good --out \$(mktemp -d)/out" | grep -c 'install its profile')" 1
tell "and by doctor" "$(bob "fumehood doctor" | tr -s ' \n' ' ')" "can run no: namespaces: AppArmor *to mend as root, for fumehood alone: install its profile, *"
tell "root is not restricted" "$(fumehood run hello.py 2>&1)" hello

cp "$example" $own
apparmor_parser -r $own
tell "with the profile it runs" "$(bob "fumehood run --if-available $PWD/hello.py")" hello
tell "doctor says so" "$(bob "fumehood doctor --all" | grep -c '^bad.*_ns ')" 0
tell "another copy of the program does not" "$(bob "$PWD/other run --if-available $PWD/hello.py")" "$remedy"
tell "nor has another program namespaces with rights" "$(bob "unshare -Ur id")" "*not permitted*"
tell "nor what runs in a cage" "$(bob "fumehood run --if-available -- unshare -Ur id")" "*unshare*not permitted*"

apparmor_parser -R $own
sysctl -qw $switch=0
tell "without the restriction it runs without the profile" "$(bob "fumehood run --if-available $PWD/hello.py")" hello
sysctl -qw $switch=1
apparmor_parser -r $own
