include(${CMAKE_CURRENT_LIST_DIR}/TileTargets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/TilePack.cmake)
