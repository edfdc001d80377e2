// dot.c -- matrix products, by instructions of a warp or of each thread.
//
// The layouts decide: if they are fragments of the matrix instruction for these
// elements, it is used (matrix/mma.c); otherwise each thread must hold the rows
// and columns for its own results, and multiplies and adds.
#include "codegen/matrix/dot.h"

// -- Matrices ----------------------------------------------------------------

Matrix dot_matrix(const Simt *s, const Value *value) {
  const Type *type = value->type;
  const Layout *layout = type->layout;
  return (Matrix){.layout = layout,
                  .element = type->element,
                  .log2_rows = layout->log2_shape[type->rank - 2],
                  .log2_columns = layout->log2_shape[type->rank - 1],
                  .values = simt_get(s, value)};
}

static uint32_t low_bits(uint32_t word, int count) {
  return word & ((UINT32_C(1) << count) - 1);
}

MatrixEntry matrix_place(const Matrix *x, uint32_t element) {
  return (MatrixEntry){
      .batch = element >> (x->log2_rows + x->log2_columns),
      .row = low_bits(element >> x->log2_columns, x->log2_rows),
      .column = low_bits(element, x->log2_columns),
  };
}

uint32_t matrix_element(const Matrix *x, MatrixEntry place) {
  return place.batch << (x->log2_rows + x->log2_columns) |
         low_bits(place.row, x->log2_rows) << x->log2_columns |
         low_bits(place.column, x->log2_columns);
}

bool matrix_find(const Matrix *x, MatrixEntry place, uint32_t *reg) {
  const uint32_t registers = layout_dim_mask(x->layout, LAYOUT_REGISTER);
  return linear_solve(&x->layout->map, registers, matrix_element(x, place),
                      reg);
}

// -- Each thread for itself --------------------------------------------------

static uint32_t thread_column(const Matrix *x, int bit) {
  return x->layout->map.column[x->layout->num_bits[LAYOUT_REGISTER] + bit];
}

// Does each thread hold the row and the column of all its results?
static bool threads_fit(const Dot *d) {
  const Layout *c = d->c.layout;
  const int threads = c->map.num_in - c->num_bits[LAYOUT_REGISTER];
  for (int i = 0; i < threads; i++) {
    const MatrixEntry p = matrix_place(&d->c, thread_column(&d->c, i));
    const MatrixEntry row = {p.batch, p.row, 0},
                      column = {p.batch, 0, p.column};
    if (thread_column(&d->a, i) != matrix_element(&d->a, row)) return false;
    if (thread_column(&d->b, i) != matrix_element(&d->b, column)) return false;
  }
  uint32_t ignored;
  for (uint32_t r = 0; r < (uint32_t)layout_num_registers(c); r++) {
    const MatrixEntry p = matrix_place(&d->c, layout_apply(c, r));
    for (uint32_t k = 1; k < 2 * d->k; k *= 2) {
      const uint32_t last = k / 2;
      if (!matrix_find(&d->a, (MatrixEntry){p.batch, p.row, last}, &ignored) ||
          !matrix_find(&d->b, (MatrixEntry){p.batch, last, p.column},
                       &ignored)) {
        return false;
      }
    }
  }
  return true;
}

static LLVMValueRef widen(Dot *d, LLVMValueRef x) {
  LLVMTypeRef type = LLVMTypeOf(d->sums[0]);
  if (type == LLVMTypeOf(x)) return x;
  return LLVMBuildSExt(d->s->b, x, type, "");
}

static LLVMValueRef multiply_add(Dot *d, LLVMValueRef x, LLVMValueRef y,
                                 LLVMValueRef sum) {
  Simt *s = d->s;
  if (LLVMGetTypeKind(LLVMTypeOf(sum)) == LLVMIntegerTypeKind) {
    return LLVMBuildAdd(s->b, sum, LLVMBuildMul(s->b, x, y, ""), "");
  }
  if (s->e->options.no_fp_fusion) {
    return LLVMBuildFAdd(s->b, sum, LLVMBuildFMul(s->b, x, y, ""), "");
  }
  return emit_intrinsic(s->e, "llvm.fma", 3, (LLVMValueRef[]){x, y, sum});
}

static uint32_t *registers_along(Dot *d, const Matrix *x, MatrixEntry step) {
  uint32_t *found = arena_array(d->s->e->arena, uint32_t, d->k);
  for (uint32_t k = 0; k < d->k; k++) {
    const MatrixEntry place = {0, step.row * k, step.column * k};
    matrix_find(x, place, &found[k]);
  }
  return found;
}

// The k-th term of all results comes before the next terms.
static void multiply_in_threads(Dot *d) {
  const Layout *c = d->c.layout;
  const uint32_t count = (uint32_t)layout_num_registers(c);
  const uint32_t *along_a =
      registers_along(d, &d->a, (MatrixEntry){.column = 1});
  const uint32_t *along_b = registers_along(d, &d->b, (MatrixEntry){.row = 1});
  uint32_t *row = arena_array(d->s->e->arena, uint32_t, count);
  uint32_t *column = arena_array(d->s->e->arena, uint32_t, count);
  for (uint32_t r = 0; r < count; r++) {
    const MatrixEntry p = matrix_place(&d->c, layout_apply(c, r));
    matrix_find(&d->a, (MatrixEntry){p.batch, p.row, 0}, &row[r]);
    matrix_find(&d->b, (MatrixEntry){p.batch, 0, p.column}, &column[r]);
  }
  for (uint32_t k = 0; k < d->k; k++) {
    for (uint32_t r = 0; r < count; r++) {
      LLVMValueRef x = widen(d, d->a.values[row[r] ^ along_a[k]]);
      LLVMValueRef y = widen(d, d->b.values[column[r] ^ along_b[k]]);
      d->sums[r] = multiply_add(d, x, y, d->sums[r]);
    }
  }
  const Elem elem = d->c.element->elem;
  for (uint32_t r = 0; elem_is_narrow(elem) && r < count; r++) {
    d->sums[r] = convert_round(d->s->e, elem, d->sums[r], ROUNDING_rtne);
  }
}

// -- Either ------------------------------------------------------------------

// Instructions that need a newer PTX version than LLVM writes for the chip.
static bool note_version(Dot *d) {
  return simt_want_ptx(d->s, d->op, d->plan.mma->ptx_version,
                       "products of fp8 that add up in fp16");
}

bool simt_emit_dot(Simt *s, const Op *op) {
  const Value *a = op_operand(op, 0), *acc = op_operand(op, 2);
  const Value *result = op_result(op);
  const int count = simt_count(result->type);
  Dot d = {.s = s,
           .op = op,
           .plan = mma_plan(s->e->target, op),
           .a = dot_matrix(s, a),
           .b = dot_matrix(s, op_operand(op, 1)),
           .c = dot_matrix(s, acc),
           .m = (uint32_t)result->type->shape[result->type->rank - 2],
           .n = (uint32_t)result->type->shape[result->type->rank - 1],
           .k = (uint32_t)a->type->shape[a->type->rank - 1],
           .sums = simt_new(s, count)};
  d.batches = (uint32_t)result->type->num_elements / (d.m * d.n);
  for (int r = 0; r < count; r++) d.sums[r] = d.c.values[r];
  if (d.plan.mma && mma_fits(&d)) {
    if (!note_version(&d)) return false;
    mma_emit(&d);
  } else if (threads_fit(&d)) {
    multiply_in_threads(&d);
  } else {
    return simt_unsupported(s, op, "of tiles in these layouts");
  }
  simt_set(s, result, d.sums);
  return true;
}
