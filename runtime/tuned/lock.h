// lock.h -- one writer at a time in a folder of tuned files.
#ifndef TILE_RUNTIME_TUNED_LOCK_H
#define TILE_RUNTIME_TUNED_LOCK_H

#include <stdbool.h>

typedef struct {
  int folder; // the caller's
  int file;   // -1: nothing is locked
} TunedLock;

// Waits for other writers; false: one of them has had the folder for ten
// seconds.  On a file system without locks it returns true at once.
bool tuned_lock(TunedLock *lock);
void tuned_unlock(TunedLock *lock);

#endif
