# Run by the build: OUT gets the hash of all sources that say what the messages to a worker look like, as engine_stamp.
# Two builds that have it in common understand each other.
string(REPLACE "|" ";" FILES "${FILES}")
set(all "${VERSION}\n")
foreach(file IN LISTS FILES)
    file(SHA256 ${file} hash)
    string(APPEND all "${hash}\n")
endforeach()
string(SHA256 stamp "${all}")
file(WRITE ${OUT} "/* made by the build; see cmake/stamp.cmake */\n#include \"engine/wire.h\"\nconst char engine_stamp[BASE_HASH_HEX] = \"${stamp}\";\n")
