# The attacks of `fumehood drill`, laid out under build/.../attacks as they are installed: each folder of attacks/ with
# its C program compiled, so that who runs them needs no compiler.
set(attacks_out ${CMAKE_BINARY_DIR}/attacks)
file(GLOB attack_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/attacks ${CMAKE_SOURCE_DIR}/attacks/*/*)
set(attack_outputs "")

foreach(file IN LISTS attack_files)
    set(from ${CMAKE_SOURCE_DIR}/attacks/${file})
    add_custom_command(OUTPUT ${attacks_out}/${file} COMMAND ${CMAKE_COMMAND} -E copy ${from} ${attacks_out}/${file}
                       DEPENDS ${from} VERBATIM)
    list(APPEND attack_outputs ${attacks_out}/${file})
    if(file MATCHES "/attack\\.c$")
        # Its own flags: what attacks is neither hardened nor sanitized.
        string(REGEX REPLACE "\\.c$" "" program ${attacks_out}/${file})
        add_custom_command(
            OUTPUT ${program}
            COMMAND ${CMAKE_C_COMPILER} -std=gnu17 -O1 -static -pthread -Wall -Wextra -Werror -o ${program} ${from}
            DEPENDS ${from} ${attacks_out}/${file}
            VERBATIM)
        list(APPEND attack_outputs ${program})
    endif()
endforeach()

# What is not in attacks/ any more is not an attack any more.
file(GLOB attack_stale ${attacks_out}/*/*)
list(REMOVE_ITEM attack_stale "" ${attack_outputs})
if(attack_stale)
    file(REMOVE ${attack_stale})
endif()
file(GLOB attack_stale RELATIVE ${attacks_out} ${attacks_out}/*)
foreach(folder IN LISTS attack_stale)
    if(NOT IS_DIRECTORY ${CMAKE_SOURCE_DIR}/attacks/${folder})
        file(REMOVE_RECURSE ${attacks_out}/${folder})
    endif()
endforeach()

add_custom_target(attacks ALL DEPENDS ${attack_outputs})
install(DIRECTORY ${attacks_out}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/fumehood/attacks USE_SOURCE_PERMISSIONS OPTIONAL)
