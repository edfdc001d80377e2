// import_effects.c -- effects of importing a file, from its tokens alone.
//
// Example: `import a` in the module's lines is needed: if it fails, so does the
// import of the file. Below an `if` it may be left out, and in a function it is
// not run.
#include "frontend/module/module.h"
#include "frontend/scan/scan.h"

typedef struct {
  Scanner s;  // of the file that is searched
  int blocks; // around the statement
  ImportEffects out;
} EffectSearch;

static void add(EffectSearch *search, AstFile *file, bool needed) {
  Arena *arena = search->s.program->arena;
  if (file && needed) vec_push(arena, &search->out.needed, file);
  if (file && !needed) vec_push(arena, &search->out.run, file);
}

// `from package import module` runs both files.
static void add_import(EffectSearch *search, const ImportedName *x) {
  Program *program = search->s.program;
  const Import whole = {x->import.level, x->module, NULL};
  const Import part = {x->import.level, x->module, x->import.member};
  AstFile *module = locate_import(program, search->s.file, &whole);
  add(search, module, !search->blocks);
  if (part.member && (!module || module->is_package))
    add(search, locate_import(program, search->s.file, &part), false);
}

// `if TYPE_CHECKING:` is false when the program runs.
static bool is_for_checkers(const Scanner *s, uint32_t token) {
  if (scan_kind(s, token) != TOKEN_IF) return false;
  const uint32_t colon = scan_header_end(s, token);
  return scan_is_word(s, colon - 1, "TYPE_CHECKING") &&
         scan_after_trailers(s, token + 2, colon) == colon;
}

// Steps over a block that is not run, or over the first token of a statement.
static uint32_t step(EffectSearch *search, uint32_t i) {
  const Scanner *s = &search->s;
  const int kind = scan_kind(s, i);
  if (is_for_checkers(s, i)) return scan_after_block(s, i);
  if (kind == TOKEN_RAISE) search->out.may_raise = true;
  if (kind == TOKEN_IMPORT || kind == TOKEN_FROM) {
    const ImportedNames names = import_names(s->program, s->file, i);
    for (size_t k = 0; k < names.count; k++)
      add_import(search, &names.items[k]);
  }
  return i + 1;
}

// Notes the variables that a function sets.  Files that are only imported have
// functions that set variables whose names they get as arguments: these count
// only in the main file, or if a run of the modules calls them.
static uint32_t step_over_function(EffectSearch *search, uint32_t def) {
  Scanner *s = &search->s;
  const bool any = s->program->any_variable;
  const uint32_t end = scan_after_block(s, def);
  scan_environment(s, def, end);
  if (s->file != program_main_file(s->program)) s->program->any_variable = any;
  return end;
}

ImportEffects import_effects(Program *program, AstFile *file) {
  EffectSearch search = {.s = {.program = program, .file = file}};
  Scanner *s = &search.s;
  const uint32_t end = (uint32_t)file->list.tokens.count - 1;
  for (uint32_t i = 0; i < end;) {
    const int kind = scan_kind(s, i);
    const int before = i ? scan_kind(s, i - 1) : TOKEN_NEWLINE;
    search.blocks += (kind == TOKEN_INDENT) - (kind == TOKEN_DEDENT);
    const uint32_t begin = i;
    if (token_nesting(kind) > 0)
      i = scan_after_brackets(s, i);
    else if (kind == TOKEN_DEF)
      i = step_over_function(&search, i);
    else
      i = scan_begins_statement(before) ? step(&search, i) : i + 1;
    if (kind != TOKEN_DEF) scan_environment(s, begin, i);
  }
  return search.out;
}
