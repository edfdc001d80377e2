// parse_kit.h -- parsing a text in one call, for the tests of the frontend.
//
// All memory is in the kit; parse_free() returns it.
#ifndef TILE_TESTS_PARSE_KIT_H
#define TILE_TESTS_PARSE_KIT_H

#include "frontend/frontend.h"
#include "frontend/module/imports.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
  const char *path, *text;
} KitFile;

typedef struct {
  Arena arena;
  DiagList diags;
  Program *program;
  const KitFile *files; // ends with {0}
} Kit;

static inline const char *kit_read(void *ctx, const char *path, Arena *arena,
                                   size_t *length) {
  const Kit *kit = ctx;
  for (const KitFile *f = kit->files; f && f->path; f++) {
    if (strcmp(f->path, path) != 0) continue;
    *length = strlen(f->text);
    return arena_strdup(arena, f->text);
  }
  return NULL;
}

static inline Kit *kit_create(void) {
  Kit *kit = calloc(1, sizeof *kit);
  assert_non_null(kit);
  arena_init(&kit->arena, &system_allocator);
  diag_init(&kit->diags, &kit->arena);
  return kit;
}

static inline void kit_free(Kit *kit) {
  arena_free(&kit->arena);
  free(kit);
}

static inline Kit *kit_parse_bytes(const char *name, const char *text,
                                   size_t length) {
  Kit *kit = kit_create();
  const Source *source = source_create(&kit->arena, name, text, length);
  const FrontendOptions options = {.reader = {kit, kit_read}};
  kit->program = frontend_parse(&kit->arena, &kit->diags, source, &options);
  return kit;
}

static inline Kit *kit_parse(const char *text) {
  return kit_parse_bytes("t.py", text, strlen(text));
}

static inline const char *kit_messages(Kit *kit) {
  Str out = str_in(&kit->arena);
  for (const Diag *d = kit->diags.first; d; d = d->next) {
    str_addf(&out, "%d:%d: %s: %s\n", d->loc.line, d->loc.column,
             severity_name(d->severity), d->text);
  }
  return str_text(&out);
}

static inline const char *kit_ast(Kit *kit) {
  Str out = str_in(&kit->arena);
  if (!kit->program) return kit_messages(kit);
  frontend_print_ast(kit->program, &out);
  return str_text(&out);
}

#endif
