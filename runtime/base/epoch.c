// epoch.c -- epoch-based reclamation: a global epoch, and for each thread the
// epoch at which it entered.
//
// A thread that enters first stores its epoch and then reads lists; a thread
// that takes an entry out of a list does so first and then reads the epochs of
// the other threads.  All of this is sequentially consistent, so one of the two
// sees the other.
//
// A thread enters at 5 and finds a variant in a list.  Another one takes the
// variant out and makes the epoch 6; it sees that a thread entered at 5, which
// may still use the variant, so the variant is not freed.  Once the first
// thread has left, no thread is at less than 6, and the variant is freed.
//
// The nodes of threads are in one list of the process, which only grows: a
// thread that ends leaves its node to another.  A child of fork() has them all;
// the nodes of threads that the child does not have say that they are outside.
#include "runtime/base/epoch.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { LINE = 64 };

typedef struct EpochReader EpochReader;
struct EpochReader {
  _Atomic uint64_t entered; // 0: outside
  unsigned depth;           // of calls; the thread's own
  atomic_bool is_taken;
  EpochReader *next;
};
_Static_assert(sizeof(EpochReader) <= LINE, "a cache line for each thread");

static _Atomic uint64_t now = 1;
static _Atomic(EpochReader *) readers;
static _Thread_local EpochReader *own;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key; // its destructor tells when a thread ends
static bool has_key;

// -- Threads -----------------------------------------------------------------

static void leave_for_good(void *data) {
  EpochReader *reader = data;
  own = NULL;
  atomic_store(&reader->is_taken, false);
}

static void make_key(void) {
  has_key = !pthread_key_create(&key, leave_for_good);
}

static EpochReader *take_idle(void) {
  for (EpochReader *r = atomic_load(&readers); r; r = r->next) {
    if (!atomic_exchange(&r->is_taken, true)) return r;
  }
  return NULL;
}

static EpochReader *make_reader(void) {
  EpochReader *reader = aligned_alloc(LINE, LINE);
  if (!reader) return NULL;
  *reader = (EpochReader){.is_taken = true};
  reader->next = atomic_load(&readers);
  while (!atomic_compare_exchange_weak(&readers, &reader->next, reader)) {
  }
  return reader;
}

static bool join(void) {
  pthread_once(&once, make_key);
  if (!has_key) return false;
  EpochReader *reader = take_idle();
  if (!reader) reader = make_reader();
  if (!reader) return false;
  if (pthread_setspecific(key, reader)) {
    atomic_store(&reader->is_taken, false);
    return false;
  }
  own = reader;
  return true;
}

bool epoch_enter(void) {
  if (!own && !join()) return false;
  EpochReader *reader = own;
  if (!reader->depth++) atomic_store(&reader->entered, atomic_load(&now));
  return true;
}

void epoch_leave(void) {
  EpochReader *reader = own;
  assert(reader && reader->depth && "left without having entered"); // I7
  if (!--reader->depth)
    atomic_store_explicit(&reader->entered, 0, memory_order_release);
}

// After the library is unloaded, the destructor of the key must not run.  The
// nodes stay: at the end of the process other threads may still be inside.
__attribute__((destructor)) static void forget_key(void) {
  if (has_key) pthread_key_delete(key);
}

// -- Objects that wait -------------------------------------------------------

void retired_init(RetiredList *list) {
  *list = (RetiredList){.first = NULL};
  pthread_mutex_init(&list->lock, NULL);
}

void retired_add(RetiredList *list, Retired *retired) {
  retired->epoch = atomic_fetch_add(&now, 1);
  pthread_mutex_lock(&list->lock);
  retired->next = list->first;
  list->first = retired;
  pthread_mutex_unlock(&list->lock);
}

// The oldest epoch among those of threads that are still inside.
static uint64_t oldest_entry(void) {
  uint64_t oldest = UINT64_MAX;
  for (EpochReader *r = atomic_load(&readers); r; r = r->next) {
    const uint64_t entered = atomic_load(&r->entered);
    if (entered && entered < oldest) oldest = entered;
  }
  return oldest;
}

// Frees objects retired before `epoch`, and those of `owner`.  The caller holds
// the list's lock, or is its last user.
static void free_some(RetiredList *list, uint64_t epoch, const void *owner) {
  for (Retired **link = &list->first; *link;) {
    Retired *retired = *link;
    if (retired->epoch >= epoch && (!owner || retired->owner != owner)) {
      link = &retired->next;
      continue;
    }
    *link = retired->next;
    retired->free(retired->ctx, retired);
  }
}

// The lock is held while objects are freed, so that no owner is destroyed
// meanwhile.
void retired_sweep(RetiredList *list) {
  if (pthread_mutex_trylock(&list->lock)) return; // another thread sweeps
  if (list->first) free_some(list, oldest_entry(), NULL);
  pthread_mutex_unlock(&list->lock);
}

void retired_sweep_owner(RetiredList *list, const void *owner) {
  pthread_mutex_lock(&list->lock);
  free_some(list, 0, owner);
  pthread_mutex_unlock(&list->lock);
}

void retired_free(RetiredList *list) {
  free_some(list, UINT64_MAX, NULL);
  pthread_mutex_destroy(&list->lock);
}
