// upgrade.c -- the queue of variants to compile again, and its thread.
//
// LLVM has lists of the process with nodes on the stacks of threads that
// compile.  A child of fork() has the lists, and its threads get the memory of
// these stacks.  So fork() waits for the thread, which holds a lock of its own
// whenever it compiles or has another lock.
#define _GNU_SOURCE // PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP
#include "runtime/compile/cache.h"

#include "ir/text.h"

#include "runtime/base/base.h"
#include "runtime/base/threads.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// -- Compiling ---------------------------------------------------------------

typedef struct {
  VariantUpgrade *upgrade;
  Arena arena;
  DiagList diags;
  CompiledCode code;
  bool ok;
} SecondCompilation;

static void compile_body(void *data) {
  SecondCompilation *c = data;
  const char *ir = c->upgrade->ir;
  TileDevice *device = c->upgrade->variant->device;
  CodegenOptions codegen = device_codegen(device);
  codegen.quick = false;
  diag_init(&c->diags, &c->arena);
  Module *module = module_create(&c->arena, &c->diags);
  Source *source = source_create(&c->arena, "<kernel>", ir, strlen(ir));
  c->ok =
      module_parse(module, source) &&
      codegen_emit(module, device->target, device->code, &codegen, &c->code);
}

static bool load(SecondCompilation *c) {
  VariantUpgrade *u = c->upgrade;
  TileDevice *device = u->variant->device;
  const KernelInfo *made = &c->code.kernels[0];
  Fault fault;
  fault_clear(&fault);
  u->info = u->variant->info;
  u->info.scratch_bytes = made->scratch_bytes;
  u->info.keeps_scratch = made->keeps_scratch;
  assert(made->num_params == u->info.num_params && "of another kernel"); // I15
  return device->ops->load(device, &c->code, &u->info, &u->loaded, &fault);
}

static void tell(const LineLog *log, const VariantUpgrade *u, double seconds) {
  char line[256];
  if (!log->write) return;
  snprintf(line, sizeof line, "compiled %s again for %s in %.2f ms",
           u->variant->symbol, u->variant->device->name, seconds * 1e3);
  log->write(log->ctx, line);
}

// -- Against fork() ----------------------------------------------------------

// Threads that compile read it, a fork() writes.
#define UNLOCKED PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP
static pthread_rwlock_t forks = UNLOCKED;

static void before_fork(void) {
  pthread_rwlock_wrlock(&forks);
}

static void after_fork(void) {
  pthread_rwlock_unlock(&forks);
}

// The lock knows its writer by the number of the thread, which the child has
// not.
static void in_child(void) {
  const pthread_rwlock_t unlocked = UNLOCKED;
  forks = unlocked;
}

static bool can_stop_forks;

static void watch_forks(void) {
  can_stop_forks = !pthread_atfork(before_fork, after_fork, in_child);
}

static bool stop_forks(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
  return can_stop_forks;
}

// -- The thread --------------------------------------------------------------

// If it fails, the quick code stays.  The log may be slow, and may fork.
static void upgrade(const UpgradeQueue *queue, VariantUpgrade *u) {
  SecondCompilation c = {.upgrade = u};
  const double start = clock_seconds();
  arena_init(&c.arena, queue->from);
  const bool ok = arena_protect(&c.arena, compile_body, &c) && c.ok && load(&c);
  arena_free(&c.arena);
  if (!ok) return;
  atomic_store_explicit(&u->is_done, true, memory_order_release);
  pthread_rwlock_unlock(&forks);
  tell(&queue->log, u, clock_seconds() - start);
  pthread_rwlock_rdlock(&forks);
}

static void wait_for_work(UpgradeQueue *queue) {
  pthread_rwlock_unlock(&forks);
  pthread_cond_wait(&queue->changed, &queue->lock);
  pthread_mutex_unlock(&queue->lock);
  pthread_rwlock_rdlock(&forks);
  pthread_mutex_lock(&queue->lock);
}

