# Warnings and hardening, the same for every room.
add_compile_definitions(_GNU_SOURCE FUMEHOOD_VERSION="${PROJECT_VERSION}")
add_compile_options(
    -Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Wold-style-definition -Wformat=2
    -Wswitch-enum -Wundef -Wvla -Wcast-align -Wwrite-strings -Wimplicit-fallthrough -Wno-missing-field-initializers
    -fno-common -fvisibility=hidden -fstack-protector-strong -fno-strict-aliasing)
if(FUMEHOOD_WERROR)
    add_compile_options(-Werror)
endif()
if(FUMEHOOD_SANITIZE)
    add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    add_link_options(-fsanitize=address,undefined)
else()
    add_compile_options(-fstack-clash-protection -fcf-protection)
    if(CMAKE_BUILD_TYPE STREQUAL "Release")
        add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
    endif()
endif()
add_link_options(-Wl,-z,relro,-z,now -Wl,-z,noexecstack)
if(FUMEHOOD_STATIC AND NOT FUMEHOOD_SANITIZE)
    add_compile_options(-fPIE)
    set(FUMEHOOD_PROGRAM_LINK -static-pie)
    if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
        list(APPEND FUMEHOOD_PROGRAM_LINK -Wl,--entry=cli_entry) # src/front/cli/entry.c
    endif()
else()
    add_compile_options(-fPIE)
    set(FUMEHOOD_PROGRAM_LINK -pie)
endif()
