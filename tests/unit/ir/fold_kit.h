// fold_kit.h -- an empty kernel to build operations in.
#ifndef TILE_TESTS_FOLD_KIT_H
#define TILE_TESTS_FOLD_KIT_H

#include "ir/builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
  Arena arena;
  DiagList diags;
  Module *m;
  Builder b;
} Fixture;

static inline void fixture_open(Fixture *f) {
  arena_init(&f->arena, &system_allocator);
  diag_init(&f->diags, &f->arena);
  f->m = module_create(&f->arena, &f->diags);
  const SrcLoc loc = {0};
  Function *function = function_create(f->m, "k", loc, 0, NULL);
  f->b = builder_at_end(f->m, function->body, loc);
}

static inline const Type *scalar(Fixture *f, Elem elem) {
  return type_scalar(&f->m->types, elem);
}

#endif
