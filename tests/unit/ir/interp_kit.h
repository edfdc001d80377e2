// interp_kit.h -- runs kernels written as IR text in the interpreter.
#ifndef TILE_TESTS_INTERP_KIT_H
#define TILE_TESTS_INTERP_KIT_H

#include "ir/interp.h"
#include "ir/text.h"
#include "ir/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { KIT_ARGS = 8 };

typedef struct {
  Arena arena;
  DiagList diags;
  Module *m;
  InterpArg args[KIT_ARGS];
  InterpMemory memory[KIT_ARGS];
  InterpLaunch launch;
} Kit;

// The kinds of op that this program has run.
static bool kit_seen[OP_COUNT];

static inline void kit_see(const Block *block) {
  for (const Op *op = block->first; op; op = op->next) {
    kit_seen[op->kind] = true;
    for (int i = 0; i < op->num_regions; i++) kit_see(op->regions[i]);
  }
}

static inline void kit_init(Kit *kit) {
  *kit = (Kit){0};
  arena_init(&kit->arena, &system_allocator);
  diag_init(&kit->diags, &kit->arena);
  kit->m = module_create(&kit->arena, &kit->diags);
  kit->launch = (InterpLaunch){.args = kit->args,
                               .memory = kit->memory,
                               .grid = {1, 1, 1},
                               .max_steps = 1000000};
}

static inline const char *kit_messages(Kit *kit) {
  Str text = str_in(&kit->arena);
  diag_render_all(&kit->diags, false, &text);
  return str_text(&text);
}

static inline void kit_open(Kit *kit, const char *text) {
  kit_init(kit);
  Source *source = source_create(&kit->arena, "t.tir", text, strlen(text));
  diag_add_source(&kit->diags, source);
  if (module_parse(kit->m, source)) module_verify(kit->m);
  assert_string_equal(kit_messages(kit), "");
}

static inline void kit_memory(Kit *kit, int arg, void *base, size_t size) {
  kit->args[arg].as.p = base;
  kit->memory[kit->launch.num_memory++] = (InterpMemory){base, size};
}

static inline bool kit_try(Kit *kit) {
  kit_see(kit->m->functions->body);
  return interp_run(&kit->arena, kit->m->functions, &kit->launch, &kit->diags);
}

static inline void kit_close(Kit *kit) {
  arena_free(&kit->arena);
}

static inline void kit_pass(Kit *kit) {
  const bool ok = kit_try(kit);
  assert_string_equal(kit_messages(kit), "");
  assert_true(ok);
  kit_close(kit);
}

static inline void kit_fail(Kit *kit, const char *message) {
  assert_false(kit_try(kit));
  const char *text = kit_messages(kit);
  if (!strstr(text, message)) fail_msg("expected '%s' in:\n%s", message, text);
  kit_close(kit);
}

// Every op that is not elementwise, from `first` up to `end`, was in a kernel.
static inline void kit_covers(int first, int end) {
  for (int kind = first; kind < end; kind++) {
    if (op_info[kind].traits & TRAIT_ELEMENTWISE) continue;
    if (!kit_seen[kind]) fail_msg("'%s' has no test", op_info[kind].name);
  }
}

#endif
