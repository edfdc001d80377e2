# cpack -G TGZ or -G DEB: what `cmake --install` installs as one file.
set(CPACK_PACKAGE_NAME tile)
set(CPACK_PACKAGE_VENDOR tile)
set(CPACK_PACKAGE_CONTACT "tile <tile@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "compiler and library for tile kernels")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_FILE_NAME
    tile-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "tilec compiles kernels in the language of Triton to code for the CPU and for
GPUs, and runs them; libtile does the same from a program in C.")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS
    ${CMAKE_BINARY_DIR}/runtime ${CMAKE_BINARY_DIR}/runtime/simulator)
include(CPack)
