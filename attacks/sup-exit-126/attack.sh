#!/bin/sh
# Runs something that may not be run, which every shell answers with 126, and so does fumehood for what it refuses.
# Only what the supervisor saw may count: this run was not refused.
echo 'fumehood: refused: the emergency stop is set' >&2
: >/work/no-program
exec /work/no-program
