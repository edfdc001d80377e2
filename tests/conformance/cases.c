// cases.c -- the cases, and a small cover of them.
#include "tests/conformance/conformance.h"

#include <stdio.h>
#include <string.h>

static const int64_t sizes[] = {0, 1, 2, 16, 64, 128, 1024}; // 0: a scalar
static const int64_t lengths[] = {1, 15, 16, 17, 31, 127, 128, 129, 997, 1024};
static const int64_t boxes[][2] = {{1, 1},  {2, 16},  {16, 2},  {1, 128},
                                   {64, 1}, {16, 16}, {32, 64}, {128, 8}};
static const int64_t products[][3] = {
    {1, 1, 1},   {1, 16, 2},   {16, 1, 16},  {16, 16, 16},
    {2, 64, 64}, {64, 16, 32}, {64, 64, 64}, {128, 32, 16},
    {8, 8, 32},  {16, 64, 32}, {32, 8, 64},  {32, 128, 32}};

#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

typedef struct {
  Arena *arena;
  CaseList *out;
} Lister;

// The numbers of warps are repeated with a period that no other list has.
static void add(Lister *l, Case c) {
  static const int warps[] = {4, 1, 8, 2};
  const uint32_t mixed = (uint32_t)l->out->count * 2654435761u;
  if (!c.warps) c.warps = warps[mixed >> 30];
  vec_push(l->arena, l->out, c);
}

static bool is_float(Elem elem) {
  return elem_info[elem].is_float;
}

static bool is_f8(Elem elem) {
  return elem == ELEM_f8e5 || elem == ELEM_f8e4nv;
}

// Types that arithmetic works on, i1 for logic alone.
static bool has_op(OpKind op, Elem elem) {
  const TypeRule rule = op_info[op].rule;
  if (is_float(elem)) return rule == RULE_FLOATS && !is_f8(elem);
  if (rule != RULE_INTS) return false;
  return elem != ELEM_i1 || op == OP_andi || op == OP_ori || op == OP_xori;
}

// -- One line of elements, some of them masked -------------------------------

static void add_lengths(Lister *l, Case c) {
  for (int i = 0; i < COUNT(sizes); i++) {
    c.shape[1] = sizes[i];
    c.length = sizes[i] ? sizes[i] : 1;
    add(l, c);
    for (int k = 0; k < COUNT(lengths) && sizes[i]; k++) {
      c.length = lengths[k];
      if (c.length < sizes[i]) add(l, c);
    }
  }
}

static void list_elementwise(Lister *l, OpKind op) {
  for (int elem = 0; elem < ELEM_COUNT; elem++) {
    if (!has_op(op, (Elem)elem)) continue;
    add_lengths(l, (Case){.family = FAMILY_ELEMENTWISE,
                          .op = op,
                          .from = (Elem)elem,
                          .elem = (Elem)elem});
  }
}

static void list_fused(Lister *l) {
  for (int elem = ELEM_f16; elem < ELEM_COUNT; elem++) {
    for (int variant = 0; variant < FUSED_COUNT; variant++) {
      add_lengths(l, (Case){.family = FAMILY_FUSED,
                            .op = OP_mulf,
                            .variant = variant,
                            .from = (Elem)elem,
                            .elem = (Elem)elem});
    }
  }
}

static void list_compare(Lister *l, OpKind op) {
  for (int elem = ELEM_i8; elem < ELEM_COUNT; elem++) {
    if (is_f8((Elem)elem) || is_float((Elem)elem) != (op == OP_cmpf)) continue;
    for (int p = 0; p <= (op == OP_cmpf ? PREDICATE_ge : PREDICATE_uge); p++) {
      add_lengths(l, (Case){.family = FAMILY_COMPARE,
                            .op = op,
                            .variant = p,
                            .from = (Elem)elem,
                            .elem = ELEM_i8});
    }
  }
}

