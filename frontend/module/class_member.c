// class_member.c -- the meaning of `Class.name` of host code.
//
// A name that the class does not define may come from its bases.  If a
// decorator, a metaclass or a hook of a base gets the class, it may have other
// members than its lines define.
//
// For example, `C.W` with `class C(Base)` is W of Base.  `E.D` is unknown if a
// decorator of the file, which may change it, is above `class E`, even if its
// lines have `D = 3`.
#include "frontend/module/set_members.h"
#include "frontend/scan/scan.h"

#include <string.h>

bool definition_is_class(const Definition *d) {
  return d->kind == DEFINES_CLASS || (d->kind == DEFINES_HOST && !d->function);
}

Symbol symbol_of_class(const AstClass *class) {
  return (Symbol){.kind = SYMBOL_CLASS,
                  .name = class->name,
                  .loc = class->loc,
                  .class = class,
                  .file = class->file};
}

// The definition of the class, as several classes may have its name.  `*next`:
// the next class of that name, or NULL.
static const Definition *definition_of(const Symbol *class,
                                       const Definition **next) {
  const Definition *d = file_find(class->file, class->name);
  *next = NULL;
  for (; d && !loc_same(d->loc, class->loc); d = d->before) {
    if (definition_is_class(d)) *next = d;
  }
  return d;
}

uint32_t class_order(const Symbol *class) {
  const Definition *next;
  if (!definition_of(class, &next) || !next) return class->order;
  return class->order && class->order < next->order ? class->order
                                                    : next->order;
}

// The definition of a class that is known by name; NULL for one that a function
// returned.
static const Definition *known_definition(const Symbol *class) {
  const Definition *next;
  return class->file && class->name && !class->function
             ? definition_of(class, &next)
             : NULL;
}

// The base classes; an empty list also if the parentheses contain more, such as
// `metaclass=...`.
static ExprList bases_of(Program *program, AstFile *file, const Definition *d) {
  Expr **base = arena_new(program->arena, Expr *);
  *base = d->begin != d->end
              ? program_parse_quietly(program, file, d->begin, d->end)
              : NULL;
  if (!*base) return (ExprList){0};
  return (*base)->kind == EXPR_TUPLE ? (*base)->items : (ExprList){base, 1};
}

static Symbol meaning_of_base(Program *program, AstFile *file,
                              const Definition *d, const Expr *base) {
  DiagList quiet;
  diag_init_muted(&quiet, program->arena);
  return program_meaning(program, &quiet, file, (AstPlace){.order = d->order},
                         base, base->loc);
}

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

// May a base change the class, by `__init_subclass__` or a metaclass?
static bool bases_remake(Program *program, DiagList *diags, AstFile *file,
                         const Definition *d, SrcLoc use) {
  const ExprList list = bases_of(program, file, d);
  const AstPlace place = {.order = d->order};
  bool remade = false;
  for (int i = 0; i < list.count && !remade; i++) {
    const Symbol base =
        program_meaning(program, diags, file, place, list.items[i], use);
    const bool host = base.kind == SYMBOL_HOST && !base.function && base.file;
    const Definition *next, *of = host ? definition_of(&base, &next) : NULL;
    if (!of) continue;
    const char *hook =
        arena_printf(program->arena, "%s.__init_subclass__", of->name);
    remade = file_find(of->file, hook) ||
             is_remade(program, diags, of->file, of, use);
  }
  return remade;
}

// May a decorator, a metaclass or a base change the class?
static bool is_remade(Program *program, DiagList *diags, AstFile *file,
                      const Definition *d, SrcLoc use) {
  if (d->is_remade || program->depth >= MAX_LOOKUPS) return d->is_remade;
  program->depth++;
  const bool remade =
      d->begin != d->end && bases_remake(program, diags, file, d, use);
  program->depth--;
  return remade;
}

// Makes the member uncertain: it may be another one, or absent.
static Symbol in_doubt(Program *program, const Definition *d, const char *name,
                       Symbol found) {
  if (found.kind != SYMBOL_GLOBAL) {
    found.doubtful = d;
    return found;
  }
  found.name = name;
  found.loc = d->loc;
  found.global = global_unknown(program->arena, name, d->loc);
  return found;
}

