include(${CMAKE_CURRENT_LIST_DIR}/TileTargets.cmake)
get_filename_component(TILE_BIN_DIR ${CMAKE_CURRENT_LIST_DIR}/../../../bin
                       ABSOLUTE)
include(${CMAKE_CURRENT_LIST_DIR}/TilePack.cmake)
