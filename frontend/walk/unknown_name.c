// unknown_name.c -- messages about unknown names.
#include "frontend/walk/unknown_name.h"

#include "frontend/core/builtins.h"
#include "frontend/core/walk.h"
#include "frontend/errors.h"
#include "frontend/module/module.h"
#include "frontend/module/program.h"
#include "frontend/value/value.h"
#include "frontend/walk/evaluate.h"
#include "ir/base/base.h"

#include <string.h>

// Is the file a Python file, where `tl.` is required?  Names of a star import
// may be unknown.
static bool imports_language(const AstFile *file) {
  return file_is_python(file) && !file->star_imports.count &&
         (file_find(file, "tl") || file_find(file, "triton"));
}

const Object *bare_name(Walk *w, const char *name) {
  const Builtin *info = w->language->find_bare(name);
  if (info && info->space == SPACE_PYTHON)
    return object_builtin(w->arena, info, NULL);
  if (imports_language(w->frame->file)) return NULL;
  const DtypeId dtype = dtype_find_attribute(name);
  if (dtype != DTYPE_COUNT && dtype != DTYPE_VOID)
    return object_dtype(w->arena, dtype_of(dtype));
  if (!info && !strcmp(name, "jit"))
    info = w->language->find_host("triton.jit");
  return info ? object_builtin(w->arena, info, NULL) : NULL;
}

// Does another language have the name for `None`?
static bool is_null(const char *name) {
  return !strcmp(name, "null") || !strcmp(name, "nullptr") ||
         !strcmp(name, "NULL") || !strcmp(name, "nil");
}

// The nearest builtin, spelled as the file must spell it.
static const char *nearest_builtin_name(Walk *w, const char *name) {
  const char *near = w->language->nearest(w->arena, name, SPACE_PYTHON);
  return !near || bare_name(w, near) ? near
                                     : arena_printf(w->arena, "tl.%s", near);
}

static const char *nearest_name(Walk *w, const char *name) {
  static const char *const constants[] = {"True", "False", "None"};
  const Locals *scope = &w->frame->scope;
  const char **names = arena_array(w->arena, const char *, scope->count + 1);
  size_t n = 0;
  for (size_t i = 0; i < scope->count; i++) {
    if (scope->items[i].object) names[n++] = scope->items[i].name;
  }
  if (is_null(name)) return "None";
  if (w->language->find(name) || dtype_find_attribute(name) != DTYPE_COUNT)
    return arena_printf(w->arena, "tl.%s", name);
  const char *near = diag_nearest(name, names, n);
  if (!near) near = file_nearest(w->frame->file, name);
  if (!near) near = diag_nearest(name, constants, 3);
  return near ? near : nearest_builtin_name(w, name);
}

// The builtin for a variable of CUDA, such as blockIdx.x; NULL if there is
// none.
static const char *name_of_cuda(Walk *w, const char *name, const char *member) {
  static const char *const names[][2] = {{"blockIdx", "tl.program_id(%d)"},
                                         {"gridDim", "tl.num_programs(%d)"}};
  const bool axis = member && *member >= 'x' && *member <= 'z' && !member[1];
  const char *format = names_other(names, sizeof names / sizeof *names, name);
  if (format) return arena_printf(w->arena, format, axis ? *member - 'x' : 0);
  return strcmp(name, "threadIdx") ? NULL : "tl.arange";
}

const Object *unknown_name(Walk *w, const Expr *expr, const char *member) {
  const char *name = expr->name;
  if (member && w->language->has(member)) {
    walk_error(w, expr->loc, ERROR_unknown_module, name, member);
    diag_fix(w->diags, expr->loc, "tl");
    return NULL;
  }
  if (host_has_builtin(name))
    return walk_error(w, expr->loc, ERROR_host_builtin, name);
  // No suggestion is computed for muted diagnostics.
  const char *near = w->diags->muted ? NULL : name_of_cuda(w, name, member);
  if (near) // the location covers all of `blockIdx.x`
    return walk_error(w, expr->loc, ERROR_unknown_name_near, name, near);
  if (!w->diags->muted) near = nearest_name(w, name);
  if (!near) return walk_error(w, expr->loc, ERROR_unknown_name, name);
  walk_error(w, expr->loc, ERROR_unknown_name_near, name, near);
  diag_fix(w->diags, expr->loc, near);
  return NULL;
}

