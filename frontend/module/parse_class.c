// parse_class.c -- fields and methods of a class whose objects kernels make.
#include "frontend/module/program.h"

static const AstClass *find_base(Program *program, DiagList *diags,
                                 AstFile *file, const Definition *d) {
  if (!d->base) return NULL;
  const AstPlace place = {.order = d->order};
  Symbol symbol =
      program_lookup_at(program, diags, file, place, d->base, d->loc);
  if (symbol.kind == SYMBOL_ABSENT)
    symbol = program_lookup(program, diags, file, d->base, d->loc);
  return symbol.kind == SYMBOL_CLASS ? symbol.class : NULL;
}

// Is `class` a base of `base`, directly or through others, in a cycle?
static bool is_above(const AstClass *class, const AstClass *base) {
  while (base && base != class) base = base->base;
  return base;
}

// A field replaces one of the same name in the base.
static AstField *add_field(AstClass *class, const char *name) {
  for (int i = 0; i < class->num_fields; i++) {
    if (class->fields[i].name == name) return &class->fields[i];
  }
  return &class->fields[class->num_fields++];
}

// The expression in the tokens; NULL if there are none, or they are no
// expression.
static Expr *parse_part(Program *program, AstFile *file, uint32_t begin,
                        uint32_t end) {
  return begin < end ? program_parse_quietly(program, file, begin, end) : NULL;
}

void class_parse_fields(Program *program, DiagList *diags, AstFile *file,
                        Definition *d) {
  AstClass *class = d->class;
  const AstClass *base = find_base(program, diags, file, d);
  class->is_circular = is_above(class, base);
  class->base = class->is_circular ? NULL : base;
  const int inherited = class->base ? class->base->num_fields : 0;
  const int n = (int)d->fields.count;
  class->fields = arena_array(program->arena, AstField, inherited + n + 1);
  for (int i = 0; i < inherited; i++)
    *add_field(class, class->base->fields[i].name) = class->base->fields[i];
  for (int i = 0; i < n; i++) {
    const FieldTokens *field = &d->fields.items[i];
    *add_field(class, field->name) =
        (AstField){.name = field->name,
                   .value = parse_part(program, file, field->begin, field->end),
                   .is_constexpr = field->is_constexpr,
                   .annotation = parse_part(program, file, field->annotation,
                                            field->annotation_end),
                   .file = file};
  }
}