static void list_select(Lister *l) {
  for (int elem = ELEM_i8; elem < ELEM_COUNT; elem++) {
    for (int scalar = 0; scalar < 2; scalar++) {
      add_lengths(l, (Case){.family = FAMILY_SELECT,
                            .op = OP_select,
                            .variant = scalar,
                            .from = (Elem)elem,
                            .elem = (Elem)elem});
    }
  }
}

static bool converts(OpKind op, Elem from, Elem to) {
  const int change = elem_info[to].bits - elem_info[from].bits;
  const bool f8 = is_f8(from) || is_f8(to);
  switch (op_info[op].rule) {
  case RULE_WIDEN_INT: return !is_float(from) && !is_float(to) && change > 0;
  case RULE_NARROW_INT: return !is_float(from) && !is_float(to) && change < 0;
  case RULE_CONVERT_FLOAT:
    if (!is_float(from) || !is_float(to)) return false;
    return op == OP_extf ? change > 0 : change < 0;
  case RULE_INT_TO_FLOAT: return !is_float(from) && is_float(to) && !f8;
  case RULE_FLOAT_TO_INT: return is_float(from) && !is_float(to) && !f8;
  default: return op == OP_bitcast && !change && from != to;
  }
}

static void list_convert(Lister *l, OpKind op) {
  for (int from = ELEM_i8; from < ELEM_COUNT; from++) {
    for (int to = ELEM_i8; to < ELEM_COUNT; to++) {
      if (!converts(op, (Elem)from, (Elem)to)) continue;
      for (int r = 0; r <= (op == OP_truncf); r++) {
        add_lengths(l, (Case){.family = FAMILY_CONVERT,
                              .op = op,
                              .variant = r,
                              .from = (Elem)from,
                              .elem = (Elem)to});
      }
    }
  }
}

static void list_atomic(Lister *l) {
  for (int kind = RMW_add; kind <= RMW_store; kind++) {
    const bool floats =
        kind == RMW_fadd || kind == RMW_fmax || kind == RMW_fmin;
    const bool access = kind == RMW_load || kind == RMW_store;
    const int fewest = access ? 8 : floats ? 16 : 32;
    for (int elem = ELEM_i8; elem < ELEM_COUNT; elem++) {
      if (elem_info[elem].bits < fewest || is_float((Elem)elem) != floats)
        continue;
      add_lengths(l, (Case){.family = FAMILY_ATOMIC,
                            .op = OP_atomic_rmw,
                            .variant = kind,
                            .from = (Elem)elem,
                            .elem = (Elem)elem});
    }
  }
  for (int elem = ELEM_i16; elem < ELEM_COUNT; elem++) {
    if (elem_info[elem].bits < 16) continue;
    add_lengths(l, (Case){.family = FAMILY_ATOMIC,
                          .op = OP_atomic_cas,
                          .from = (Elem)elem,
                          .elem = (Elem)elem});
  }
}

static void list_control(Lister *l) {
  static const OpKind ops[] = {OP_for, OP_while, OP_if};
  for (int i = 0; i < 3; i++) {
    for (int trips = -1; trips < 4; trips++) {
      for (int elem = ELEM_i8; elem < ELEM_COUNT; elem++) {
        add_lengths(l, (Case){.family = FAMILY_CONTROL,
                              .op = ops[i],
                              .variant = trips,
                              .from = (Elem)elem,
                              .elem = (Elem)elem});
      }
    }
  }
}

// -- Boxes -------------------------------------------------------------------

static void add_boxes(Lister *l, Case c) {
  for (int i = 0; i < COUNT(boxes); i++) {
    c.shape[0] = boxes[i][0];
    c.shape[1] = boxes[i][1];
    c.length = c.shape[0] * c.shape[1];
    add(l, c);
  }
}

static void list_shape(Lister *l) {
  static const OpKind ops[] = {
      OP_splat, OP_broadcast, OP_expand_dims, OP_reshape, OP_trans,
      OP_join,  OP_split,     OP_cat,         OP_gather,  OP_minmaxsi};
  for (int i = 0; i < COUNT(ops); i++) {
    for (int elem = ELEM_i8; elem < ELEM_COUNT; elem++) {
      if (ops[i] == OP_minmaxsi && is_float((Elem)elem)) continue;
      for (int axis = 0; axis < 2; axis++) {
        add_boxes(l, (Case){.family = FAMILY_SHAPE,
                            .op = ops[i],
                            .variant = axis,
                            .from = (Elem)elem,
                            .elem = (Elem)elem});
      }
    }
  }
}