const Object *name_is_gone(Walk *w, SrcLoc loc, const char *name,
                           const Object *gone) {
  walk_error(w, loc, ERROR_name_is_gone, name, gone->as.gone.reason);
  for (int i = 0; i < 2; i++) {
    const Object *was = gone->as.gone.were[i];
    if (!was || !object_is_tensor(was) || !was->as.tensor.value->def) continue;
    const SrcLoc def = was->as.tensor.value->def->loc;
    if (def.file == loc.file)
      diag_note(w->diags, def, NOTE_was, name, text_of(w, was));
  }
  return NULL;
}

void note_need(Walk *w, const Diag *errors, SrcLoc use, const char *name) {
  static const char *const of_host[] = {
      ERROR_unknown_name,    ERROR_host_builtin,     ERROR_host_indexed,
      ERROR_calls_host_code, ERROR_calls_no_file,    ERROR_calls_host_near,
      ERROR_calls_library,   ERROR_calls_host_value, ERROR_calls_host_class};
  for (; errors; errors = errors->next) {
    for (size_t i = 0; i < sizeof of_host / sizeof *of_host; i++) {
      if (strcmp(errors->format, of_host[i]) != 0) continue;
      diag_note(w->diags, use, NOTE_needed_of_host, name, name);
      return;
    }
  }
  diag_note(w->diags, use, NOTE_needed);
}

// -- Attributes --------------------------------------------------------------

// Does the suggested builtin take other arguments, so that the name alone would
// not correct the call?
static bool takes_others(const char *name) {
  return words_have(WORDS_NEAR_TAKES_OTHERS, name);
}

// The nearest name in the module in which `name` was looked up, or NULL.
static const char *nearest_builtin(Walk *w, const char *name,
                                   const char *const *modules,
                                   size_t num_modules) {
  if (w->diags->muted) return NULL; // as the message is dropped
  const char *last = strrchr(name, '.');
  const char *bare = last ? last + 1 : name;
  const char *device = arena_printf(w->arena, "libdevice.%s", bare);
  const char *owner = arena_strndup(w->arena, name, (size_t)(bare - name));
  if (!last && w->language->find(device)) return device;
  const bool math = strstr(owner, "libdevice.") || !strcmp(owner, "math.");
  const char *near =
      math ? w->language->nearest(w->arena, bare, SPACE_LIBDEVICE) : NULL;
  if (last && !near)
    near = w->language->nearest_member(w->arena, owner, NULL, 0, bare);
  if (last) return near;
  if (usual_name(USUAL_BUILTIN, bare)) return usual_name(USUAL_BUILTIN, bare);
  near = w->language->nearest(w->arena, bare, SPACE_LANGUAGE);
  if (!near) near = diag_nearest(bare, modules, num_modules);
  return near && strcmp(near, bare) ? near : NULL;
}

// Is the module that of another language: Gluon, TLE or TLX?
static bool is_other_language(const char *name) {
  static const char *const packages[] = {"triton.experimental.gluon",
                                         "triton.experimental.tle",
                                         "triton.language.extra.tlx"};
  for (size_t i = 0; i < sizeof packages / sizeof *packages; i++) {
    const size_t length = strlen(packages[i]);
    const bool begins = !strncmp(name, packages[i], length);
    if (begins && (!name[length] || name[length] == '.')) return true;
  }
  return false;
}

const Object *unknown_builtin(Walk *w, const Symbol *symbol, const char *name,
                              const char *const *modules, size_t num_modules,
                              SrcLoc loc) {
  static const char triton[] = "triton.";
  const size_t length = sizeof triton - 1;
  if (!strncmp(symbol->name, triton, length) &&
      triton_has_for_host(symbol->name + length))
    return walk_error(w, loc, ERROR_calls_package, symbol->name);
  if (is_other_language(symbol->name)) {
    walk_error(w, loc, ERROR_unknown_language, symbol->name);
    return recover_never(w);
  }
  const char *near = nearest_builtin(w, name, modules, num_modules);
  if (!near) {
    walk_error(w, loc, ERROR_no_such_builtin, symbol->name);
    if (!strcmp(name, "mean")) diag_note(w->diags, (SrcLoc){0}, NOTE_mean);
    return NULL;
  }
  walk_error(w, loc, ERROR_no_such_builtin_near, symbol->name, near);
  if (!takes_others(name)) diag_fix(w->diags, loc, near);
  return NULL;
}

