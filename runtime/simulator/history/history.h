// history.h -- remembered accesses of memory, in and beside a page's cells.
#ifndef TILE_SIMULATOR_HISTORY_H
#define TILE_SIMULATOR_HISTORY_H

#include "runtime/simulator/history/copy_reads.h"
#include "runtime/simulator/history/found.h"
#include "runtime/simulator/history/readers.h"

#endif
