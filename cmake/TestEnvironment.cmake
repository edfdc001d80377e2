# What ctest sets for all tests: those of the cache on disk have their own.
set(ENV{TILE_CACHE_DIR} off)
