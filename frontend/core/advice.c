// advice.c -- notes below an error that suggest a correction.

#include "frontend/core/builtins.h"
#include "frontend/errors.h"

#include <string.h>

// -- Values that should be constants -----------------------------------------

// The constant from which casts and splats make the value, or NULL.
static const Op *constant_behind(const Value *value, int depth) {
  const Op *op = value->def, *found = NULL;
  if (!op || depth > 4) return NULL;
  if (op->kind == OP_constant) return op;
  for (int i = 0; i < op->num_operands; i++) {
    found = constant_behind(op->operands[i].value, depth + 1);
    if (!found) return NULL;
  }
  return found;
}

// The parameter of the kernel that has the value, or NULL.
static const AstParam *parameter_behind(const Walk *w, const Value *value) {
  const Frame *frame = w->frame;
  const Function *f = w->function;
  while (frame->caller) frame = frame->caller;
  if (!f || !f->body || !frame->function) return NULL; // in a heuristic
  int n = 0;
  while (n < f->body->num_args && &f->body->args[n] != value) n++;
  if (n == f->body->num_args) return NULL;
  for (int i = 0; i < frame->function->num_params; i++) {
    const AstParam *param = &frame->function->params[i];
    if (!strcmp(param->name, f->params[n].name)) return param;
  }
  return NULL;
}

// Is the symbol a member of a module that was not found?  If the language has a
// function of that name, another note suggests that function, so the answer is
// no.
static bool is_value_of_module(const Walk *w, const Symbol *symbol) {
  const char *dot =
      symbol->kind == SYMBOL_EXTERNAL ? strrchr(symbol->name, '.') : NULL;
  return dot && !w->language->has(dot + 1);
}

void note_host(Walk *w, const Object *x) {
  const Symbol *symbol = x->as.symbol;
  if (x->kind != OBJECT_SYMBOL) return;
  if (symbol->kind == SYMBOL_HOST && symbol->global)
    diag_note(w->diags, symbol->global->loc, NOTE_host_value,
              symbol->global->name, symbol->global->name);
  else if (is_value_of_module(w, symbol))
    diag_note(w->diags, symbol->loc, NOTE_external_value, symbol->name,
              symbol->name);
  else if (symbol->kind == SYMBOL_HOST && symbol->function)
    diag_note(w->diags, symbol->loc, NOTE_mark, symbol->name);
}

bool note_run_time(Walk *w, const Object *x) {
  const Diag *error = w->diags->newest;
  note_host(w, x);
  note_quotient(w, x);
  if (!object_is_tensor(x) || !error) return false;
  const AstParam *param = parameter_behind(w, x->as.tensor.value);
  if (param) diag_note(w->diags, param->loc, NOTE_parameter, param->name);
  if (x->as.tensor.is_counter) diag_note(w->diags, (SrcLoc){0}, NOTE_counter);
  const Op *op = constant_behind(x->as.tensor.value, 0);
  if (!op || object_is_tile(x)) return false;
  const bool elsewhere = op->loc.line != error->loc.line;
  diag_note(w->diags, elsewhere ? op->loc : (SrcLoc){0}, NOTE_assigned);
  return false;
}

// -- Floats that should be integers ------------------------------------------

// Is the value a constant, or an integer converted to float?
static bool was_integer(const Value *value) {
  const Op *op = value->def;
  while (op && (op->kind == OP_splat || op->kind == OP_broadcast))
    op = op_operand(op, 0)->def;
  return op && (op->kind == OP_sitofp || op->kind == OP_uitofp ||
                op->kind == OP_constant);
}

void note_quotient(Walk *w, const Object *x) {
  if (x->kind == OBJECT_FLOAT && x->is_quotient)
    diag_note(w->diags, (SrcLoc){0}, NOTE_quotient);
  const Op *op = object_is_tensor(x) ? x->as.tensor.value->def : NULL;
  if (!op || op->kind != OP_divf) return;
  const Value *a = op_operand(op, 0), *b = op_operand(op, 1);
  const bool constants = a->def && b->def && a->def->kind == OP_constant &&
                         b->def->kind == OP_constant;
  if (was_integer(a) && was_integer(b) && !constants)
    diag_note(w->diags, op->loc, NOTE_quotient);
}

// -- Arguments ---------------------------------------------------------------

void note_items(Walk *w, const Object *x) {
  if (x->kind != OBJECT_TUPLE || !x->as.tuple.count || x->as.tuple.class)
    return;
  for (int i = 0; i < x->as.tuple.count; i++) {
    if (!object_is_tensor(x->as.tuple.items[i])) return;
  }
  diag_note(w->diags, (SrcLoc){0}, NOTE_items);
}

