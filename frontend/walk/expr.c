// expr.c -- expressions: constants are computed, IR is built for others.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/python/python.h"
#include "frontend/value/value.h"
#include "frontend/walk/evaluate.h"

#include <string.h>

static const Object *unsupported(Walk *w, const Expr *expr) {
  if (expr->kind == EXPR_ELLIPSIS)
    return walk_error(w, expr->loc, ERROR_ellipsis);
  return walk_error(w, expr->loc, ERROR_expression_not_supported,
                    expr_kind_text[expr->kind]);
}

static bool walk_item(Walk *w, const Expr *item, Objects *items) {
  const bool spread = item->kind == EXPR_STARRED;
  const Object *x =
      spread ? walk_gone_over(w, item->operand) : walk_expr(w, item);
  if (!x) return false;
  if (!spread) {
    vec_push(w->arena, items, x);
    return true;
  }
  const Object *all = walk_iterable(w, x);
  if (!all)
    return diag_error(w->diags, item->loc, ERROR_star_wants_tuple,
                      text_of(w, x));
  for (int k = 0; k < all->as.tuple.count; k++)
    vec_push(w->arena, items, all->as.tuple.items[k]);
  return true;
}

static const Object *walk_items(Walk *w, const Expr *expr) {
  Objects items = {0};
  bool ok = true;
  for (int i = 0; i < expr->items.count; i++)
    ok = walk_item(w, expr->items.items[i], &items) && ok;
  if (!ok) return NULL;
  const int count = (int)items.count;
  return object_written_by(object_tuple(w->arena, items.items, count), expr);
}

static const Object *walk_slice(Walk *w, const Expr *expr) {
  const Expr *parts[3] = {expr->slice.lower, expr->slice.upper,
                          expr->slice.step};
  Object *slice = arena_new(w->arena, Object);
  slice->kind = OBJECT_SLICE;
  for (int i = 0; i < 3; i++) {
    if (!parts[i]) continue;
    slice->as.slice[i] = walk_expr(w, parts[i]);
    if (!slice->as.slice[i]) return NULL;
  }
  return slice;
}

static const Object *walk_unary(Walk *w, const Expr *expr) {
  const Object *x = walk_expr(w, expr->unary.operand);
  return x ? unary(w, expr->loc, expr->unary.op, x) : NULL;
}

// `a op b op c`, from the left, of any length.  Messages point at the operator.
static const Object *walk_chain(Walk *w, const Expr *expr) {
  const Object *x = walk_expr(w, expr->chain.first);
  SrcLoc left = expr->chain.first->loc;
  for (int i = 0; i < expr->chain.num_links; i++) {
    const ChainLink *link = &expr->chain.links[i];
    const Object *y = walk_expr(w, link->operand);
    if (!x || !y) {
      x = NULL; // the other operands are still checked
      continue;
    }
    const SrcLoc whole = expr->chain.num_links == 1 ? expr->loc : link->loc;
    const bool dicts = x->kind == OBJECT_DICT && y->kind == OBJECT_DICT;
    const bool sets = x->kind == OBJECT_SET && y->kind == OBJECT_SET;
    const Object *result = dicts && link->op == OPERATOR_OR
                               ? dict_union(w, link->loc, x, y)
                           : sets ? set_operation(w, link->op, x, y)
                                  : NULL;
    if (!result) result = binary_at(w, whole, link->loc, link->op, x, y);
    diag_ranges(w->diags, link->loc, left, link->operand->loc);
    if (!result) note_host(w, object_is_of_host(x) ? x : y);
    x = result;
    const SrcLoc right = link->operand->loc;
    left = left.line == right.line ? loc_up_to(left, right) : right;
  }
  const bool list = x && x->kind == OBJECT_TUPLE && x->as.tuple.written == '[';
  return list ? walk_own(w, x, '[') : x;
}

static bool is_bitwise(Operator op) {
  return op == OPERATOR_AND || op == OPERATOR_OR || op == OPERATOR_XOR;
}

// `a < b & c < d`, which is `a < (b & c) < d`.
static bool is_bitwise_chain(const Expr *expr) {
  const CompareLink *links = expr->compare.links;
  return expr->compare.num_links == 2 && links[0].operand->kind == EXPR_CHAIN &&
         links[0].operand->chain.num_links == 1 &&
         is_bitwise(links[0].operand->chain.links[0].op);
}

