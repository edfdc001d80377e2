// class_member.c -- what `Class.name` of host code means.
//
// A name that the class does not define may come from its bases.  Where
// something is given the class as it is made, its lines do not say what it has.
#include "frontend/program.h"

static Symbol member_of_base(Program *program, DiagList *diags,
                             const Symbol *class, const Definition *d,
                             const Expr *base, const char *name, SrcLoc use) {
  const AstPlace place = {.order = d->order};
  Symbol symbol =
      program_meaning(program, diags, class->file, place, base, use);
  if (symbol.kind != SYMBOL_HOST && symbol.kind != SYMBOL_CLASS)
    return (Symbol){.kind = SYMBOL_ABSENT};
  symbol.order = symbol.file == class->file ? class->order : 0;
  return program_member(program, diags, symbol, name, use);
}

static bool is_remade(Program *program, DiagList *diags, AstFile *file,
                      const Definition *d, SrcLoc use);

// Does one of its bases make the class?
static bool bases_remake(Program *program, DiagList *diags, AstFile *file,
                         const Definition *d, SrcLoc use) {
  Expr *bases = program_parse_quietly(program, file, d->begin, d->end);
  const bool several = bases && bases->kind == EXPR_TUPLE;
  const ExprList list = several ? bases->items : (ExprList){&bases, bases != 0};
  const AstPlace place = {.order = d->order};
  bool remade = false;
  for (int i = 0; i < list.count && !remade; i++) {
    const Symbol base =
        program_meaning(program, diags, file, place, list.items[i], use);
    const bool host = base.kind == SYMBOL_HOST && !base.function && base.file;
    const Definition *of = host ? file_find(base.file, base.name) : NULL;
    if (!of) continue;
    const char *hook =
        arena_printf(program->arena, "%s.__init_subclass__", of->name);
    remade = file_find(of->file, hook) ||
             is_remade(program, diags, of->file, of, use);
  }
  return remade;
}

// May a decorator, or a class of its class, change what its lines say?
static bool is_remade(Program *program, DiagList *diags, AstFile *file,
                      const Definition *d, SrcLoc use) {
  if (d->is_remade || program->depth >= MAX_LOOKUPS) return d->is_remade;
  program->depth++;
  const bool remade =
      d->begin != d->end && bases_remake(program, diags, file, d, use);
  program->depth--;
  return remade;
}

// What the class has itself, or the first of its bases.
Symbol program_class_member(Program *program, DiagList *diags,
                            const Symbol *class, const char *name, SrcLoc use) {
  AstFile *file = class->file;
  if (class->function) return (Symbol){.kind = SYMBOL_ABSENT};
  Symbol found = program_lookup_at(
      program, diags, file, (AstPlace){.order = class->order},
      arena_printf(program->arena, "%s.%s", class->name, name), use);
  const Definition *d = file_find_at(file, class->name, class->order);
  const bool is_class = d && d->kind == DEFINES_HOST && !d->function;
  if (is_class &&
      (found.kind == SYMBOL_GLOBAL || found.kind == SYMBOL_ABSENT) &&
      is_remade(program, diags, file, d, use))
    return (Symbol){.kind = SYMBOL_ABSENT};
  const bool has_bases =
      d && d->kind == DEFINES_HOST && !d->function && d->begin != d->end;
  if (found.kind != SYMBOL_ABSENT || !has_bases ||
      program->depth >= MAX_LOOKUPS)
    return found;
  Expr *bases = program_parse_quietly(program, file, d->begin, d->end);
  if (!bases) return (Symbol){.kind = SYMBOL_ABSENT};
  const bool several = bases->kind == EXPR_TUPLE;
  const ExprList list = several ? bases->items : (ExprList){&bases, 1};
  program->depth++;
  for (int i = 0; i < list.count && found.kind == SYMBOL_ABSENT; i++)
    found = member_of_base(program, diags, class, d, list.items[i], name, use);
  program->depth--;
  return found;
}
