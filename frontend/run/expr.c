// expr.c -- expressions of host code.
#include "frontend/run/evaluate.h"

#include <string.h>

// The items of a display such as `[a, *b]`.  False: the path ended.  `*known`:
// false if they are unknown.
static bool display_items(Machine *m, const ExprList *list, Things *out,
                          bool *known) {
  *known = true;
  for (int i = 0; i < list->count; i++) {
    const Expr *e = list->items[i];
    const bool starred = e->kind == EXPR_STARRED;
    Thing *x = run_expr(m, starred ? e->operand : e);
    bool alive = true;
    if (!x) return false;
    if (!starred)
      vec_push(m->arena, out, x);
    else if (!run_drain(m, x, out, &alive)) {
      *known = false;
      if (alive) run_unknown(m, x, NULL);
    }
    if (!alive) return false;
  }
  return true;
}

// A display with unknown items: the items escape.
static Thing *unknown_display(Machine *m, const Things *items) {
  for (size_t i = 0; i < items->count; i++) run_expose(m, items->items[i]);
  return &thing_unknown;
}

static Thing *run_display(Machine *m, const Expr *e) {
  Things items = {0};
  bool known;
  if (!display_items(m, &e->items, &items, &known)) return NULL;
  if (!known) return unknown_display(m, &items);
  const int count = (int)items.count;
  if (e->kind == EXPR_TUPLE) return thing_tuple(m, items.items, count);
  if (e->kind == EXPR_LIST) return thing_list(m, items.items, count);
  return run_set_of(m, &items);
}

// Adds `**other` to a display; false: the path ended.
static bool add_all(Machine *m, Thing *dict, Thing *other) {
  const Content *c = other->kind == THING_DICT ? content_of(other) : NULL;
  if (!c) {
    run_unknown(m, other, dict);
    return true;
  }
  for (int i = 0; i < c->count; i++)
    if (!run_set_item(m, dict, c->keys[i], c->items[i])) return false;
  return true;
}

static Thing *run_dict(Machine *m, const Expr *e) {
  Thing *dict = thing_dict(m, NULL, NULL, 0);
  for (int i = 0; i < e->dict.count; i++) {
    const DictItem *item = &e->dict.items[i];
    Thing *key = item->key ? run_expr(m, item->key) : &thing_none;
    Thing *value = key ? run_expr(m, item->value) : NULL;
    if (!value) return NULL;
    if (item->key ? !run_set_item(m, dict, key, value)
                  : !add_all(m, dict, value))
      return NULL;
  }
  return dict;
}

static Thing *run_slice(Machine *m, const Expr *e) {
  const Expr *parts[] = {e->slice.lower, e->slice.upper, e->slice.step};
  Thing *items[3] = {0};
  for (int i = 0; i < 3; i++)
    if (parts[i] && !(items[i] = run_expr(m, parts[i]))) return NULL;
  for (int i = 0; i < 3; i++)
    if (items[i] == &thing_none) items[i] = NULL;
  Thing *x = thing_tuple(m, items, 3);
  x->kind = THING_SLICE;
  return x;
}

static Thing *run_chain(Machine *m, const Expr *e) {
  Thing *x = run_expr(m, e->chain.first);
  for (int i = 0; x && i < e->chain.num_links; i++) {
    Thing *y = run_expr(m, e->chain.links[i].operand);
    x = y ? run_binary(m, e->chain.links[i].op, x, y, false) : NULL;
  }
  return x;
}

// Ends this path with the answer `value`; the run continues with the path that
// has no answer yet.
static void answer(Machine *m, Thing *value) {
  run_leave(m, LEAVE_FALL, value);
}

static Thing *joined(Machine *m, size_t base, Thing *last) {
  Thing *value = last;
  return run_merge(m, base, LEAVE_FALL, last != NULL, &value) ? value : NULL;
}

// `__name__ == "__main__"` is false: the module is imported.
static bool asks_for_main(const Expr *e) {
  if (e->compare.num_links != 1 || e->compare.first->kind != EXPR_NAME)
    return false;
  const CompareLink *link = &e->compare.links[0];
  return link->op == COMPARE_EQ && link->operand->kind == EXPR_STRING &&
         !strcmp(e->compare.first->name, "__name__") &&
         !strcmp(link->operand->string.text, "__main__");
}

