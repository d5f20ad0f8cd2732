# The arrows. ARCHITECTURE.md draws the same picture; tests/lint compares the two.
room(base LIBRARIES lib::jansson lib::yaml lib::nettle lib::z)
room(policy EXPOSES base)
room(stage EXPOSES base)
room(cage EXPOSES policy base SOURCES ${CMAKE_BINARY_DIR}/made/filter_made.c)
room(warden EXPOSES cage policy base)
room(receipt EXPOSES base LIBRARIES lib::jansson)
room(run EXPOSES warden cage stage policy base)
room(judge EXPOSES base LIBRARIES lib::jansson)
room(engine EXPOSES run policy base)
room(eval EXPOSES warden policy base USES engine run judge receipt stage LIBRARIES lib::jansson)
room(drill EXPOSES policy base USES run warden cage stage LIBRARIES lib::jansson)
room(front/cli EXPOSES base USES eval drill engine run receipt judge warden cage stage policy LIBRARIES lib::jansson)

# Sought in this order when a file's extension or #! line is looked up.
set(stage_runtimes "")
foreach(name python node sh bash perl)
    list(APPEND stage_runtimes ${CMAKE_SOURCE_DIR}/runtimes/${name}.yaml)
endforeach()
embed(stage stage_runtime_files ${stage_runtimes})

# Programs that run in the cage around a candidate's function.
embed(judge judge_drivers ${CMAKE_SOURCE_DIR}/src/judge/drivers/call.py ${CMAKE_SOURCE_DIR}/src/judge/drivers/call.js)

# The default system call profile is compiled once, here.
add_executable(filter_make src/cage/make/filter_make.c)
target_include_directories(filter_make PRIVATE src)
target_link_libraries(filter_make PRIVATE lib::seccomp)
add_custom_command(
    OUTPUT ${CMAKE_BINARY_DIR}/made/filter_made.c
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/made
    COMMAND filter_make > ${CMAKE_BINARY_DIR}/made/filter_made.c
    DEPENDS filter_make ${CMAKE_SOURCE_DIR}/src/cage/syscalls.def
    VERBATIM)