// Host code, which is not run here, may set attributes of its objects.
static bool may_have_more(const Object *x) {
  return x->kind == OBJECT_SYMBOL && x->as.symbol->kind != SYMBOL_MODULE &&
         x->as.symbol->kind != SYMBOL_BUILTIN;
}

// Is `x` a value, or `text` a complete call, so that neither can be called?
static bool is_value(const Object *x, const char *text) {
  if (text[strlen(text) - 1] == ')') return true;
  if (x->kind == OBJECT_DTYPE && words_have(WORDS_TYPE_FIELDS, text))
    return true;
  return (object_is_tensor(x) || x->kind == OBJECT_DTYPE) &&
         words_have(WORDS_VALUE_FIELDS, text);
}

// Replaces the attribute's name and the call's brackets by the text.
static void fix_call(Walk *w, const Expr *expr, const char *text) {
  const SrcLoc whole = w->call->loc;
  SrcLoc loc = expr->attribute.name_loc;
  const int span = whole.column + whole.span - loc.column;
  if (whole.line != loc.line || span < loc.span + 2) return; // on several lines
  loc.span = span;
  diag_fix(w->diags, loc, text);
}

const Object *no_attribute(Walk *w, const Expr *expr, const Object *x,
                           const char *near) {
  const char *name = expr->attribute.name;
  const SrcLoc loc = expr->attribute.name_loc;
  if (!near)
    return walk_error(w, loc,
                      may_have_more(x) ? ERROR_no_known_attribute
                                       : ERROR_no_attribute,
                      text_of(w, x), name);
  walk_error(w, loc, ERROR_no_attribute_near, text_of(w, x), name, near);
  if (!walk_calls(w, expr) || !is_value(x, near))
    diag_fix(w->diags, loc, near);
  else if (!w->call->call.num_args)
    fix_call(w, expr, near);
  return NULL;
}

static const char *nearest_method(Walk *w, const char *name) {
  const char *known = usual_name(USUAL_METHOD, name);
  if (known) return known;
  const char *near = words_nearest(WORDS_TENSOR_FIELDS, name);
  return near ? near : w->language->nearest(w->arena, name, SPACE_METHOD);
}

// The replacement for the call of a method that tensors lack: for `x.size(0)`,
// `x.shape[0]`.  NULL if there is none.
static const char *rewritten(Walk *w, const Expr *expr, const Object *x) {
  const char *name = expr->attribute.name;
  if (!walk_calls(w, expr) || !w->call->call.num_args) return NULL;
  const CallArg *arg = w->call->call.args;
  const int num_args = w->call->call.num_args;
  const ExprKind kind = arg->value->kind;
  // The arguments of 'trans' are a new order, not two axes to exchange.
  if (!strcmp(name, "transpose") && num_args == 2 && object_type(x)->rank == 2)
    return "trans()";
  if (num_args > 1 || arg->kind != ARG_POSITIONAL || arg->name) return NULL;
  const char *text = short_text(w, arg->value);
  if (!strcmp(name, "size") && kind == EXPR_INT)
    return arena_printf(w->arena, "shape[%s]", text);
  return !strcmp(name, "type_as") && kind == EXPR_NAME
             ? arena_printf(w->arena, "to(%s.dtype)", text)
             : NULL;
}

// The attribute or call nearest to the written one; NULL if none is near.
static const char *nearest_in_tensor(Walk *w, const Expr *expr) {
  const char *name = expr->attribute.name;
  const bool calls = walk_calls(w, expr);
  if (!strcmp(name, "size")) return calls ? "shape" : "numel"; // NumPy's
  if (!strcmp(name, "transpose") && calls && w->call->call.num_args)
    return NULL;
  return nearest_method(w, name);
}

const Object *no_tensor_attribute(Walk *w, const Expr *expr, const Object *x) {
  const char *name = expr->attribute.name, *text = rewritten(w, expr, x);
  if (text) {
    walk_error(w, expr->attribute.name_loc, ERROR_no_attribute_near,
               text_of(w, x), name, text);
    fix_call(w, expr, text);
    return NULL;
  }
  const char *near = nearest_in_tensor(w, expr);
  no_attribute(w, expr, x, near);
  if (!near && !strcmp(name, "mean"))
    diag_note(w->diags, (SrcLoc){0}, NOTE_mean);
  return NULL;
}