static bool is_pointer(const Object *x) {
  return x && object_is_tensor(x) && x->as.tensor.dtype.is_pointer;
}

void note_exchanged(Walk *w, const BuiltinCall *c, const Object *second) {
  if (!is_pointer(c->args[0]) && is_pointer(second))
    diag_note(w->diags, (SrcLoc){0}, NOTE_exchanged, c->info->name,
              "the pointer", "the value");
}

static bool is_size(const Argument *arg) {
  const Object *x = arg->value;
  return !arg->name && (constant_is_integer(x) ||
                        (object_is_tensor(x) && !object_is_tile(x) &&
                         dtype_is_int(x->as.tensor.dtype) && !is_pointer(x)));
}

void note_sizes(Walk *w, const char *param, const Arguments *args) {
  static const char *const lists[] = {"shape", "offsets", "block_shape"};
  if (args->count < 2 || !is_size(&args->items[0]) || !is_size(&args->items[1]))
    return;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    if (!strcmp(param, lists[i]))
      diag_note(w->diags, (SrcLoc){0}, NOTE_sizes, param);
  }
}

bool note_combined(Walk *w) {
  if (w->returned.line) diag_note(w->diags, w->returned, NOTE_combined);
  return false;
}

// -- Values carried by a loop ------------------------------------------------

static bool is_number_value(const Object *x) {
  return object_is_tensor(x) && !object_is_window(x) && !is_pointer(x);
}

static const char *language_name(const Object *x) {
  return dtype_info[x->as.tensor.dtype.id].attribute;
}

// The last arguments of a call that makes a tile of the type of `x`: `[16, 32],
// tl.float32`.
static const char *kind_of_tile(Walk *w, const Object *x) {
  const Type *type = object_type(x);
  Str out = str_in(w->arena);
  str_add_char(&out, '[');
  for (int i = 0; i < type->rank; i++)
    str_addf(&out, "%s%lld", i ? ", " : "", (long long)type->shape[i]);
  str_addf(&out, "], tl.%s", language_name(x));
  return str_text(&out);
}

// Is `x` an integer literal?
static bool is_written_integer(const Object *x, int64_t *out) {
  return dtype_is_int(x->as.tensor.dtype) &&
         value_constant_int(x->as.tensor.value, out);
}

// Does the type of `a` have a value that the type of `b` lacks?
static bool is_wider(const Object *a, const Object *b) {
  const Dtype x = a->as.tensor.dtype, y = b->as.tensor.dtype;
  const bool is_float = dtype_is_float(x);
  if (is_float != dtype_is_float(y)) return is_float;
  return dtype_bits(x) > dtype_bits(y);
}

// The initial value to suggest for `name`, which is `before` ahead of the loop,
// so that it has the type of `after` from the start; NULL if no single
// expression has that type.
static const char *beginning(Walk *w, const char *name, const Object *before,
                             const Object *after) {
  int64_t value = 0;
  const bool none = before->kind == OBJECT_NONE;
  const bool written = none || is_written_integer(before, &value);
  if (object_is_tile(after)) {
    const char *zeros =
        arena_printf(w->arena, "tl.zeros(%s)", kind_of_tile(w, after));
    return written && !value ? zeros
                             : arena_printf(w->arena, "%s + %s", name, zeros);
  }
  if (!written || (!none && !is_wider(after, before))) return NULL;
  const long long number = value;
  switch (after->as.tensor.dtype.id) {
  case DTYPE_FP32: return arena_printf(w->arena, "%lld.0", number);
  case DTYPE_INT32: return arena_printf(w->arena, "%lld", number);
  default:
    return arena_printf(w->arena, "tl.full([], %lld, tl.%s)", number,
                        language_name(after));
  }
}

void note_carried(Walk *w, const char *name, const Object *before,
                  const Object *after) {
  const bool none = before->kind == OBJECT_NONE;
  if (!is_number_value(after) || !(none || is_number_value(before))) return;
  const bool tile = !none && object_is_tile(before);
  if (tile && !type_same_shape(object_type(before), object_type(after))) return;
  const char *begin = tile ? NULL : beginning(w, name, before, after);
  if (begin)
    diag_note(w->diags, (SrcLoc){0}, NOTE_begin, name, begin);
  else if (!none && is_wider(after, before))
    diag_note(w->diags, (SrcLoc){0}, NOTE_convert_before, language_name(after),
              name);
  else if (!none)
    diag_note(w->diags, (SrcLoc){0}, NOTE_convert_after, language_name(before),
              name);
}
