#!/bin/sh
# Prints its environment in all the ways there are. Keys and tokens are handed to programs in variables; if it worked,
# every program would get those of whoever starts it.
env
cat /proc/self/environ /proc/$$/environ 2>/dev/null | tr '\0' '\n'
python3 -c 'import os; print(dict(os.environ))'
perl -e 'print "$_=$ENV{$_}\n" for keys %ENV' 2>/dev/null
set
[ -n "$DRILL_CONTROL" ] && exit 0

# what a cage gives, and what the shell itself sets
reached=0
for name in $(env | sed 's/=.*//'); do
    case $name in
    PATH | HOME | LANG | TZ | TMPDIR | TERM | PWD | OLDPWD | SHLVL | _) ;;
    *)
        echo "$name: reached"
        reached=10
        ;;
    esac
done
[ "$HOME" = /work ] && [ "$PATH" = /usr/local/bin:/usr/bin:/bin ] || reached=10
exit $reached