const Object *type_is_no_cast(Walk *w, const Expr *callee, const Object *type) {
  const SrcLoc loc = callee->attribute.name_loc;
  walk_error(w, loc, ERROR_type_is_no_cast, callee->attribute.name,
             text_of(w, type));
  diag_fix(w->diags, loc, "to");
  return NULL;
}

const char *nearest_of_type(Walk *w, const char *name) {
  if (words_have(WORDS_TYPE_FIELDS, name)) return NULL;
  size_t count;
  const char *const *fields = words_of(WORDS_TYPE_FIELDS, &count);
  return w->language->nearest_member(w->arena, "dtype.", fields, count, name);
}

// The fields of a class, and the members of it and its bases.
static void collect_members(Walk *w, const AstClass *class, Names *out) {
  for (int i = 0; i < class->num_fields; i++)
    vec_push(w->arena, out, class->fields[i].name);
  for (; class && class->file; class = class->base) {
    const size_t n = strlen(class->name);
    const Symbol symbol = symbol_of_class(class);
    const uint32_t order = class_order(&symbol);
    for (size_t i = 0; i < class->file->names.count; i++) {
      const char *name = class->file->names.items[i];
      if (!strncmp(name, class->name, n) && name[n] == '.' &&
          file_find_at(class->file, name, order))
        vec_push(w->arena, out, name + n + 1);
    }
  }
}

const char *nearest_member(Walk *w, const Object *x, const char *name) {
  const AstClass *class = x->kind == OBJECT_CLASS   ? x->as.class
                          : x->kind == OBJECT_TUPLE ? x->as.tuple.class
                                                    : NULL;
  Names names = {0};
  if (!class || w->diags->muted) return NULL;
  collect_members(w, class, &names);
  return diag_nearest(name, names.items, names.count);
}

// -- Lists and dictionaries --------------------------------------------------

// The operator that makes a changed copy, for a method that changes `x`; or
// NULL.
static const char *change_of(const Object *x, const char *method) {
  if (x->kind == OBJECT_DICT) return usual_name(USUAL_CHANGE_OF_DICT, method);
  return x->kind == OBJECT_TUPLE && !x->as.tuple.class
             ? usual_name(USUAL_CHANGE_OF_LIST, method)
             : NULL;
}

bool is_changed_in_kernel(Walk *w, const Expr *expr, const Object *x) {
  const Expr *object = expr->attribute.object;
  const char *method = expr->attribute.name;
  const char *change = change_of(x, method);
  if (!change || walk_is_host(w) || w->diags->muted) return false;
  walk_error(w, expr->attribute.name_loc, ERROR_changed_in_kernel, method);
  if (object->kind != EXPR_NAME || !scope_get(&w->frame->scope, object->name))
    return true;
  const char *name = object->name;
  if (*change)
    diag_note(w->diags, (SrcLoc){0}, NOTE_changed_copy,
              arena_printf(w->arena, "%s = %s%s", name, name, change));
  scope_set(&w->frame->scope, name, &object_poison);
  return true;
}

const Object *not_called(Walk *w, const Expr *callee, const Symbol *symbol) {
  const char *last = strrchr(symbol->name, '.');
  const bool package = host_is_package(symbol->name);
  if (host_is_library(symbol->name)) {
    walk_error(w, callee->loc, ERROR_calls_library, symbol->name);
  } else if (package && last && w->language->has(last + 1)) {
    const char *near = arena_printf(w->arena, "tl.%s", last + 1);
    walk_error(w, callee->loc, ERROR_calls_host_near, symbol->name, near);
    diag_fix(w->diags, callee->loc, near);
  } else if (package) {
    walk_error(w, callee->loc, ERROR_calls_package, symbol->name);
  } else if (symbol->file && file_makes_names(symbol->file)) {
    walk_error(w, callee->loc, ERROR_computed_by_host, symbol->name);
  } else {
    walk_error(w, callee->loc, ERROR_calls_no_file, symbol->name);
  }
  if (symbol->loc.line) diag_note(w->diags, symbol->loc, NOTE_imported);
  return NULL;
}

const Object *member_is_set(Walk *w, SrcLoc loc, const Symbol *symbol,
                            const char *name) {
  return walk_error(w, loc, ERROR_computed_by_host,
                    arena_printf(w->arena, "%s.%s", symbol->name, name));
}
