# embed(TARGET SYMBOL FILE...): each file becomes a row {name, bytes, length} of the table SYMBOL in TARGET.
# The program carries its small data files, so that it runs from wherever it lies.
function(embed target symbol)
    set(out ${CMAKE_BINARY_DIR}/embedded/${symbol}.c)
    add_custom_command(
        OUTPUT ${out}
        COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DSYMBOL=${symbol} "-DFILES=${ARGN}" -P ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake
        DEPENDS ${ARGN} ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake
        VERBATIM)
    target_sources(${target} PRIVATE ${out})
endfunction()
