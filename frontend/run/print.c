// print.c -- the names of the main module and their values, as text.
#include "frontend/run/evaluate.h"
#include <string.h>

static const char *kind_text(const Thing *x) {
  static const char *const texts[] = {
#define THING(kind, text) [THING_##kind] = text,
#include "frontend/run/kinds.def"
  };
  const bool known = x->kind < sizeof texts / sizeof *texts && texts[x->kind];
  return known ? texts[x->kind] : "unknown";
}

static const char *value_text(Machine *m, Thing *x) {
  Str out = str_in(m->arena);
  const bool held = x->kind == THING_CONSTANT || x->kind == THING_TUPLE ||
                    x->kind == THING_LIST || x->kind == THING_DICT ||
                    x->kind == THING_SET;
  return held && thing_print(m, x, true, &out) ? str_text(&out) : NULL;
}

static void print_names(Machine *m, RunModule *main, Str *out) {
  const size_t count = main->names->cells.count;
  const char **texts = arena_array(m->arena, const char *, count + 1);
  const bool lost = m->lost, failed = lost || main->failed;
  for (size_t i = 0; i < count && !failed; i++) {
    Thing *x = cell_value(main->names->cells.items[i]);
    texts[i] = x ? value_text(m, x) : NULL;
  }
  if (!failed) run_later(m, main, NULL);
  for (size_t i = 0; i < count; i++) {
    const NameCell *cell = main->names->cells.items[i];
    Thing *x = cell_value(cell);
    const char *now = x && !m->lost ? value_text(m, x) : NULL;
    if (cell->name[0] == '_' && cell->name[1] == '_') continue;
    if (!lost && !texts[i] && !x) continue; // the name is deleted
    if (!texts[i])
      str_addf(out, "%s: %s\n", cell->name, failed ? "unknown" : kind_text(x));
    else if (now && !strcmp(now, texts[i]))
      str_addf(out, "%s = %s\n", cell->name, texts[i]);
    else
      str_addf(out, "%s: %s so far\n", cell->name, texts[i]);
  }
}

void frontend_print_module(Program *program, Str *out) {
  ProgramRun *run = run_program(program);
  print_names(&run->m, run->main, out);
}
