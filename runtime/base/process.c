// process.c -- detects that a fork() has happened since an object was made.
//
// The mark is in a page that the kernel clears in children (MADV_WIPEONFORK),
// so that a check costs a load; if the kernel cannot do this, each check calls
// getpid().
#define _DEFAULT_SOURCE // MAP_ANONYMOUS, madvise
#include "runtime/base/process.h"

#include <assert.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

enum { PAGE = 4096, IS_ADOPTING = -1 };

bool process_mark(ProcessMark *mark) {
  void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *mark = (ProcessMark){.owner = NULL};
  if (page == MAP_FAILED) return false;
  mark->is_wiped = !madvise(page, PAGE, MADV_WIPEONFORK);
  mark->owner = page;
  atomic_store(mark->owner, (int)getpid());
  return true;
}

void process_unmark(ProcessMark *mark) {
  if (mark->owner) munmap((void *)mark->owner, PAGE);
  mark->owner = NULL;
}

static bool is_same(const ProcessMark *mark, int owner) {
  return owner > 0 && (mark->is_wiped || owner == (int)getpid());
}

bool process_is_same(const ProcessMark *mark) {
  return is_same(mark, atomic_load_explicit(mark->owner, memory_order_acquire));
}

void process_adopt(ProcessMark *mark, void (*renew)(void *ctx), void *ctx) {
  int owner = atomic_load_explicit(mark->owner, memory_order_acquire);
  while (!is_same(mark, owner)) {
    if (owner != IS_ADOPTING &&
        atomic_compare_exchange_strong(mark->owner, &owner, IS_ADOPTING)) {
      assert(atomic_load(mark->owner) == IS_ADOPTING); // I4
      renew(ctx);
      atomic_store(mark->owner, (int)getpid());
    } else {
      sched_yield();
    }
    owner = atomic_load(mark->owner);
  }
}