static Thing *compare_links(Machine *m, const Expr *e) {
  if (asks_for_main(e)) return &thing_false;
  Thing *x = run_expr(m, e->compare.first), *result = NULL;
  for (int i = 0; x && i < e->compare.num_links; i++) {
    const CompareLink *link = &e->compare.links[i];
    bool alive = true;
    Thing *y = run_expr(m, link->operand);
    result = y ? run_compare(m, link->op, x, y) : NULL;
    if (!result || i + 1 == e->compare.num_links) return result;
    const Known truth = run_truth(m, result, &alive);
    if (!alive) return NULL;
    if (truth == KNOWN_FALSE) return result;
    if (truth == KNOWN_NOT) answer(m, result);
    x = y;
  }
  return NULL;
}

static Thing *logic_items(Machine *m, const Expr *e) {
  const Known ends = known_of(e->kind == EXPR_OR);
  for (int i = 0;; i++) {
    bool alive = true;
    Thing *x = run_expr(m, e->items.items[i]);
    if (!x || i + 1 == e->items.count) return x;
    const Known truth = run_truth(m, x, &alive);
    if (!alive) return NULL;
    if (truth == ends) return x;
    if (truth == KNOWN_NOT) answer(m, x);
  }
}

static Thing *run_conditional(Machine *m, const Expr *e) {
  bool alive = true;
  Thing *condition = run_expr(m, e->conditional.condition);
  const Known truth = condition ? run_truth(m, condition, &alive) : KNOWN_NOT;
  if (!condition || !alive) return NULL;
  if (truth != KNOWN_NOT)
    return run_expr(m, truth == KNOWN_TRUE ? e->conditional.then
                                           : e->conditional.otherwise);
  const RunMark mark = run_mark(m);
  const size_t base = m->leaves.count;
  m->forks++;
  Thing *then = run_expr(m, e->conditional.then);
  if (then) answer(m, then);
  run_undo(m, mark);
  Thing *otherwise = run_expr(m, e->conditional.otherwise);
  m->forks--;
  return joined(m, base, otherwise);
}

// -- f-strings ---------------------------------------------------------------

static bool put_value(Machine *m, const FStringPart *part, Thing *x, Str *out) {
  const bool plain = !part->conversion && !part->spec;
  if (part->debug || part->conversion == 'a') return false;
  if (plain && thing_is_text(x)) {
    object_print(x->as.constant, false, out);
    return true;
  }
  if (plain || (part->conversion == 'r' && !part->spec))
    return thing_print(m, x, false, out);
  if (x->kind != THING_CONSTANT || part->conversion) return false;
  Thing *spec = run_expr(m, part->spec);
  return spec && thing_is_text(spec) &&
         format_object(x->as.constant, spec->as.constant->as.string.text, out);
}

static Thing *run_fstring(Machine *m, const Expr *e) {
  Str out = str_in(m->arena);
  bool known = true;
  for (int i = 0; i < e->fstring.num_parts; i++) {
    const FStringPart *part = &e->fstring.parts[i];
    if (!part->value) {
      str_add_bytes(&out, part->text, part->length);
      continue;
    }
    Thing *x = run_expr(m, part->value);
    if (!x) return NULL;
    if (put_value(m, part, x, &out)) continue;
    known = false;
    run_unknown(m, x, NULL);
  }
  if (m->lost) return NULL;
  return known ? thing_text(m, str_text(&out), out.length) : &thing_unknown;
}

static Thing *run_named(Machine *m, const Expr *e) {
  Thing *x = run_expr(m, e->named.value);
  if (x) run_bind(m, e->named.target->name, x);
  return x;
}

