// misc.c -- hints, debugging, the target, and Python's own functions.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/host/host.h"
#include "frontend/language/language.h"
#include "frontend/python/python.h"
#include "ir/base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const Object *builtin_identity(Walk *w, const BuiltinCall *c) {
  (void)w;
  return c->args[0];
}

const Object *builtin_not_callable(Walk *w, const BuiltinCall *c) {
  return walk_error(w, c->loc, ERROR_cannot_called_kernel, c->info->name);
}

const Object *range_tuple(Walk *w, const int64_t bounds[3], size_t most) {
  const int64_t end = bounds[1], step = bounds[2];
  Vec(const Object *) items = {0};
  for (int64_t i = bounds[0]; step > 0 ? i < end : i > end;) {
    if (items.count >= most) return NULL;
    vec_push(w->arena, &items, object_int(w->arena, i));
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  return object_tuple(w->arena, items.items, (int)items.count);
}

// Is the only argument the end, given by position or by name?
static bool only_bound(Walk *w, const BuiltinCall *c, int64_t *end) {
  if (c->info->space != SPACE_PYTHON) return argument_int(w, c, 0, 0, end);
  BuiltinCall moved = *c;
  moved.args[1] = c->args[0];
  moved.locs[1] = c->locs[0];
  return argument_int(w, &moved, 1, 0, end);
}

// A tuple of constants; loops read the bounds directly.
const Object *builtin_range(Walk *w, const BuiltinCall *c) {
  const bool two = !argument_absent(c, 1);
  int64_t bounds[3] = {0};
  if (two && !argument_int(w, c, 0, 0, &bounds[0])) return NULL;
  if (!(two ? argument_int(w, c, 1, 0, &bounds[1])
            : only_bound(w, c, &bounds[1])) ||
      !argument_int(w, c, 2, 1, &bounds[2]))
    return NULL;
  if (!bounds[2]) return walk_error(w, c->locs[2], ERROR_step_loop_not_0);
  const Object *items = range_tuple(w, bounds, OBJECT_MAX_SIZE);
  return items ? items : walk_error(w, c->loc, ERROR_range_too_long_tuple);
}

// -- Hints -------------------------------------------------------------------

const Object *builtin_hint(Walk *w, const BuiltinCall *c) {
  int64_t values[MAX_RANK];
  int count;
  if (object_is_number(c->args[0])) return c->args[0];
  const Object *x = argument_tensor(w, c, 0);
  if (!x || !argument_ints(w, c, 1, values, &count)) return NULL;
  const int rank = object_type(x)->rank;
  if (count != (rank ? rank : 1))
    return walk_error(w, c->locs[1], ERROR_wants_number_each_dimension,
                      c->info->name, text_of(w, x), count);
  for (int i = 0; i < count; i++) {
    if (values[i] > 0) continue;
    return walk_error(w, argument_item_loc(c, 1, i),
                      ERROR_wants_positive_numbers, c->info->name,
                      (long long)values[i]);
  }
  Value *value = build_hint(&w->b, object_type(x), x->as.tensor.value);
  op_set_ints(w->m, value->def, (AttrKey)c->info->data, values, count);
  return object_tensor(w->arena, value, x->as.tensor.dtype);
}

const Object *builtin_assume(Walk *w, const BuiltinCall *c) {
  const Object *x = argument_tensor(w, c, 0);
  if (w->mapping)
    return walk_error(w, c->loc, ERROR_map_effects, c->info->name);
  if (x && object_is_tile(x))
    return walk_error(w, c->locs[0], ERROR_one_value_wanted_here,
                      text_of(w, x));
  if (x && x == c->args[0] && !dtype_is(x->as.tensor.dtype, DTYPE_INT1))
    return walk_error(w, c->locs[0], ERROR_logical_wants_int1, c->info->name,
                      text_of(w, x));
  if (x) x = tensor_truth(w, c->locs[0], x);
  if (!x) return NULL;
  Value *value = x->as.tensor.value;
  build_op(&w->b, OP_assume, 1, &value, NULL, 0, NULL);
  return &object_none;
}

const Object *builtin_expect_zero(Walk *w, const BuiltinCall *c) {
  const Object *x = argument_tensor(w, c, 0), *mask = argument_tensor(w, c, 1);
  if (!x || !mask || !arguments_broadcast(w, c, 2)) return NULL;
  if (!w->debugs) return x;
  const Object *zero =
      compare(w, c->loc, COMPARE_EQ, x, object_int(w->arena, 0));
  const Object *elsewhere = unary(w, c->loc, UNARY_NOT, mask);
  if (zero && elsewhere) zero = binary(w, c->loc, OPERATOR_OR, zero, elsewhere);
  if (!zero || !elsewhere) return NULL;
  build_assert(w, zero, NULL, "expect_zero expected x == 0 where mask is true");
  return x;
}

const Object *builtin_debug_barrier(Walk *w, const BuiltinCall *c) {
  (void)c;
  build_op(&w->b, OP_barrier, 0, NULL, NULL, 0, NULL);
  return &object_none;
}

// -- Debugging ---------------------------------------------------------------

static const char *message_of(Walk *w, const BuiltinCall *c, int n) {
  Str text = str_in(w->arena);
  if (!argument_absent(c, n)) object_print(c->args[n], false, &text);
  return str_text(&text);
}

const Object *builtin_static_assert(Walk *w, const BuiltinCall *c) {
  int64_t value = 0;
  const Object *x = c->args[0];
  if (!walk_decides(w, c->locs[0], x)) return NULL;
  if (object_is_tensor(x) && !object_constant_int(x, &value))
    return walk_error(w, c->locs[0], ERROR_static_assert_wants_constant,
                      text_of(w, x));
  if (object_is_tensor(x) ? value != 0 : constant_truth(x)) return &object_none;
  const char *message = message_of(w, c, 1);
  return walk_error(w, c->loc, ERROR_static_assertion_failed,
                    *message ? ": " : "", message);
}

static const char *join_text(Walk *w, const BuiltinCall *c) {
  Str text = str_in(w->arena);
  const Object *sep = argument_absent(c, 1) ? NULL : c->args[1];
  for (int i = 0; i < c->num_rest; i++) {
    if (i && sep)
      object_print(sep, false, &text);
    else if (i)
      str_add(&text, " ");
    object_print(c->rest[i], false, &text);
  }
  return str_text(&text);
}

const Object *builtin_static_print(Walk *w, const BuiltinCall *c) {
  for (int i = 0; i < c->num_rest; i++) {
    if (!walk_shows(w, c->loc, c->rest[i], false)) return NULL;
  }
  if (!w->trial) diag_remark(w->diags, c->loc, "%s", join_text(w, c));
  return &object_none;
}

// " x: " for "x", in the format of Triton.
static const char *label(Walk *w, const char *message, int num_values) {
  int length = (int)strlen(message);
  const char *end = "";
  if (num_values && text_ends_with(message, ":")) {
    end = " ";
  } else if (num_values && !text_ends_with(message, ": ")) {
    if (text_ends_with(message, " ")) length--;
    end = ": ";
  }
  const bool is_long = (size_t)length + strlen(end) > 2;
  return arena_printf(w->arena, "%s%.*s%s",
                      is_long && *message != ' ' ? " " : "", length, message,
                      end);
}

// In base 16, an fp8 is printed as a byte and another float with a binary
// exponent, as in Triton 3.9; in 3.8 all are printed as their bits.
static const Object *as_printed(Walk *w, SrcLoc loc, const Object *x,
                                bool hex) {
  const Dtype dtype = x->as.tensor.dtype;
  if (hex && dtype_is_fp8(dtype))
    return tensor_bitcast(w, loc, x, dtype_of(DTYPE_UINT8));
  if (!dtype_is_code(dtype)) return x;
  return tensor_cast(w, loc, x, dtype_of(DTYPE_FP16));
}

static const Object *print_op(Walk *w, const BuiltinCall *c,
                              const char *message, int first, bool hex) {
  Vec(Value *) values = {0};
  int64_t bare = 0;
  for (int i = first; i < c->num_rest; i++) {
    const Object *x = to_tensor(w, c->rest_locs[i], c->rest[i]);
    if (x) x = as_printed(w, c->loc, x, hex);
    if (!x) return NULL;
    if (object_is_window(x))
      return walk_error(w, c->rest_locs[i], ERROR_cannot_print, c->info->name,
                        text_of(w, x));
    if (values.count < 63 && !dtype_is_signed(x->as.tensor.dtype))
      bare |= INT64_C(1) << values.count;
    vec_push(w->arena, &values, x->as.tensor.value);
  }
  const int n = (int)values.count;
  Op *op = build_op(&w->b, OP_device_print, n, values.items, &n, 0, NULL);
  op_set_string(w->m, op, ATTR_message, label(w, message, n));
  if (bare) op_set_int(w->m, op, ATTR_unsigned_values, bare);
  if (hex) op_set_int(w->m, op, ATTR_hex, 1);
  return &object_none;
}

const Object *builtin_device_print(Walk *w, const BuiltinCall *c) {
  bool hex;
  if (!argument_bool(w, c, 2, false, &hex)) return NULL;
  if (c->args[0]->kind != OBJECT_STRING)
    return walk_error(w, c->locs[0], ERROR_wants_string, argument_name(w, c, 0),
                      c->info->name, text_of(w, c->args[0]));
  return print_op(w, c, message_of(w, c, 0), 0, hex);
}

const Object *builtin_python_print(Walk *w, const BuiltinCall *c) {
  const bool text = c->num_rest && c->rest[0]->kind == OBJECT_STRING;
  return print_op(w, c, text ? c->rest[0]->as.string.text : "", text, false);
}

const Object *builtin_device_assert(Walk *w, const BuiltinCall *c) {
  const Object *x = argument_tensor(w, c, 0), *mask = NULL;
  if (x) x = tensor_truth(w, c->locs[0], x);
  if (!x) return NULL;
  if (!argument_absent(c, 2)) {
    mask = argument_tensor(w, c, 2);
    if (mask) mask = tensor_truth(w, c->locs[2], mask);
    if (!mask || !tensor_broadcast(w, c->loc, c->info->name, &x, &mask))
      return NULL;
  }
  if (!w->debugs) return &object_none;
  build_assert(w, x, mask, message_of(w, c, 1));
  return &object_none;
}

// -- The target --------------------------------------------------------------

static const Target *ask_target(const Walk *w) {
  if (w->is_condition) chip_was_asked(w->program);
  return w->spec->target;
}

const Object *builtin_target_is(Walk *w, const BuiltinCall *c) {
  const Target *target = ask_target(w);
  return object_bool(c->info->data && target && target->is_gpu);
}

// 80 for sm_80, 0 for the CPU; in host code the CPU counts as sm_80.
static int capability_of(const Walk *w, bool host) {
  const int chip = chip_of(ask_target(w));
  return host && !chip ? 80 : chip;
}

const Object *builtin_capability(Walk *w, const BuiltinCall *c) {
  int64_t major, minor;
  if (!argument_int(w, c, 0, 0, &major) || !argument_int(w, c, 1, 0, &minor))
    return NULL;
  return object_bool(capability_of(w, false) >= (Integer)10 * major + minor);
}

const Object *builtin_device_capability(Walk *w, const BuiltinCall *c) {
  (void)c;
  const int have = capability_of(w, true);
  const Object *items[] = {object_int(w->arena, have / 10),
                           object_int(w->arena, have % 10)};
  return walk_own(w, object_tuple(w->arena, items, 2), '(');
}

const Object *builtin_current_target(Walk *w, const BuiltinCall *c) {
  static const char *const names[] = {"backend", "arch", "warp_size"};
  const int arch = capability_of(w, c->info->data == 'h');
  const char *backend = arch ? "cuda" : "cpu";
  const Object *items[] = {object_string(w->arena, backend, strlen(backend)),
                           object_int(w->arena, arch),
                           object_int(w->arena, arch ? 32 : 1)};
  return object_named(w->arena, 3, names, items);
}

// The device properties that triton.runtime.driver reports, except the number
// of processors, which a target does not determine.
const Object *builtin_device_properties(Walk *w, const BuiltinCall *c) {
  static const char *const names[] = {"max_shared_mem", "max_num_regs",
                                      "warpSize", "multiprocessor_count"};
  const Target *target = target_of_chip(capability_of(w, true));
  (void)c;
  const Object *items[] = {object_int(w->arena, target->max_shared_block),
                           object_int(w->arena, target->registers_sm),
                           object_int(w->arena, target->warp_size), NULL};
  return object_named(w->arena, 4, names, items);
}

// The number of devices is 1.
const Object *builtin_devices(Walk *w, const BuiltinCall *c) {
  switch (c->info->data) {
  case 'n': return object_int(w->arena, 1);
  case 'x': return &object_false;
  default: return &object_true;
  }
}

// Builtins without an effect, such as the scopes of `with scope(...)`.
const Object *builtin_nothing(Walk *w, const BuiltinCall *c) {
  (void)w;
  (void)c;
  return &object_none;
}

// -- Python ------------------------------------------------------------------

const Object *builtin_len(Walk *w, const BuiltinCall *c) {
  const Object *x = element_of(w, c->args[0]);
  if (x->kind == OBJECT_TUPLE) return object_int(w->arena, x->as.tuple.count);
  if (x->kind == OBJECT_DICT) return object_int(w->arena, x->as.dict.count);
  if (x->kind == OBJECT_SET) return object_int(w->arena, x->as.set.count);
  if (x->kind == OBJECT_STRING)
    return object_int(w->arena, (Integer)count_characters(x->as.string.text,
                                                          x->as.string.length));
  if (object_is_tile(x)) return object_int(w->arena, object_type(x)->shape[0]);
  return walk_error(w, c->locs[0], ERROR_no_length, text_of(w, x));
}

const Object *builtin_bool(Walk *w, const BuiltinCall *c) {
  const Object *x = c->args[0];
  if (!walk_decides(w, c->locs[0], x)) return NULL;
  if (!object_is_tensor(x)) return object_bool(constant_truth(x));
  return tensor_truth(w, c->loc, x);
}

const Object *builtin_str(Walk *w, const BuiltinCall *c) {
  if (!object_is_constant(c->args[0]))
    return walk_error(w, c->locs[0], ERROR_f_string_shows_constants_only,
                      "'str'", text_of(w, c->args[0]));
  if (!walk_shows(w, c->locs[0], c->args[0], false)) return NULL;
  Str text = str_in(w->arena);
  object_print(c->args[0], false, &text);
  return object_string(w->arena, str_text(&text), text.length);
}

static const Object *constant_extreme(Walk *w, const BuiltinCall *c,
                                      const Object *x, const Object *y) {
  const bool max = c->info->data == EXTREME_MAX;
  const Object *less = compare(w, c->loc, COMPARE_LT, max ? x : y, max ? y : x);
  if (!less) return NULL;
  return less->as.truth ? y : x;
}

const Object *extreme_of_two(Walk *w, const BuiltinCall *c, const Object *x,
                             const Object *y) {
  if (!object_is_tensor(x) && !object_is_tensor(y))
    return constant_extreme(w, c, x, y);
  return tensor_extreme(w, c->loc, c->info->name, (Extreme)c->info->data,
                        argument_propagates(c, 1), x, y);
}

// Are all items integers?  Only then does their sum not depend on the order.
static bool are_integers(const Object *const *items, int count) {
  for (int i = 0; i < count; i++) {
    if (!constant_is_integer(items[i])) return false;
  }
  return true;
}

const Object *builtin_python_sum(Walk *w, const BuiltinCall *c) {
  const Object *over = c->args[0];
  const bool set = over->kind == OBJECT_SET &&
                   are_integers(over->as.set.items, over->as.set.count);
  const Object *all = set ? walk_members(w, over) : walk_iterable(w, over);
  const Object *x =
      argument_absent(c, 1) ? object_int(w->arena, 0) : c->args[1];
  if (!all)
    return walk_error(w, c->locs[0], ERROR_sum_wants_tuple_or_tile,
                      text_of(w, c->args[0]));
  if (x->kind == OBJECT_STRING)
    return walk_error(w, c->locs[1], ERROR_sum_joins_no_texts);
  for (int i = 0; x && i < all->as.tuple.count; i++)
    x = binary(w, c->loc, OPERATOR_ADD, x, all->as.tuple.items[i]);
  return x;
}
