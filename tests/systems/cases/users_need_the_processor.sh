# users_need_the_processor.sh - where users' managers are given no controller of processors, as by systemd before 252
# starter: root
# length: short
# seconds: 100
. /opt/systems/lib.sh
chmod 755 .
echo 'print("hello")' >hello.py
unit=user@$(id -u bob).service
conf=/etc/systemd/system/user@.service.d/zz-case.conf
bob() { su - bob -c "cd $PWD && fumehood $1" 2>&1 </dev/null; }
mkdir -p "${conf%/*}"
printf '[Service]\nDelegate=\nDelegate=pids memory\n' >$conf
systemctl daemon-reload
loginctl enable-linger bob
systemctl restart "$unit"
said=$(bob "run hello.py")
tell "what is to be done is said" "$said" "fumehood: cpus: *as root: systemctl edit user@.service*Delegate=cpu memory pids; then systemctl restart user@*"
tell "it goes on without, where that is allowed" "$(bob "run --if-available hello.py")" hello
printf '[Service]\nDelegate=cpu memory pids\n' >$conf
systemctl daemon-reload
restart=$(echo "$said" | sed -n 's/.*then \(systemctl restart user@[0-9]*\).*/\1/p')
$restart
tell "what was said helps" "$(bob "run hello.py")" hello
loginctl disable-linger bob
rm -f $conf
systemctl daemon-reload