static void warn_of_bitwise(Walk *w, const Expr *expr) {
  const CompareLink *links = expr->compare.links;
  const ChainLink *middle = &links[0].operand->chain.links[0];
  const char *op = operator_text[middle->op];
  const char *text = arena_printf(
      w->arena, "(%s %s %s) %s (%s %s %s)", short_text(w, expr->compare.first),
      compare_text[links[0].op], short_text(w, links[0].operand->chain.first),
      op, short_text(w, middle->operand), compare_text[links[1].op],
      short_text(w, links[1].operand));
  diag_warning(w->diags, middle->loc, WARNING_bitwise_in_comparison, op,
               compare_text[links[0].op], text);
  fix_written(w, expr->loc, text);
}

// Compares two values, aggregates by their `__eq__`.
static const Object *compare_values(Walk *w, const Expr *expr,
                                    const CompareLink *link, const Object *x,
                                    const Object *y) {
  const char *name = compare_method[link->op];
  const Object *method = NULL;
  w->b.loc = expr->loc;
  if (object_is_aggregate(x) && name && !class_special(w, name, x, &method))
    return NULL;
  if (!method) return compare_at(w, expr->loc, link->loc, link->op, x, y);
  Argument other = {NULL, y, link->operand->loc, link->operand->loc};
  return call_method(w, method, expr->loc, &(Arguments){&other, 1, 1});
}

// `and` or `or` of `x`, the operand at `left`, and `y`, that at `right`.
static const Object *both(Walk *w, const Expr *expr, SrcLoc left,
                          const Object *x, SrcLoc right, const Object *y) {
  const bool is_or = expr->kind == EXPR_OR;
  const char *what = is_or ? "or" : "and";
  w->b.loc = expr->loc;
  if (!(x = tensor_logical(w, left, what, x)) ||
      !(y = tensor_logical(w, right, what, y)))
    return NULL;
  if (!tensor_broadcast(w, right, what, &x, &y)) {
    diag_ranges(w->diags, right, left, right);
    return NULL;
  }
  return tensor_binary(w, expr->loc, is_or ? OPERATOR_OR : OPERATOR_AND, x, y);
}

// `and` of the comparisons of one expression, from the right.
static const Object *all_of(Walk *w, const Expr *expr, const Objects *values) {
  const Object *result = values->items[values->count - 1];
  for (size_t i = values->count - 1; result && i--;)
    result = both(w, expr, expr->loc, values->items[i], expr->loc, result);
  return result;
}

// The comparisons of `a < b < c`: unless a constant decides, all are computed,
// and combined as by `and`.
static const Object *walk_compare(Walk *w, const Expr *expr) {
  const int count = expr->compare.num_links;
  Objects open = {0};
  const Object *x = walk_gone_over(w, expr->compare.first);
  const Object *result = NULL;
  SrcLoc left = expr->compare.first->loc;
  for (int i = 0; x && i < count; i++) {
    const CompareLink *link = &expr->compare.links[i];
    const Object *y = walk_gone_over(w, link->operand);
    const bool in = link->op == COMPARE_IN || link->op == COMPARE_NOT_IN;
    if (!y || !walk_is_whole(w, left, x)) return NULL;
    if (in && y->is_iterator) y = walk_iterable(w, y);
    if (!in && !walk_is_whole(w, link->operand->loc, y)) return NULL;
    if (!y) return walk_error(w, link->operand->loc, ERROR_iterator_kept);
    result = compare_values(w, expr, link, x, y);
    diag_ranges(w->diags, link->loc, left, link->operand->loc);
    left = link->operand->loc;
    if (!result) return NULL;
    if (object_is_tensor(result))
      vec_push(w->arena, &open, result);
    else if (!constant_truth(result))
      return result;
    x = y;
  }
  if (!x || !open.count) return x ? result : NULL;
  if (open.count > 1 && is_bitwise_chain(expr) && !w->trial)
    warn_of_bitwise(w, expr);
  return all_of(w, expr, &open);
}

// A constant operand short-circuits.  Run-time operands are all computed, and
// combined from the right, unless a constant decides.
static const Object *walk_logical(Walk *w, const Expr *expr) {
  const int count = expr->items.count;
  const Object **values = arena_array(w->arena, const Object *, count);
  for (int i = 0; i < count; i++) {
    const Expr *item = expr->items.items[i];
    values[i] = walk_expr(w, item);
    if (!values[i] || !walk_decides(w, item->loc, values[i])) return NULL;
    if (!object_is_tensor(values[i]) &&
        constant_truth(values[i]) == (expr->kind == EXPR_OR))
      return values[i];
  }
  const Object *result = NULL;
  SrcLoc right = {0};
  for (int i = count; i--;) {
    const SrcLoc loc = expr->items.items[i]->loc;
    if (!object_is_tensor(values[i])) continue;
    result = result ? both(w, expr, loc, values[i], right, result) : values[i];
    if (!result) return NULL;
    right = loc;
  }
  return result ? result : values[count - 1];
}

