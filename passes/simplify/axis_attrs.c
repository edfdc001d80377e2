// axis_attrs.c -- the pass axis_info: writes the facts of the analysis on
// accesses; on comparisons, constancy and the growth of operands.
//
// Code generation reads them there.  The analysis does not use these
// attributes, so running the pass again replaces them by current facts.
#include "passes/analysis/analysis.h"
#include "passes/analysis/walk.h"
#include "passes/pass.h"

// More alignment has no use.
enum { MAX_DIVISIBILITY = 4096 };

static void annotate(Module *m, Op *op, const AxisInfo *info) {
  const int rank = op_operand(op, 0)->type->rank;
  int64_t divisibility[MAX_RANK];
  for (int d = 0; d < rank; d++) {
    const int64_t divisor = info->divisibility[d];
    divisibility[d] = divisor < MAX_DIVISIBILITY ? divisor : MAX_DIVISIBILITY;
  }
  op_set_ints(m, op, ATTR_contiguity, info->contiguity, rank);
  op_set_ints(m, op, ATTR_divisibility, divisibility, rank);
  op_set_ints(m, op, ATTR_constancy, info->constancy, rank);
}

typedef struct {
  Module *m;
  const AxisAnalysis *analysis;
} Annotator;

// The dimension along which the tile counts up from its first element, which is
// aligned so that it does not wrap; -1: all elements are equal.
static bool find_count(const AxisInfo *info, const Type *type, int64_t *out) {
  *out = -1;
  for (int d = 0; d < type->rank; d++) {
    if (info->constancy[d] >= type->shape[d]) continue;
    if (*out >= 0 || info->contiguity[d] < type->shape[d]) return false;
    if (info->divisibility[d] < type->shape[d]) return false;
    *out = d;
  }
  return true;
}

// Adds `counts` to ops that only select: code generation reads it only there.
static void annotate_counts(const Annotator *a, Op *op) {
  int64_t counts[2];
  const Use *use = value_only_use(op_result(op));
  op_remove_attr(op, ATTR_counts);
  if (!use || use->user->kind != OP_select) return;
  if (!type_is_tile(op_result(op)->type)) return;
  for (int i = 0; i < 2; i++) {
    const Value *operand = op_operand(op, i);
    const AxisInfo *info = axis_info(a->analysis, operand);
    if (!find_count(info, operand->type, &counts[i])) return;
  }
  if (counts[0] == counts[1]) return;
  op_set_ints(a->m, op, ATTR_counts, counts, 2);
}

static void annotate_comparison(const Annotator *a, Op *op) {
  const AxisInfo *info = axis_info(a->analysis, op_result(op));
  const int rank = op_result(op)->type->rank;
  bool equal = false;
  for (int d = 0; d < rank; d++) equal |= info->constancy[d] > 1;
  op_remove_attr(op, ATTR_constancy);
  if (equal) op_set_ints(a->m, op, ATTR_constancy, info->constancy, rank);
}

static void visit(Op *op, void *ctx) {
  const Annotator *a = ctx;
  AxisInfo info;
  if (op->kind == OP_cmpi) annotate_comparison(a, op);
  if (op->kind == OP_cmpi) annotate_counts(a, op);
  if (!axis_access(a->analysis, op, &info)) return;
  if (op_operand(op, 0)->type->rank) annotate(a->m, op, &info);
}

bool pass_axis_info(Module *m, const Target *target) {
  (void)target;
  for (Function *f = m->functions; f; f = f->next) {
    Annotator a = {m, axis_analyze(f, m->arena)};
    block_walk(f->body, visit, &a);
  }
  return true;
}
