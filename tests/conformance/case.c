// case.c -- the sizes and types of a case's memory, and its name.
#include "tests/conformance/conformance.h"

int64_t case_elements(const Case *c) {
  const int64_t rows = c->shape[0] ? c->shape[0] : 1;
  const int64_t batches = c->batches ? c->batches : 1;
  return c->shape[1] ? batches * rows * c->shape[1] : rows;
}

// The tensor that block pointers point into: a little more than the block.
static int64_t tensor_elements(const Case *c) {
  return (c->shape[0] + 1) * (c->shape[1] + 3);
}

Elem case_input_elem(const Case *c, int input) {
  if (c->family == FAMILY_REDUCE) return c->elem;
  if (c->family == FAMILY_DOT && input == 1) return c->second;
  if (c->family == FAMILY_DOT && input == 2) return c->elem;
  return c->from;
}

int64_t case_input_count(const Case *c, int input) {
  const int64_t m = c->shape[0], n = c->shape[1], k = c->shape[2];
  if (c->family == FAMILY_DOT) {
    const int64_t batches = c->batches ? c->batches : 1;
    return batches * (input == 0 ? m * k : input == 1 ? k * n : m * n);
  }
  if (c->family == FAMILY_BLOCK) return tensor_elements(c);
  return c->length;
}

int64_t case_output_count(const Case *c) {
  switch (c->family) {
  case FAMILY_SHAPE: return 16 * case_elements(c); // more than any of them
  case FAMILY_BLOCK: return tensor_elements(c);
  case FAMILY_ATOMIC: return 2 * case_elements(c);
  default: return case_elements(c);
  }
}

// The smallest K of a matrix instruction for tf32.
enum { TF32_K = 8 };

Case case_reference(const Case *c, bool has_tf32) {
  Case reference = *c;
  const bool is_tf32 = c->family == FAMILY_DOT && c->from == ELEM_f32 &&
                       c->variant == PRECISION_tf32;
  if (is_tf32 && !(has_tf32 && c->shape[2] >= TF32_K)) {
    reference.variant = PRECISION_ieee;
  }
  return reference;
}

static const char *const fused_names[FUSED_COUNT] = {[FUSED_ADD] = "then addf",
                                                     [FUSED_LESS] = "then subf",
                                                     [FUSED_FROM] =
                                                         "subtracted"};

static const char *variant_name(Arena *arena, const Case *c) {
  switch (c->family) {
  case FAMILY_COMPARE: return attr_words[ATTR_KIND_Predicate][c->variant];
  case FAMILY_ATOMIC: return attr_words[ATTR_KIND_Rmw][c->variant];
  case FAMILY_REDUCE:
    return arena_printf(arena, "%s axis %d%s", op_info[c->variant].name,
                        c->from % 2,
                        c->from < 2        ? ""
                        : c->op == OP_scan ? " reverse"
                                           : " in a line");
  case FAMILY_DOT:
    return arena_printf(arena, "%s, %d batches, by %s",
                        attr_words[ATTR_KIND_Precision][c->variant], c->batches,
                        elem_info[c->second].name);
  case FAMILY_FUSED: return fused_names[c->variant];
  default: return arena_printf(arena, "variant %d", c->variant);
  }
}

const char *case_name(Arena *arena, const Case *c) {
  return arena_printf(
      arena, "%s (%s) %s to %s, %lldx%lldx%lld, length %lld, %d warps",
      op_info[c->op].name, variant_name(arena, c),
      elem_info[case_input_elem(c, 0)].name, elem_info[c->elem].name,
      (long long)c->shape[0], (long long)c->shape[1], (long long)c->shape[2],
      (long long)c->length, c->warps);
}
