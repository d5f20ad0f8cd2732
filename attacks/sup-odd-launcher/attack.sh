#!/bin/sh
# Starts children and ends with a number of its own. Where the supervisor is told nothing of the end of its children,
# because whoever started it ignored that signal, it would wait for ever or lose the number.
for number in 1 2 3 4 5 6 7 8; do
    (sleep 0.0$number; exit $number) &
done
for fd in 3 4 63 64 200 201; do
    if [ -e "/proc/self/fd/$fd" ]; then
        echo "descriptor $fd: reached"
        exit 10
    fi
done
echo started
exit 5