// `found` becomes uncertain if a later class of the same name, which may hide
// this one, has no such member.
static Symbol unless_hidden(Program *program, const Symbol *class,
                            const Definition *d, Symbol found) {
  const Definition *member = found.kind == SYMBOL_GLOBAL && found.file
                                 ? file_find(found.file, found.name)
                                 : NULL;
  if (!member || found.file != class->file || !d->uncertain ||
      member->order > d->order)
    return found;
  return in_doubt(program, d, found.name, found);
}

static bool has_bases(const Definition *d) {
  return d && d->kind == DEFINES_HOST && !d->function && d->begin != d->end;
}

// Does the class that `base` refers to define the member itself?
static bool is_own(Program *program, const Symbol *class, const Definition *d,
                   const Expr *base, const char *name) {
  const Symbol symbol = meaning_of_base(program, class->file, d, base);
  return symbol.file && symbol.name &&
         file_find(symbol.file,
                   arena_printf(program->arena, "%s.%s", symbol.name, name));
}

// The member of the first base that has one.  If that base only inherits the
// member, a later base may come before it in Python's order (MRO); if the later
// base has another member of that name, the result is uncertain.
static Symbol inherited(Program *program, DiagList *diags, const Symbol *class,
                        const Definition *d, const char *name, SrcLoc use) {
  Symbol found = {.kind = SYMBOL_ABSENT};
  const ExprList list = bases_of(program, class->file, d);
  int i = 0;
  if (program->depth >= MAX_LOOKUPS) return found;
  program->depth++;
  for (; i < list.count && found.kind == SYMBOL_ABSENT; i++)
    found = member_of_base(program, diags, class, d, list.items[i], name, use);
  if (i < list.count && found.kind != SYMBOL_ABSENT &&
      !is_own(program, class, d, list.items[i - 1], name)) {
    for (; i < list.count; i++) {
      const Symbol other =
          member_of_base(program, diags, class, d, list.items[i], name, use);
      if (other.kind == SYMBOL_ABSENT || loc_same(other.loc, found.loc))
        continue;
      found = in_doubt(program, d,
                       arena_printf(program->arena, "%s.%s", class->name, name),
                       found);
      break;
    }
  }
  program->depth--;
  return found;
}

// Does the class have a definition of `name` between the two?
static bool has_own(const AstFile *file, const char *name,
                    const Definition *class, const Definition *next) {
  const Definition *d = file_find(file, name);
  while (d && d->order > next->order) d = d->before;
  return d && d->order > class->order;
}

// `found`, a member of the class.  If the definition of the class is uncertain,
// the name may still refer to the class of that name above; if that class
// inherits another member, `found` is uncertain, too.
static Symbol unless_inherited(Program *program, DiagList *diags,
                               const Symbol *class, const Definition *d,
                               const char *name, SrcLoc use, Symbol found) {
  const char *own = arena_printf(program->arena, "%s.%s", class->name, name);
  while (d->uncertain && d->before && found.kind != SYMBOL_ABSENT) {
    const Definition *above = d->before;
    if (has_bases(above) && !has_own(class->file, own, above, d)) {
      const Symbol other = inherited(program, diags, class, above, name, use);
      if (other.kind != SYMBOL_ABSENT && !loc_same(other.loc, found.loc))
        return in_doubt(program, d, own, found);
    }
    d = above;
  }
  return found;
}

// A member that the class itself defines, or else the first of its bases.
Symbol program_class_member(Program *program, DiagList *diags,
                            const Symbol *class, const char *name, SrcLoc use) {
  AstFile *file = class->file;
  if (class->function) return (Symbol){.kind = SYMBOL_ABSENT};
  const Definition *next, *d = definition_of(class, &next);
  const char *whole = arena_printf(program->arena, "%s.%s", class->name, name);
  Symbol found =
      program_lookup_at(program, diags, file,
                        (AstPlace){.order = class_order(class)}, whole, use);
  if (name_is_bound_elsewhere(program, file, whole, found.kind))
    return symbol_of_set(program, file, whole, found.loc);
  if (d) found = unless_hidden(program, class, d, found);
  const bool is_class = d && d->kind == DEFINES_HOST && !d->function;
  if (is_class &&
      (found.kind == SYMBOL_GLOBAL || found.kind == SYMBOL_ABSENT) &&
      is_remade(program, diags, file, d, use))
    return (Symbol){.kind = SYMBOL_ABSENT};
  if (found.kind == SYMBOL_ABSENT && has_bases(d))
    found = inherited(program, diags, class, d, name, use);
  return d ? unless_inherited(program, diags, class, d, name, use, found)
           : found;
}

