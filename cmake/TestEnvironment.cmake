# Variables that ctest sets for all tests; tests of the cache set their own.
set(ENV{TILE_CACHE_DIR} off)