static void list_histogram(Lister *l) {
  for (int elem = ELEM_i32; elem <= ELEM_i64; elem++) {
    add_boxes(l, (Case){.family = FAMILY_SHAPE,
                        .op = OP_histogram,
                        .from = (Elem)elem,
                        .elem = ELEM_i32});
  }
}

// `op` is reduce or scan; from = axis, or 2 + axis for a reversed scan; number
// 2 reduces a vector of all elements.
static void list_reduce(Lister *l, OpKind op) {
  static const OpKind combiners[] = {
      OP_addi,  OP_muli, OP_andi, OP_ori,  OP_xori,     OP_maxsi, OP_maxui,
      OP_minsi, OP_addf, OP_mulf, OP_maxf, OP_maximumf, OP_minf};
  const int ways = op == OP_scan ? 4 : 3;
  for (int i = 0; i < COUNT(combiners); i++) {
    for (int elem = ELEM_i8; elem < ELEM_COUNT; elem++) {
      if (!has_op(combiners[i], (Elem)elem)) continue;
      for (int way = 0; way < ways; way++) {
        add_boxes(l, (Case){.family = FAMILY_REDUCE,
                            .op = op,
                            .variant = (int)combiners[i],
                            .from = (Elem)way,
                            .elem = (Elem)elem});
      }
    }
  }
}

// Without and with batches, by different numbers of warps.
static void add_dots(Lister *l, Elem from, Elem second, Elem elem,
                     Precision precision) {
  static const int warps[] = {4, 1, 8, 2};
  for (int k = 0; k < COUNT(products); k++) {
    Case c = {.family = FAMILY_DOT,
              .op = OP_dot,
              .variant = (int)precision,
              .from = from,
              .second = second,
              .elem = elem,
              .warps = warps[(k + (int)from) % COUNT(warps)]};
    memcpy(c.shape, products[k], sizeof c.shape);
    // Each multiplication of a thread is an instruction: not too many.
    const bool unrolls =
        precision == PRECISION_ieee && elem_info[from].bits > 16;
    if (unrolls && c.shape[0] * c.shape[1] * c.shape[2] > 16384) c.warps = 8;
    c.length = c.shape[0] * c.shape[1];
    add(l, c);
    if (k % 3 || c.length > 1024) continue;
    c.batches = 1 + k % 4;
    if (c.batches == 3) c.batches = 4;
    add(l, c);
  }
}

static void list_dot(Lister *l) {
  static const Elem types[][3] = {{ELEM_i8, ELEM_i8, ELEM_i32},
                                  {ELEM_f8e5, ELEM_f8e5, ELEM_f32},
                                  {ELEM_f8e4nv, ELEM_f8e4nv, ELEM_f32},
                                  {ELEM_f8e4nv, ELEM_f8e4nv, ELEM_f16},
                                  {ELEM_f8e5, ELEM_f8e4nv, ELEM_f32},
                                  {ELEM_f8e4nv, ELEM_f8e5, ELEM_f16},
                                  {ELEM_f16, ELEM_f16, ELEM_f32},
                                  {ELEM_f16, ELEM_f16, ELEM_f16},
                                  {ELEM_bf16, ELEM_bf16, ELEM_f32},
                                  {ELEM_f64, ELEM_f64, ELEM_f64}};
  for (int i = 0; i < COUNT(types); i++) {
    add_dots(l, types[i][0], types[i][1], types[i][2], PRECISION_ieee);
  }
  for (int i = PRECISION_tf32; i <= PRECISION_bf16x6; i++) {
    add_dots(l, ELEM_f32, ELEM_f32, ELEM_f32, (Precision)i);
  }
}

