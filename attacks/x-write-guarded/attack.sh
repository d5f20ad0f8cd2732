# Writes to a file and into a folder of the host. Either would mean that the cage has write access outside.
reached=0
if (echo changed >"$1") 2>/dev/null; then echo "wrote $1"; reached=10; else echo "write $1: no"; fi
if (echo new >"$2/new") 2>/dev/null; then echo "made $2/new"; reached=10; else echo "make $2/new: no"; fi
exit $reached
