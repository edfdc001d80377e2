// declared.c -- checks a module's declarations: each name once, equal
// declarations of a function, and nothing that its chip or version lacks.
#include <string.h>

#include "runtime/simulator/decode/decode.h"

typedef struct {
  int chip;
  double version; // the first with it
} PtxTarget;

// Suffixes begin with that of sm_90a, which needs PTX 8.0.
static bool check_suffix(const PtxProgram *program, PtxError *error) {
  const char *target = program->ptx.target, digits[] = "0123456789";
  const size_t start = strcspn(target, digits);
  const char *suffix = target + start + strspn(target + start, digits);
  const int chip = target_chip(program), first = feature_chip(FEATURE_SUFFIX);
  const bool is_known =
      !*suffix || chip > first || (chip == first && strcmp(suffix, "a") == 0);
  if (!is_known) return ptx_error(error, 0, "unknown target '%s'", target);
  return !*suffix || chip != first || program->ptx.version > 7.95 ||
         ptx_error(error, 0, "PTX %.1f has no %s", program->ptx.version,
                   target);
}

static bool check_target(const PtxProgram *program, PtxError *error) {
  static const PtxTarget targets[] = {
      {10, 1.0}, {11, 1.0}, {12, 1.2}, {13, 1.2}, {20, 2.0},
      {21, 2.0}, {30, 3.0}, {32, 4.0}, {35, 3.1}, {37, 4.1},
      {50, 4.0}, {52, 4.1}, {53, 4.2}, {60, 5.0}, {61, 5.0},
      {62, 5.0}, {70, 6.0}, {72, 6.1}, {75, 6.3}, {80, 7.0},
      {86, 7.1}, {87, 7.4}, {88, 9.0}, {89, 7.8}, {90, 7.8}};
  const int chip = target_chip(program);
  if (!check_suffix(program, error)) return false;
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
    if (targets[i].chip != chip) continue;
    return program->ptx.version > targets[i].version - 0.05 ||
           ptx_error(error, 0, "PTX %.1f has no %s", program->ptx.version,
                     program->ptx.target);
  }
  return chip > 90 ||
         ptx_error(error, 0, "unknown target '%s'", program->ptx.target);
}

// -- Functions ---------------------------------------------------------------

static bool is_alike(const PtxVar *a, const PtxVar *b) {
  for (; a && b; a = a->next, b = b->next)
    if (strcmp(a->space, b->space) != 0 || var_type(a) != var_type(b) ||
        a->size != b->size)
      return false;
  return !a && !b;
}

static bool check_function(NameMap *names, PtxFunction *f, int chip,
                           PtxError *error) {
  PtxFunction *first = name_map_find(names, f->name);
  const int clusters = feature_chip(FEATURE_CLUSTERS);
  if (f->wants_chip && chip < clusters)
    return ptx_error(error, f->line, "'.%s' wants sm_%d", f->wants_chip,
                     clusters);
  if (!first) {
    name_map_add(names, f->name, f);
    return true;
  }
  if (first->is_entry != f->is_entry || !is_alike(first->params, f->params) ||
      !is_alike(first->results, f->results))
    return ptx_error(error, f->line, "'%s' was declared otherwise in line %d",
                     f->name, first->line);
  if (first->is_defined && f->has_body)
    return ptx_error(error, f->line, "'%s' is defined twice", f->name);
  first->is_defined |= f->has_body;
  return true;
}

// NULL: the alias is allowed; else the error.
static const char *alias_error(const PtxFunction *own,
                               const PtxFunction *other) {
  if (!own || !other) return "is or names no function";
  if (own->is_entry || other->is_entry) return "is or names a kernel";
  if (own->is_defined || own->alias_of) return "is defined twice";
  if (!other->is_defined) return "names a function without a body";
  return is_alike(own->params, other->params) &&
                 is_alike(own->results, other->results)
             ? NULL
             : "was declared otherwise than what it names";
}

static bool check_alias(PtxProgram *program, const NameMap *functions,
                        const PtxAlias *alias, PtxError *error) {
  const PtxFunction *own = name_map_find(functions, alias->name);
  PtxFunction *other = name_map_find(functions, alias->function);
  const char *wrong =
      program->ptx.version < 6.25 ? "wants PTX 6.3" : alias_error(own, other);
  if (wrong)
    return ptx_error(error, alias->line, "alias '%s' %s", alias->name, wrong);
  for (PtxFunction *f = program->ptx.functions; f; f = f->next)
    if (strcmp(f->name, alias->name) == 0) f->alias_of = other;
  return true;
}

// -- Variables ---------------------------------------------------------------

static bool check_var(NameMap *names, PtxVar *var, PtxError *error) {
  PtxVar *first = var->name ? name_map_find(names, var->name) : NULL;
  if (!var->name) return ptx_error(error, var->line, "a variable without name");
  if (!first)
    name_map_add(names, var->name, var);
  else if (!first->is_extern && !var->is_extern)
    return ptx_error(error, var->line, "'%s' is declared twice", var->name);
  return true;
}

bool check_names(PtxProgram *program, PtxError *error) {
  NameMap vars = {.pool = &program->pool}, functions = vars;
  const int chip = target_chip(program);
  if (!check_target(program, error)) return false;
  for (PtxVar *v = program->ptx.vars; v; v = v->next)
    if (!check_var(&vars, v, error)) return false;
  for (PtxFunction *f = program->ptx.functions; f; f = f->next) {
    const PtxVar *var = name_map_find(&vars, f->name);
    if (var)
      return ptx_error(error, f->line, "'%s' is a variable, too", f->name);
    f->is_defined = f->has_body;
    if (!check_function(&functions, f, chip, error)) return false;
  }
  for (const PtxAlias *a = program->ptx.aliases; a; a = a->next)
    if (!check_alias(program, &functions, a, error)) return false;
  return true;
}