static void *work(void *data) {
  UpgradeQueue *queue = data;
  pthread_rwlock_rdlock(&forks);
  pthread_mutex_lock(&queue->lock);
  while (!queue->ends) {
    VariantUpgrade *u = queue->first;
    if (!u) {
      wait_for_work(queue);
      continue;
    }
    queue->first = u->next;
    queue->current = u;
    pthread_mutex_unlock(&queue->lock);
    upgrade(queue, u);
    pthread_mutex_lock(&queue->lock);
    // The lock is held: once the variant is not pinned, another thread may free
    // it, and upgrade_forget() reads `current`.
    cache_unpin(u->cache, u->variant);
    queue->current = NULL;
    pthread_cond_broadcast(&queue->changed);
  }
  pthread_mutex_unlock(&queue->lock);
  pthread_rwlock_unlock(&forks);
  return NULL;
}

static void begin(void *data) {
  UpgradeQueue *queue = data;
  queue->runs = queue->ends = false;
  queue->current = NULL;
  pthread_mutex_init(&queue->lock, NULL);
  pthread_cond_init(&queue->changed, NULL);
}

bool upgrades_init(UpgradeQueue *queue, const Allocator *from, LineLog log) {
  *queue = (UpgradeQueue){.from = from, .log = log};
  begin(queue);
  return process_mark(&queue->process);
}

// A child of fork() has the queue, but not the thread.
static void enter(UpgradeQueue *queue) {
  process_adopt(&queue->process, begin, queue);
  pthread_mutex_lock(&queue->lock);
}

void upgrades_end(UpgradeQueue *queue) {
  enter(queue);
  assert(!queue->first && !queue->current && "a variant is left"); // I16
  queue->ends = true;
  pthread_cond_broadcast(&queue->changed);
  const bool runs = queue->runs;
  pthread_mutex_unlock(&queue->lock);
  if (runs) pthread_join(queue->thread, NULL);
  process_unmark(&queue->process);
  pthread_cond_destroy(&queue->changed);
  pthread_mutex_destroy(&queue->lock);
}

// -- The queue ---------------------------------------------------------------

static bool append(UpgradeQueue *queue, VariantUpgrade *u) {
  if (!queue->runs && stop_forks())
    queue->runs = threads_start(&queue->thread, ROOM_TO_COMPILE, work, queue);
  if (!queue->runs) return false;
  VariantUpgrade **link = &queue->first;
  while (*link) link = &(*link)->next;
  *link = u;
  u->next = NULL;
  pthread_cond_broadcast(&queue->changed);
  return true;
}

void upgrade_ask(UpgradeQueue *queue, VariantUpgrade *u) {
  if (!cache_pin(u->cache, u->variant)) return;
  enter(queue);
  const bool ok = append(queue, u);
  pthread_mutex_unlock(&queue->lock);
  if (!ok) cache_unpin(u->cache, u->variant);
}

static bool is_of(const VariantUpgrade *u, const VariantCache *cache,
                  const TileDevice *device) {
  return u && (!cache || u->cache == cache) &&
         (!device || u->variant->device == device);
}

void upgrade_forget(UpgradeQueue *queue, const VariantCache *cache,
                    const TileDevice *device) {
  enter(queue);
  for (VariantUpgrade **link = &queue->first; *link;) {
    if (is_of(*link, cache, device))
      *link = (*link)->next;
    else
      link = &(*link)->next;
  }
  while (is_of(queue->current, cache, device))
    pthread_cond_wait(&queue->changed, &queue->lock);
  pthread_mutex_unlock(&queue->lock);
}

// -- Variants ----------------------------------------------------------------

typedef struct {
  Arena *arena;
  const Module *module;
  Str text;
} ModuleText;

static void print_body(void *data) {
  ModuleText *p = data;
  p->text = str_in(p->arena);
  module_print(p->module, &(PrintOptions){.locations = true}, &p->text);
  str_text(&p->text);
}

void upgrade_prepare(VariantCache *cache, Variant *variant, Arena *arena,
                     const Module *module) {
  const Allocator *from = cache->from;
  ModuleText p = {.arena = arena, .module = module};
  if (!arena_protect(arena, print_body, &p)) return;
  VariantUpgrade *u = from->alloc(from->ctx, sizeof *u + p.text.length + 1);
  if (!u) return;
  *u = (VariantUpgrade){.cache = cache, .variant = variant};
  memcpy(u->ir, str_text(&p.text), p.text.length + 1);
  variant->upgrade = u;
}

void upgrade_free(const Allocator *from, VariantUpgrade *u,
                  TileDevice *device) {
  if (!u) return;
  if (u->loaded) device->ops->unload(device, u->loaded);
  from->free(from->ctx, u);
}