// Gives an item of the running generator to its taker; if there is no taker,
// adds it to the list.
static bool take(Machine *m, Thing *item) {
  RunFrame *const frame = m->frame;
  if (!frame->taker) {
    run_binary(m, OPERATOR_ADD, frame->yields, thing_list(m, &item, 1), true);
    return true;
  }
  const size_t base = m->leaves.count;
  m->frame = frame->taker->frame;
  const bool alive = frame->taker->take(m, frame->taker->data, item);
  m->frame = frame;
  // The leaves of the loop's body pass by the statements around the `yield`.
  for (size_t i = base; i < m->leaves.count; i++)
    m->leaves.items[i].kind += LEAVE_TAKER;
  return alive;
}

// Python does not allow `yield` in a module, a class or a comprehension.
static bool may_yield(const RunFrame *frame) {
  return !frame->is_comprehension && (frame->taker || frame->yields);
}

static Thing *run_yield(Machine *m, const Expr *e) {
  const bool from = e->operand && e->operand->kind == EXPR_STARRED;
  bool alive = true;
  Things items = {0};
  Thing *x = !e->operand ? &thing_none
             : from      ? run_expr(m, e->operand->operand)
                         : run_expr(m, e->operand);
  if (!x) return NULL;
  if (!from) vec_push(m->arena, &items, x);
  if ((from && !run_drain(m, x, &items, &alive)) || !may_yield(m->frame))
    run_lose(m);
  for (size_t i = 0; alive && !m->lost && i < items.count; i++)
    alive = take(m, items.items[i]);
  return alive && !m->lost ? &thing_none : NULL;
}

static Thing *run_literal(Machine *m, const Expr *e) {
  switch (e->kind) {
  case EXPR_INT: return thing_int(m, e->integer);
  case EXPR_FLOAT: return thing_constant(m, object_float(m->arena, e->number));
  case EXPR_STRING:
    return e->string.is_bytes || strlen(e->string.text) != e->string.length
               ? &thing_unknown
               : thing_text(m, e->string.text, e->string.length);
  case EXPR_NONE: return &thing_none;
  case EXPR_BOOL: return thing_bool(e->truth);
  default: return &thing_unknown;
  }
}

static Thing *run_kind(Machine *m, const Expr *e) {
  Thing *x, *y;
  const size_t base = m->leaves.count;
  switch (e->kind) {
  case EXPR_NAME: return run_name(m, e->name);
  case EXPR_FSTRING: return run_fstring(m, e);
  case EXPR_TUPLE:
  case EXPR_LIST:
  case EXPR_SET: return run_display(m, e);
  case EXPR_DICT: return run_dict(m, e);
  case EXPR_ATTRIBUTE:
    x = run_expr(m, e->attribute.object);
    return x ? run_attribute(m, x, e->attribute.name) : NULL;
  case EXPR_SUBSCRIPT:
    x = run_expr(m, e->subscript.object);
    y = x ? run_expr(m, e->subscript.index) : NULL;
    return y ? run_subscript(m, x, y) : NULL;
  case EXPR_SLICE: return run_slice(m, e);
  case EXPR_CALL: return run_call_expr(m, e);
  case EXPR_UNARY:
    x = run_expr(m, e->unary.operand);
    return x ? run_unary(m, e->unary.op, x) : NULL;
  case EXPR_CHAIN: return run_chain(m, e);
  case EXPR_COMPARE: return joined(m, base, compare_links(m, e));
  case EXPR_AND:
  case EXPR_OR: return joined(m, base, logic_items(m, e));
  case EXPR_IF: return run_conditional(m, e);
  case EXPR_LAMBDA: return make_function(m, lambda_ast(m, e));
  case EXPR_COMPREHENSION: return run_comprehension(m, e);
  case EXPR_NAMED: return run_named(m, e);
  case EXPR_YIELD: return run_yield(m, e);
  case EXPR_AWAIT:
    x = run_expr(m, e->operand);
    return x ? run_unknown(m, x, NULL) : NULL;
  default: return run_literal(m, e);
  }
}

Thing *run_expr(Machine *m, const Expr *e) {
  enum { MAX_DEPTH = 2500 };
  if (!run_step(m)) return NULL;
  if (m->depth > MAX_DEPTH) run_lose(m);
  m->depth++;
  Thing *x = m->lost ? NULL : run_kind(m, e);
  m->depth--;
  return m->lost ? NULL : x;
}
