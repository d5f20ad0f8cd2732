#!/bin/sh
# Includes a file in a source text, so that the compiler's messages show it, puts it into a program as data, and has
# the build tool read it and run a command. If it worked, judging source text would be enough to lose a file.
secret=$1
folder=/work
[ -n "$DRILL_CONTROL" ] && folder=$2
cd "$folder" || exit 77
command -v gcc >/dev/null || { echo "no compiler here"; exit 77; }
mkdir made && cd made || exit 77
reached=0

try() {
    what=$1
    shift
    "$@" >said 2>&1
    cat said
    # the staged file begins so
    if grep -q -e 'secret [0-9a-f]' said && ! grep -q 'No such file' said; then
        echo "$what: reached"
        reached=10
    fi
}

printf '#include "%s"\n' "$secret" >one.c
printf '#include_next <%s>\n' "$secret" >two.c
printf '__asm__(".incbin \\"%s\\"");\n' "$secret" >three.c
printf 'const char text[] =\n#embed "%s"\n;\n' "$secret" >four.c
printf 'include %s\nall:\n\tcat %s\n' "$secret" "$secret" >makefile
try include gcc -E one.c
try "include in messages" gcc -c one.c
try "next include" gcc -E two.c
try embed gcc -E four.c
try "options file" gcc "@$secret" -c one.c
gcc -c three.c -o three.o >said 2>&1 && try data strings three.o
try "script of the linker" gcc -Wl,-T,"$secret" one.c
command -v make >/dev/null && try make make -f makefile
cd .. && rm -rf made
exit $reached