static const Object *ternary_mismatch(Walk *w, const Expr *expr,
                                      const Object *const values[2]) {
  return walk_error(w, expr->loc, ERROR_conditional_types_differ,
                    text_of(w, values[0]), text_of(w, values[1]));
}

// The condition as an i1 scalar, or NULL.
static const Object *walk_condition(Walk *w, const Expr *expr,
                                    const Object *condition) {
  if (!w->mapping && object_is_tile(condition) &&
      object_type(condition)->num_elements > 1)
    return walk_error(w, expr->loc, ERROR_condition_is_tile,
                      text_of(w, condition));
  w->b.loc = expr->loc;
  if (!w->mapping) condition = w->language->scalar(w, expr->loc, condition);
  return condition ? tensor_truth(w, expr->loc, condition) : NULL;
}

// A branch yields its value like the value of a name.  Names that it assigns
// stay assigned.
static const Object *run_time_conditional(Walk *w, const Expr *expr,
                                          const Object *condition) {
  const Expr *exprs[2] = {expr->conditional.then, expr->conditional.otherwise};
  const Builder outer = w->b;
  const ScopeState before = scope_save(&w->frame->scope);
  const Object *values[2];
  Branch branches[2] = {0};
  for (int i = 0; i < 2; i++) {
    scope_restore(&w->frame->scope, &before);
    branches[i].block = block_create(w->function, 0, NULL);
    w->b.block = branches[i].block;
    values[i] = walk_expr(w, exprs[i]);
    if (!values[i]) return NULL;
    if (object_is_number(values[i]))
      values[i] = to_tensor(w, exprs[i]->loc, values[i]);
    if (!values[i]) return NULL;
    branches[i].exits = exits_by(EXIT_BREAK, values[i]);
    branches[i].state = scope_save(&w->frame->scope);
  }
  w->b = outer;
  if (!object_same_type(element_of(w, values[0]), element_of(w, values[1])))
    return ternary_mismatch(w, expr, values);
  Branch joined;
  if (!join_branches(w, expr->loc, condition->as.tensor.value, branches,
                     &joined))
    return NULL;
  return joined.exits.result;
}

static const Object *walk_conditional(Walk *w, const Expr *expr) {
  const Expr *test = expr->conditional.condition;
  const Object *condition = walk_expr(w, test);
  if (!condition || !walk_decides(w, test->loc, condition)) return NULL;
  if (!object_is_tensor(condition))
    return walk_gone_over(w, constant_truth(condition)
                                 ? expr->conditional.then
                                 : expr->conditional.otherwise);
  condition = walk_condition(w, test, condition);
  return condition ? run_time_conditional(w, expr, condition) : NULL;
}

static const Object *walk_named(Walk *w, const Expr *expr) {
  const Object *value = walk_expr(w, expr->named.value);
  if (!value) walk_assign(w, expr->named.target, &object_poison);
  if (!value || !walk_assign(w, expr->named.target, value)) return NULL;
  return walk_expr(w, expr->named.target);
}

static const Object *integer_literal(Walk *w, const Expr *expr) {
  return object_int(w->arena, expr->integer);
}

// -- Strings -----------------------------------------------------------------

static const Object *walk_string(Walk *w, const Expr *expr) {
  if (expr->string.is_bytes)
    return walk_error(w, expr->loc, ERROR_expression_not_supported, "bytes");
  return object_string(w->arena, expr->string.text, expr->string.length);
}

static const Object *walk_set(Walk *w, const Expr *expr) {
  if (!walk_is_host(w)) return unsupported(w, expr);
  const Object *all = walk_items(w, expr);
  return all ? set_of_items(w, expr->loc, all, false) : NULL;
}

static const Object *walk_fstring(Walk *w, const Expr *expr);

static const Object *converted(Walk *w, const Object *x, bool repr) {
  Str text = str_in(w->arena);
  object_print(x, repr, &text);
  return object_string(w->arena, str_text(&text), text.length);
}

static bool add_formatted(Walk *w, const FStringPart *part, const Object *x,
                          Str *out) {
  const Object *spec = walk_fstring(w, part->spec);
  if (!spec) return false;
  if (format_object(x, spec->as.string.text, out)) return true;
  return diag_error(w->diags, part->value->loc, ERROR_bad_format,
                    spec->as.string.text, text_of(w, x));
}

