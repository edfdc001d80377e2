// process.h -- tells the process that made an object from a child that fork()
// has made of the process.
//
// A child has the memory of its parent but one thread only: a wait for another
// thread of the parent would never end.
#ifndef TILE_RUNTIME_PROCESS_H
#define TILE_RUNTIME_PROCESS_H

#include <stdatomic.h>
#include <stdbool.h>

typedef struct {
  _Atomic int *owner; // the process's number
  bool is_wiped;      // the page is 0 in a child
} ProcessMark;

// False if memory runs out.
bool process_mark(ProcessMark *mark);
void process_unmark(ProcessMark *mark);

bool process_is_same(const ProcessMark *mark);

// In a child, makes the object the child's own: the first thread that comes
// here calls renew(ctx), and all others wait for it.
void process_adopt(ProcessMark *mark, void (*renew)(void *ctx), void *ctx);

#endif
