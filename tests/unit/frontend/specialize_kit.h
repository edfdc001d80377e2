// specialize_kit.h -- from source text to IR text, or to messages, in one call.
//
// All memory is in the kit; kit_free() returns it.
#ifndef TILE_TESTS_SPECIALIZE_KIT_H
#define TILE_TESTS_SPECIALIZE_KIT_H

#include "frontend/frontend.h"
#include "ir/interp.h"
#include "ir/text.h"
#include "ir/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
  Arena arena;
  DiagList diags;
  Program *program;
  const AstFunction *kernel;
  Module *m;
  bool ok;
} Kit;

static inline Kit *kit_create(void) {
  Kit *kit = calloc(1, sizeof *kit);
  assert_non_null(kit);
  arena_init(&kit->arena, &system_allocator);
  diag_init(&kit->diags, &kit->arena);
  kit->m = module_create(&kit->arena, &kit->diags);
  return kit;
}

static inline void kit_free(Kit *kit) {
  arena_free(&kit->arena);
  free(kit);
}

// `signature` NULL: only the source gives types.
static inline void kit_run(Kit *kit, const char *signature) {
  const int n = function_num_params(kit->kernel);
  ArgSpec *args = calloc((size_t)n + 1, sizeof *args);
  kit->ok = true;
  if (signature)
    kit->ok = frontend_parse_signature(&kit->arena, &kit->diags, kit->kernel,
                                       signature, args);
  const Specialization spec = {.args = args};
  kit->ok = kit->ok &&
            frontend_specialize(kit->program, kit->kernel, &spec, kit->m) &&
            module_verify(kit->m);
  free(args);
}

static inline Kit *kit_specialize_named(const char *text, const char *kernel,
                                        const char *signature) {
  Kit *kit = kit_create();
  Source *source = source_create(&kit->arena, "t.tile", text, strlen(text));
  kit->program = frontend_parse(&kit->arena, &kit->diags, source, NULL);
  if (!kit->program) return kit;
  frontend_add_sources(kit->program, &kit->diags);
  kit->kernel = frontend_find_kernel(kit->program, &kit->diags, kernel);
  if (kit->kernel) kit_run(kit, signature);
  return kit;
}

static inline Kit *kit_specialize(const char *text, const char *signature) {
  return kit_specialize_named(text, NULL, signature);
}

// "line:column: severity: text" of each message.
static inline const char *kit_messages(Kit *kit) {
  Str out = str_in(&kit->arena);
  for (const Diag *d = kit->diags.first; d; d = d->next) {
    str_addf(&out, "%d:%d: %s: %s\n", d->loc.line, d->loc.column,
             severity_name(d->severity), d->text);
  }
  return str_text(&out);
}

// The kernel must be refused with these messages.
static inline void kit_check_refused(const char *text, const char *kernel,
                                     const char *messages) {
  Kit *kit = kit_specialize_named(text, kernel, NULL);
  assert_false(kit->ok);
  if (strcmp(kit_messages(kit), messages))
    fail_msg("%s\nexpected:\n%s\nfound:\n%s", text, messages,
             kit_messages(kit));
  kit_free(kit);
}

// The IR, or the messages when there is none.
static inline const char *kit_ir(Kit *kit) {
  Str out = str_in(&kit->arena);
  if (!kit->ok) return kit_messages(kit);
  module_print(kit->m, NULL, &out);
  return str_text(&out);
}

// Interprets one program of the kernel: its first parameter is a pointer to
// `size` bytes at `out`, the others are the integers of `rest`.
static inline bool kit_interpret(Kit *kit, void *out, size_t size,
                                 const int64_t *rest) {
  InterpArg args[16] = {{.as.p = out}};
  if (!kit->ok) return false;
  const int n = kit->m->functions->body->num_args;
  for (int i = 1; i < n && i < 16; i++) args[i].as.i = rest[i - 1];
  const InterpMemory memory = {out, size};
  const InterpLaunch launch = {.args = args,
                               .memory = &memory,
                               .num_memory = 1,
                               .grid = {1, 1, 1},
                               .max_steps = 1000000};
  return interp_run(&kit->arena, kit->m->functions, &launch, &kit->diags);
}

#define check_contains(text, part)                                             \
  do {                                                                         \
    const char *text_ = (text);                                                \
    if (!strstr(text_, (part)))                                                \
      fail_msg("expected:\n%s\nfound:\n%s", (part), text_);                    \
  } while (0)

#define check_lacks(text, part)                                                \
  do {                                                                         \
    const char *text_ = (text);                                                \
    if (strstr(text_, (part)))                                                 \
      fail_msg("unexpected:\n%s\nfound:\n%s", (part), text_);                  \
  } while (0)

#endif
