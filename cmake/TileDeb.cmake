# Files of a .deb beside those of `cmake --install`, by Debian's policy:
# compressed manual pages, a changelog, and overrides of lintian with their
# reasons. cpack runs this before it packs.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
set(share ${CPACK_TEMPORARY_DIRECTORY}/usr/share)
file(MAKE_DIRECTORY ${share}/lintian/overrides ${share}/doc/tile)
configure_file(${CMAKE_CURRENT_LIST_DIR}/deb/overrides
               ${share}/lintian/overrides/tile COPYONLY)
configure_file(${CMAKE_CURRENT_LIST_DIR}/deb/changelog
               ${share}/doc/tile/changelog COPYONLY)
file(GLOB pages ${share}/man/man1/*.1)
execute_process(COMMAND gzip -9nf ${pages} ${share}/doc/tile/changelog
                COMMAND_ERROR_IS_FATAL ANY)
