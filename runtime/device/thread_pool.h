// thread_pool.h -- runs many small tasks on all processors, and waits for them.
//
// Any number of threads may run jobs on one pool at the same time; a thread
// that runs a job works on it too, so a pool of one thread starts none.
#ifndef TILE_RUNTIME_THREAD_POOL_H
#define TILE_RUNTIME_THREAD_POOL_H

#include "ir/base/base.h"

#include <stdint.h>

typedef struct ThreadPool ThreadPool;

// Tasks `begin` to `end` (exclusive).  `scratch` is 64-byte aligned, private to
// the caller while it runs, and undefined at entry; if `again`, it is as
// another call of the same job left it.
typedef void PoolTaskFn(void *ctx, uint64_t begin, uint64_t end, void *scratch,
                        bool again);

// `num_threads` includes the thread that runs a job; 0: threads_wanted().  NULL
// if memory ran out.  If the system refuses threads, the pool has fewer.
//
// A child of fork() has none of the threads.  If no thread was inside a call at
// the fork, the child may destroy the pool, and a job starts threads anew.
ThreadPool *thread_pool_create(const Allocator *from, int num_threads);
void thread_pool_destroy(ThreadPool *pool);
int thread_pool_size(const ThreadPool *pool);
// The calling thread's number in its pool, from 1 for its workers; a thread
// that runs a job has 0.
int thread_pool_number(void);

// Returns when all `count` tasks are done.  False, with none begun, if there is
// no memory for the caller's scratch.
bool thread_pool_run(ThreadPool *pool, uint64_t count, size_t scratch_bytes,
                     PoolTaskFn *task, void *ctx);

#endif
