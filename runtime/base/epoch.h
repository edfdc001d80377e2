// epoch.h -- epochs: whether a thread may still read an entry that was taken
// out of a list.
//
// Threads read lists without locks between epoch_enter() and epoch_leave(),
// which write no memory that threads share.  An entry that is taken out of a
// list meanwhile is freed once all threads that may have seen it have left.
#ifndef TILE_RUNTIME_EPOCH_H
#define TILE_RUNTIME_EPOCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

// Calls may be nested.  False if the system lacks the resources of a thread's
// first call: 64 bytes of malloc() and a key of the process.  The bytes go to
// the next thread when this one ends.
bool epoch_enter(void);
void epoch_leave(void);

// The first member of an object that is freed this way.
typedef struct Retired Retired;
struct Retired {
  Retired *next;
  uint64_t epoch;
  const void *owner;
  void (*free)(const void *ctx, Retired *retired);
  const void *ctx;
};

// Objects that wait for readers to leave.
typedef struct {
  pthread_mutex_t lock;
  Retired *first;
} RetiredList;

void retired_init(RetiredList *list);
// Frees all objects: no thread reads any more.
void retired_free(RetiredList *list);

// `retired` has been taken out of all lists that readers start from; its
// `free`, `ctx` and `owner` are set.
void retired_add(RetiredList *list, Retired *retired);
// Frees the objects that no thread reads any more.
void retired_sweep(RetiredList *list);
// Frees all objects of `owner`, which no thread reads.
void retired_sweep_owner(RetiredList *list, const void *owner);

#endif
