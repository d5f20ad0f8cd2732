# libfumehood: the room front/lib and what it uses of the others, in one shared library and in one archive. Both hold all
# that they need but the C library (and jansson, for the shared one), and show no symbol that is not of
# include/fumehood/fumehood.h.
target_include_directories(front_lib PUBLIC ${CMAKE_SOURCE_DIR}/include)
set_source_files_properties(src/front/lib/pool.c PROPERTIES COMPILE_DEFINITIONS
    "FUMEHOOD_PROGRAM_PATH=\"${CMAKE_INSTALL_FULL_BINDIR}/fumehood\"")
# The rooms are made for a program; what names data of the C library needs more in a shared library. Debian's archive of
# jansson does so, too.
set_source_files_properties(src/engine/link.c PROPERTIES COMPILE_OPTIONS -fPIC)
find_library(LIB_jansson_shared NAMES jansson)

if(NOT FUMEHOOD_SANITIZE AND LIB_jansson_shared)
    set(library_rooms engine run receipt warden cage stage policy base)
    set(library_others ${LIB_jansson} ${LIB_yaml} ${LIB_nettle} ${LIB_z})

    set(library_files "")
    foreach(room IN LISTS library_rooms)
        list(APPEND library_files $<TARGET_FILE:${room}>)
    endforeach()

    add_library(fumehood_shared SHARED $<TARGET_OBJECTS:front_lib>)
    # By their files: as rooms they would bring the archive of jansson.
    target_link_libraries(fumehood_shared PRIVATE -Wl,--start-group ${library_files} -Wl,--end-group
                          ${LIB_jansson_shared} ${LIB_yaml} ${LIB_nettle} ${LIB_z})
    add_dependencies(fumehood_shared ${library_rooms})
    target_link_options(fumehood_shared PRIVATE -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/library.map
                        -Wl,--exclude-libs,ALL -Wl,--no-undefined)
    set_target_properties(fumehood_shared PROPERTIES OUTPUT_NAME fumehood VERSION ${PROJECT_VERSION}
                          SOVERSION ${PROJECT_VERSION_MAJOR} LINKER_LANGUAGE C
                          LINK_DEPENDS "${CMAKE_SOURCE_DIR}/cmake/library.map;${library_files}")

    set(archive ${CMAKE_BINARY_DIR}/libfumehood.a)
    add_custom_command(
        OUTPUT ${archive}
        COMMAND ${CMAKE_LINKER} -r -o libfumehood.o $<TARGET_OBJECTS:front_lib> --start-group ${library_files}
                ${library_others} --end-group
        COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=fumehood_* libfumehood.o
        COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
        COMMAND ${CMAKE_AR} rcs ${archive} libfumehood.o
        DEPENDS front_lib ${library_rooms} $<TARGET_OBJECTS:front_lib>
        COMMAND_EXPAND_LISTS
        VERBATIM)
    add_custom_target(fumehood_archive ALL DEPENDS ${archive})

    file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
    string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
    configure_file(cmake/fumehood.pc.in fumehood.pc @ONLY)
    install(TARGETS fumehood_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(FILES ${CMAKE_BINARY_DIR}/fumehood.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
    install(FILES include/fumehood/fumehood.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fumehood)
    # The library knows its program by the path that the build was told.
    install(CODE "if(NOT CMAKE_INSTALL_PREFIX STREQUAL \"${CMAKE_INSTALL_PREFIX}\")
        message(WARNING \"the library will look for ${CMAKE_INSTALL_FULL_BINDIR}/fumehood: configure with -DCMAKE_INSTALL_PREFIX=\${CMAKE_INSTALL_PREFIX}\")
    endif()")
endif()