static void list_block(Lister *l) {
  static const OpKind ops[] = {OP_load_block, OP_store_block, OP_advance,
                               OP_load_desc, OP_store_desc};
  for (int i = 0; i < COUNT(ops); i++) {
    for (int elem = ELEM_i8; elem < ELEM_COUNT; elem++) {
      for (int offset = -2; offset < 3; offset++) {
        add_boxes(l, (Case){.family = FAMILY_BLOCK,
                            .op = ops[i],
                            .variant = offset,
                            .from = (Elem)elem,
                            .elem = (Elem)elem});
      }
    }
  }
}

static void list_op(Lister *l, OpKind op) {
  switch (op_info[op].rule) {
  case RULE_INTS:
  case RULE_FLOATS: list_elementwise(l, op); break;
  case RULE_COMPARE: list_compare(l, op); break;
  case RULE_SELECT: list_select(l); break;
  case RULE_WIDEN_INT:
  case RULE_NARROW_INT:
  case RULE_CONVERT_FLOAT:
  case RULE_INT_TO_FLOAT:
  case RULE_FLOAT_TO_INT:
  case RULE_BITCAST: list_convert(l, op); break;
  default: break;
  }
}

void cases_list(Arena *arena, CaseList *out) {
  Lister l = {arena, out};
  for (int op = 0; op < OP_COUNT; op++) list_op(&l, (OpKind)op);
  list_fused(&l);
  list_shape(&l);
  list_reduce(&l, OP_reduce);
  list_reduce(&l, OP_scan);
  list_histogram(&l);
  list_dot(&l);
  list_atomic(&l);
  list_block(&l);
  list_control(&l);
}

// -- A cover -----------------------------------------------------------------

enum { NUM_FACTORS = 6 };

// The factors of a case, as text that differs where they do.
static void factors(const Case *c, char text[NUM_FACTORS][32]) {
  snprintf(text[0], 32, "o%d.%d.%d.%d", c->op, c->variant, c->from, c->batches);
  snprintf(text[1], 32, "e%d", c->elem);
  snprintf(text[2], 32, "o%d", c->op);
  snprintf(text[3], 32, "s%lldx%lldx%lld", (long long)c->shape[0],
           (long long)c->shape[1], (long long)c->shape[2]);
  snprintf(text[4], 32, "l%lld", (long long)c->length);
  snprintf(text[5], 32, "w%d", c->warps);
}

// Does the case have a pair of factors that no earlier case had?  The variants
// of an op are paired with types only.
static bool covers_more(Arena *arena, Map *seen, const Case *c) {
  static char mark;
  char text[NUM_FACTORS][32], pair[80];
  bool more = false;
  factors(c, text);
  for (int i = 0; i < NUM_FACTORS; i++) {
    for (int j = i + 1; j < (i ? NUM_FACTORS : 2); j++) {
      const int length = snprintf(pair, sizeof pair, "%s %s", text[i], text[j]);
      if (map_get_text(seen, pair, (size_t)length)) continue;
      map_put_text(seen, arena, pair, (size_t)length, &mark);
      more = true;
    }
  }
  return more;
}

static uint64_t next(uint64_t *state) {
  *state =
      *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *state >> 33;
}

static void shuffle(CaseList *list, uint64_t seed) {
  for (size_t i = list->count; i > 1; i--) {
    const size_t j = next(&seed) % i;
    const Case c = list->items[i - 1];
    list->items[i - 1] = list->items[j];
    list->items[j] = c;
  }
}

void cases_cover(Arena *arena, const CaseList *all, uint64_t seed, int extra,
                 CaseList *out) {
  CaseList order = {0};
  Map seen = {0};
  for (size_t i = 0; i < all->count; i++)
    vec_push(arena, &order, all->items[i]);
  shuffle(&order, seed);
  for (size_t i = 0; i < order.count; i++) {
    const Case c = order.items[i];
    if (covers_more(arena, &seen, &c)) {
      vec_push(arena, out, c);
    } else if (extra > 0) {
      vec_push(arena, out, c);
      extra--;
    }
  }
}
