# A room is one static library. Its headers travel only along the arrows of ARCHITECTURE.md:
#   EXPOSES  rooms whose types appear in this room's own headers (passed on)
#   USES     rooms needed only inside (not passed on)
# A file that includes a header of any other room does not compile.
function(room name)
    cmake_parse_arguments(ROOM "" "" "EXPOSES;USES;SOURCES;LIBRARIES" ${ARGN})
    string(REPLACE "/" "_" target ${name})
    add_library(${target} STATIC)
    file(GLOB found CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.c)
    target_sources(${target} PRIVATE ${found} ${ROOM_SOURCES})
    # One folder above the rooms would open every room to every other, so each room has a door of its own:
    # doors/<room>/<room> is a link to src/<room>, and includes read "base/err.h".
    set(door ${CMAKE_BINARY_DIR}/doors/${target})
    file(MAKE_DIRECTORY ${door})
    get_filename_component(parent ${door}/${name} DIRECTORY)
    file(MAKE_DIRECTORY ${parent})
    file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${name} ${door}/${name} SYMBOLIC)
    target_include_directories(${target} PUBLIC ${door})
    target_link_libraries(${target} PUBLIC ${ROOM_EXPOSES} PRIVATE ${ROOM_USES} ${ROOM_LIBRARIES})
endfunction()