static bool base_lacks(Program *program, AstFile *file, const Definition *d,
                       const Expr *base, const char *name) {
  const Symbol symbol = meaning_of_base(program, file, d, base);
  if (symbol.kind == SYMBOL_ABSENT)
    return base->kind == EXPR_NAME && !strcmp(base->name, "object");
  return symbol.kind == SYMBOL_HOST &&
         program_class_lacks(program, &symbol, name);
}

static bool bases_lack(Program *program, AstFile *file, const Definition *d,
                       const char *name) {
  const ExprList list = bases_of(program, file, d);
  bool lack = list.count || d->begin == d->end;
  for (int i = 0; i < list.count && lack; i++)
    lack = base_lacks(program, file, d, list.items[i], name);
  return lack;
}

static EnumKind kind_of_base(Program *program, const Symbol *base) {
  if (base->kind == SYMBOL_HOST) return program_enum_kind(program, base);
  if (base->kind != SYMBOL_EXTERNAL || strncmp(base->name, "enum.", 5) != 0)
    return ENUM_NONE;
  const char *name = base->name + 5;
  return !strcmp(name, "Enum") || !strcmp(name, "Flag") ? ENUM_PURE
                                                        : ENUM_NUMBERS;
}

static bool has_own_text(Program *program, const Symbol *class) {
  static const char *const methods[] = {"__str__", "__format__"};
  DiagList quiet;
  diag_init_muted(&quiet, program->arena);
  for (int i = 0; i < 2; i++)
    if (program_class_member(program, &quiet, class, methods[i], class->loc)
            .kind != SYMBOL_ABSENT)
      return true;
  return false;
}

static EnumKind kind_of_bases(Program *program, const Symbol *class,
                              const Definition *d) {
  const ExprList list = bases_of(program, class->file, d);
  EnumKind kind = ENUM_NONE;
  for (int i = 0; i < list.count; i++) {
    const Symbol base = meaning_of_base(program, class->file, d, list.items[i]);
    const EnumKind one = kind_of_base(program, &base);
    if (one != ENUM_NONE) kind = list.count > 1 ? ENUM_MIXED : one;
  }
  return kind == ENUM_NUMBERS && has_own_text(program, class) ? ENUM_MIXED
                                                              : kind;
}

EnumKind program_enum_kind(Program *program, const Symbol *class) {
  static const EnumKind kinds[] = {ENUM_NONE, ENUM_PURE, ENUM_NUMBERS,
                                   ENUM_MIXED};
  const Definition *d = known_definition(class);
  if (!has_bases(d) || program->depth >= MAX_LOOKUPS) return ENUM_NONE;
  const EnumKind *known = map_get(&program->enums, d);
  if (known) return *known;
  program->depth++;
  const EnumKind kind = kind_of_bases(program, class, d);
  program->depth--;
  if (kind != ENUM_NONE ||
      !program->aside) // while `aside`, a base may be unread
    map_put(&program->enums, program->arena, d, (void *)&kinds[kind]);
  return kind;
}

bool program_class_lacks(Program *program, const Symbol *class,
                         const char *name) {
  DiagList quiet;
  diag_init_muted(&quiet, program->arena);
  const Definition *d = known_definition(class);
  // All classes have `mro` and names such as `__name__`.
  if (!d || d->kind != DEFINES_HOST || d->uncertain ||
      !strncmp(name, "__", 2) || !strcmp(name, "mro") ||
      program->depth >= MAX_LOOKUPS)
    return false;
  const char *whole = arena_printf(program->arena, "%s.%s", class->name, name);
  program->depth++;
  const bool lacks =
      program_class_member(program, &quiet, class, name, class->loc).kind ==
          SYMBOL_ABSENT &&
      !name_may_be_set(program, class->file, whole) && scan_says_members(d) &&
      !is_remade(program, &quiet, class->file, d, class->loc) &&
      bases_lack(program, class->file, d, name);
  program->depth--;
  return lacks;
}
