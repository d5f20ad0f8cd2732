# The arrows. ARCHITECTURE.md draws the same picture; tests/lint compares the two.
room(base LIBRARIES lib::jansson lib::yaml lib::nettle lib::z)
room(policy EXPOSES base SOURCES ${CMAKE_BINARY_DIR}/made/calls_made.c)
room(stage EXPOSES base)
room(cage EXPOSES policy base SOURCES ${CMAKE_BINARY_DIR}/made/filter_made.c)
room(zygote EXPOSES cage base)
room(threat EXPOSES cage policy USES base)
room(warden EXPOSES cage policy base)
room(receipt EXPOSES base LIBRARIES lib::jansson)
room(run EXPOSES warden cage stage policy base)
room(judge EXPOSES base LIBRARIES lib::jansson)
room(engine EXPOSES run policy base SOURCES ${CMAKE_BINARY_DIR}/made/stamp_made.c)
room(eval EXPOSES run warden policy base USES engine judge receipt stage LIBRARIES lib::jansson)
room(drill EXPOSES policy base USES run warden cage stage LIBRARIES lib::jansson)
room(front/cli EXPOSES base USES eval drill engine run receipt judge warden threat cage stage policy LIBRARIES lib::jansson)
room(front/lib USES engine run receipt warden stage policy base LIBRARIES lib::jansson)

# Sought in this order when a file's extension or #! line is looked up.
set(stage_runtimes "")
foreach(name python node sh bash perl)
    list(APPEND stage_runtimes ${CMAKE_SOURCE_DIR}/runtimes/${name}.yaml)
endforeach()
embed(stage stage_runtime_files ${stage_runtimes})

# What narrows the default system calls, in the order of messages.
set(policy_profiles "")
foreach(name strict native python node shell)
    list(APPEND policy_profiles ${CMAKE_SOURCE_DIR}/profiles/${name}.yaml)
endforeach()
embed(policy policy_profile_files ${policy_profiles})

# Programs that run in the cage around a candidate's function.
embed(judge judge_drivers ${CMAKE_SOURCE_DIR}/src/judge/drivers/call.py ${CMAKE_SOURCE_DIR}/src/judge/drivers/call.js
      ${CMAKE_SOURCE_DIR}/src/judge/drivers/tests.py)

# What runs in a slot before and after an attack of the drill.
embed(drill drill_honest ${CMAKE_SOURCE_DIR}/src/drill/honest.sh)

# The default system call profile is compiled once, here; the compiler is the room's own.
add_executable(filter_make src/cage/make/filter_make.c src/cage/compile.c src/cage/conditions.c)
target_include_directories(filter_make PRIVATE src)
target_link_libraries(filter_make PRIVATE lib::seccomp)
foreach(made filters:filter_made calls:calls_made)
    string(REPLACE ":" ";" made ${made})
    list(GET made 0 word)
    list(GET made 1 name)
    add_custom_command(
        OUTPUT ${CMAKE_BINARY_DIR}/made/${name}.c
        COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/made
        COMMAND filter_make ${word} > ${CMAKE_BINARY_DIR}/made/${name}.c
        DEPENDS filter_make ${CMAKE_SOURCE_DIR}/src/cage/syscalls.def
        VERBATIM)
endforeach()

# What is preloaded into an interpreter that is to be a zygote; it lives in that process, so nothing of our build's options
# for programs may be in it.
add_library(zygote_python MODULE
    src/zygote/python.c src/zygote/interpreter.c src/zygote/libraries.c src/zygote/pages.c src/zygote/program.c src/cage/guest_child.c src/cage/bounding_child.c src/cage/identity_child.c
    src/cage/fd_child.c src/cage/landlock_child.c src/cage/mount_child.c src/cage/mutation_child.c src/cage/root_child.c src/cage/settings_child.c
    src/cage/plain_child.c ${CMAKE_BINARY_DIR}/made/filter_made.c)
set_target_properties(zygote_python PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
target_compile_options(zygote_python PRIVATE -fPIC -fno-sanitize=all)
target_link_options(zygote_python PRIVATE -fno-sanitize=all -Wl,-z,now -Wl,-s)
target_include_directories(zygote_python PRIVATE
    ${CMAKE_BINARY_DIR}/doors/base ${CMAKE_BINARY_DIR}/doors/policy ${CMAKE_BINARY_DIR}/doors/cage
    ${CMAKE_BINARY_DIR}/doors/zygote)
embed(cage cage_zygote_files $<TARGET_FILE:zygote_python>)

# Both ends of a connection to a worker have the same stamp, or do not talk.
file(GLOB stamp_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/base/*.h ${CMAKE_SOURCE_DIR}/src/base/*.def
     ${CMAKE_SOURCE_DIR}/src/policy/*.h ${CMAKE_SOURCE_DIR}/src/policy/*.def ${CMAKE_SOURCE_DIR}/src/stage/*.h
     ${CMAKE_SOURCE_DIR}/src/cage/*.h ${CMAKE_SOURCE_DIR}/src/cage/*.def ${CMAKE_SOURCE_DIR}/src/warden/*.h
     ${CMAKE_SOURCE_DIR}/src/run/*.h ${CMAKE_SOURCE_DIR}/src/engine/wire.h ${CMAKE_SOURCE_DIR}/src/engine/wire.c)
string(REPLACE ";" "|" stamp_list "${stamp_files}")
add_custom_command(
    OUTPUT ${CMAKE_BINARY_DIR}/made/stamp_made.c
    COMMAND ${CMAKE_COMMAND} -DOUT=${CMAKE_BINARY_DIR}/made/stamp_made.c -DVERSION=${PROJECT_VERSION}
            -DFILES=${stamp_list} -P ${CMAKE_SOURCE_DIR}/cmake/stamp.cmake
    DEPENDS ${stamp_files} ${CMAKE_SOURCE_DIR}/cmake/stamp.cmake
    VERBATIM)

# These use nothing of the C library, not even what the compiler adds by itself: some run before it has started.
file(GLOB cage_child CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/cage/*_child.c)
set_source_files_properties(${cage_child} src/front/cli/entry.c ${CMAKE_BINARY_DIR}/made/filter_made.c PROPERTIES COMPILE_OPTIONS
    "-include;${CMAKE_SOURCE_DIR}/src/cage/plain.h;-fno-stack-protector;-U_FORTIFY_SOURCE;-fno-builtin")
