#!/bin/sh
# Sleeps for half a second in a child and in itself. It has used next to no processor time: a limit on that which looks at
# the clock on the wall would end it, and name the wrong limit.
sleep 0.5 &
sleep 0.5
wait
