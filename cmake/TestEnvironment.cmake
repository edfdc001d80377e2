# Variables that ctest sets for all tests: those of the cache have their own.
set(ENV{TILE_CACHE_DIR} off)
