# What a run can see: nothing of who came before it in the same slot, so the same each time. It has to fit the least
# output, time and memory that an attack may have.
for place in /work /tmp /dev /dev/shm /scratch /; do
    cd "$place" 2>/dev/null && echo "$place" * .[!.]*
done
cd /proc && echo processes [0-9]*
echo descriptors self/fd/*
set -f
while read -r line; do
    case $line in
    *\ [/@]*) echo net/unix ${line##* } ;; # the others are the keeper's own, and nobody can name them
    esac
done </proc/self/net/unix
for file in net/tcp net/udp net/dev net/snmp cgroup uid_map oom_score_adj; do
    while read -r line; do
        case $line in
        *[0-9]*) echo "$file" $line ;; # headings say nothing
        esac
    done <"/proc/self/$file"
done 2>/dev/null
while read -r word one two three rest; do
    echo "limit $word $one $two $three $rest"
done </proc/self/limits
while read -r what place kind rest; do
    echo "mount $place $kind"
done </proc/self/mounts
while read -r word rest; do
    case $word in
    Umask: | Pid: | PPid: | Uid: | Gid: | Groups: | NS* | Threads: | Sig* | Shd* | Cap* | NoNew* | Seccomp* | Cpus_allowed:)
        echo $word $rest ;;
    esac
done </proc/self/status
export -p
# In one process to the end: where more were alive at once, some kernels cannot set back their count.
if command -v ipcs; then ipcs='exec ipcs'; fi
if command -v bash; then exec bash -c "echo host \$HOSTNAME; $ipcs"; fi
$ipcs