static bool add_fstring_part(Walk *w, const FStringPart *part, Str *out) {
  if (!part->value) return str_add_bytes(out, part->text, part->length), true;
  const Object *x = walk_expr(w, part->value);
  if (!x) return false;
  if (!object_is_constant(x))
    return diag_error(w->diags, part->value->loc,
                      ERROR_f_string_shows_constants_only, "an f-string",
                      text_of(w, x));
  const bool shown = part->debug && !part->conversion && !part->spec;
  const bool repr = shown || (part->conversion && part->conversion != 's');
  if (!walk_shows(w, part->value->loc, x, repr)) return false;
  if (part->debug) str_add(out, part->source);
  if (part->conversion || shown) x = converted(w, x, repr);
  if (part->spec) return add_formatted(w, part, x, out);
  object_print(x, false, out);
  return true;
}

static const Object *walk_fstring(Walk *w, const Expr *expr) {
  Str out = str_in(w->arena);
  for (int i = 0; i < expr->fstring.num_parts; i++) {
    if (!add_fstring_part(w, &expr->fstring.parts[i], &out)) return NULL;
  }
  return object_string(w->arena, str_text(&out), out.length);
}

static const Object *walk_dict(Walk *w, const Expr *expr) {
  DictEntries entries = {0};
  for (int i = 0; i < expr->dict.count; i++) {
    const DictItem *item = &expr->dict.items[i];
    const Object *value = walk_expr(w, item->value);
    const Object *key = value && item->key ? walk_expr(w, item->key) : NULL;
    if (!value || (item->key && !key)) return NULL;
    if (key ? !dict_put(w, &entries, item->value->loc, key, value)
            : !dict_put_all(w, &entries, item->value->loc, value))
      return NULL;
  }
  return dict_of(w, &entries);
}

static const Object *dispatch(Walk *w, const Expr *expr) {
  switch (expr->kind) {
  case EXPR_NAME: return walk_name(w, expr);
  case EXPR_INT: return integer_literal(w, expr);
  case EXPR_FLOAT: return object_float(w->arena, expr->number);
  case EXPR_BIG: return walk_error(w, expr->loc, ERROR_integer_literal_too_big);
  case EXPR_IMAGINARY: return walk_error(w, expr->loc, ERROR_imaginary_number);
  case EXPR_STRING: return walk_string(w, expr);
  case EXPR_FSTRING: return walk_fstring(w, expr);
  case EXPR_NONE: return &object_none;
  case EXPR_BOOL: return object_bool(expr->truth);
  case EXPR_TUPLE: return walk_own(w, walk_items(w, expr), '(');
  case EXPR_LIST: return walk_own(w, walk_items(w, expr), '[');
  case EXPR_ATTRIBUTE: return walk_attribute(w, expr);
  case EXPR_SUBSCRIPT: return walk_subscript(w, expr);
  case EXPR_SLICE: return walk_slice(w, expr);
  case EXPR_CALL: return walk_call(w, expr);
  case EXPR_UNARY: return walk_unary(w, expr);
  case EXPR_CHAIN: return walk_chain(w, expr);
  case EXPR_COMPARE: return walk_compare(w, expr);
  case EXPR_AND:
  case EXPR_OR: return walk_logical(w, expr);
  case EXPR_IF: return walk_conditional(w, expr);
  case EXPR_NAMED: return walk_named(w, expr);
  case EXPR_COMPREHENSION: return walk_comprehension(w, expr);
  case EXPR_DICT: return walk_own(w, walk_dict(w, expr), '{');
  case EXPR_SET: return walk_set(w, expr);
  case EXPR_LAMBDA: return walk_lambda(w, expr);
  default: return unsupported(w, expr);
  }
}

const Object *walk_gone_over(Walk *w, const Expr *expr) {
  const int level = walk_enter(w, expr->loc);
  if (!level) return NULL;
  const Object *result = dispatch(w, expr);
  walk_leave(w, level);
  return result ? walk_limits(w, expr->loc, result) : NULL;
}

const Object *walk_expr(Walk *w, const Expr *expr) {
  const Object *x = walk_gone_over(w, expr);
  const bool makes = expr->kind == EXPR_CALL || expr->kind == EXPR_IF ||
                     expr->kind == EXPR_COMPREHENSION;
  return x && makes && !walk_keep_iterator(w, expr->loc, x) ? NULL : x;
}

static const void *expr_step(Walk *w, void *context) {
  return walk_expr(w, context);
}

const Object *walk_expr_quietly(Walk *w, const Expr *expr) {
  return walk_quietly(w, expr_step, (void *)expr);
}

const Object *walk_expr_hosted(Walk *w, const Expr *expr) {
  return walk_hosted(w, expr_step, (void *)expr);
}
