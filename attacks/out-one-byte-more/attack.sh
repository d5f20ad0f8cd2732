#!/bin/sh
# Prints one byte more than the limit, in one piece that a pipe holds, and ends with 0 at once. It has met the
# limit, even though nobody was in time to end it; a run that only looks at who killed whom would call it a success.
exec head -c 32769 /dev/zero
