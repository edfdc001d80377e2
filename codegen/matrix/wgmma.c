// wgmma.c -- dots by groups of four warps: wgmma.
//
// An async_dot is one statement of assembly: a fence for registers written
// before, the instructions, the end of their group.  Its sums are tied
// operands, so that they stay in their registers (docs/decisions/0024); the
// increment of a descriptor for an instruction is a constant.  If a loop reads
// the same buffer in each trip, each instruction has a descriptor of its own,
// made before the loop.
//
// For example, 64x64 by 64x64 in f16, with rows of 128 bytes and their swizzle,
// is wgmma.fence, four wgmma.mma_async.m64n64k16, wgmma.commit_group.
// Descriptors count 16 bytes: from one instruction to the next, that of A
// increases by 2, 16 elements of a row, and that of B by 128, 16 rows.
#include "codegen/matrix/product.h"

#include <assert.h>

enum {
  WORDS_A = 4,
  UNIT = 16,   // bytes, of descriptors
  MAX_OWN = 8, // descriptors of one operand: of 63 uniform registers
};

// -- Operands ----------------------------------------------------------------

static uint32_t descriptor_code(int swizzle) {
  return swizzle == 128 ? 1 : swizzle == 64 ? 2 : 3;
}

// The fields of a descriptor except its address: the same for the whole matrix.
static uint64_t descriptor_frame(const SharedMatrix *x) {
  assert(x->lead % UNIT == 0 && x->stride % UNIT == 0 &&
         x->lead / UNIT < 1 << 14 && x->stride / UNIT < 1 << 14); // I4
  return (uint64_t)(x->lead / UNIT) << 16 | (uint64_t)(x->stride / UNIT) << 32 |
         (uint64_t)descriptor_code(x->swizzle) << 62;
}

// Bytes from the buffer's start to the group's part: bits of its number select
// rows or columns of the result.
static LLVMValueRef group_offset(const Product *p, const SharedMatrix *x,
                                 bool rows) {
  Simt *s = p->s;
  const Layout *c = p->c.layout;
  LLVMValueRef offset = NULL;
  for (int i = 2; i < c->num_bits[LAYOUT_WARP]; i++) {
    const int bit = layout_first_bit(c, LAYOUT_WARP) + i;
    const MatrixEntry at = matrix_place(&p->c, c->map.column[bit]);
    const uint32_t bytes = rows ? shared_matrix_byte(x, at.row, 0)
                                : shared_matrix_byte(x, 0, at.column);
    if (!bytes) continue;
    LLVMValueRef part =
        LLVMBuildAnd(s->b, s->warp_group, simt_i32(s, 1 << (i - 2)), "");
    part = LLVMBuildMul(s->b, part, simt_i32(s, (int64_t)bytes >> (i - 2)), "");
    offset = offset ? LLVMBuildAdd(s->b, offset, part, "") : part;
  }
  return offset;
}

// The view of a ring's slot; or NULL.
static const Op *slot_of(const Value *buffer) {
  const Op *view = buffer->def;
  while (view->kind == OP_view_trans) view = op_operand(view, 0)->def;
  return view->kind == OP_view_index ? view : NULL;
}

static LLVMValueRef in_units(Simt *s, LLVMValueRef bytes) {
  return LLVMBuildLShr(s->b, bytes, simt_i32(s, floor_log2(UNIT)), "");
}

// Units from the start of a ring to its slot.
static LLVMValueRef units_of_slot(Simt *s, const Op *slot) {
  const Type *type = op_result(slot)->type;
  const int64_t bytes =
      type->num_elements * (int64_t)emit_memory_bytes(type->element);
  return LLVMBuildMul(s->b, simt_scalar(s, op_operand(slot, 1)),
                      simt_i32(s, bytes / UNIT), "");
}

// The lower half is a sum without carries between fields; for a slot,
// everything but a product is loop-invariant.  The upper half must not be
// constant for ptxas, which would compute it for each instruction, nor shared
// with another descriptor: each sum would then need two instructions, as the
// halves are in no register pair.
static LLVMValueRef describe(const Product *p, const OperandSide *x) {
  Simt *s = p->s;
  LLVMTypeRef i32 = int_type(s->e, 32), i64 = int_type(s->e, 64);
  const uint64_t frame = descriptor_frame(&x->matrix);
  const Op *slot = slot_of(x->buffer);
  const Value *start = slot ? op_operand(slot, 0) : x->buffer;
  LLVMValueRef at = LLVMBuildPtrToInt(s->b, simt_scalar(s, start), i32, "");
  LLVMValueRef offset = group_offset(p, &x->matrix, x->rows);
  LLVMValueRef fields = simt_i32(s, (int64_t)(frame & UINT32_MAX));
  at = LLVMBuildAdd(s->b, in_units(s, at), fields, "");
  if (offset) at = LLVMBuildAdd(s->b, at, in_units(s, offset), "");
  if (slot) at = LLVMBuildAdd(s->b, at, units_of_slot(s, slot), "");
  at = LLVMBuildZExt(s->b, at, i64, "");
  LLVMValueRef high = simt_i32(s, (int64_t)(frame >> 32));
  high = LLVMBuildOr(s->b, simt_other_zero(s), high, "");
  high = LLVMBuildShl(s->b, LLVMBuildZExt(s->b, high, i64, ""),
                      LLVMConstInt(i64, 32, false), "");
  return LLVMBuildOr(s->b, at, high, "");
}

// False if the instruction cannot read the operand.
static bool find_side(const Product *p, int index, OperandSide *out) {
  const Value *x = op_operand(p->op, index);
  *out = (OperandSide){.rows = !index};
  if (x->type->kind == TYPE_MEMDESC) {
    out->buffer = x;
    return shared_matrix(x->type->layout, &p->plan, index, &out->matrix);
  }
  LayoutTable *table = &p->s->e->m->layouts;
  if (index || x->type->layout != wgmma_operand(table, &p->plan, p->op, 0))
    return false;
  out->held = dot_matrix(p->s, x);
  return true;
}

// -- Registers ---------------------------------------------------------------

// The row and column of thread 0 for an instruction's register: pairs of
// columns, then 8 rows below, then 8 columns further.
static MatrixEntry place_in_result(uint32_t i) {
  return (MatrixEntry){0, (i >> 1 & 1) * 8, (i & 1) + (i >> 2) * 8};
}

static uint32_t blocks_m(const Product *p) {
  assert(p->m % (uint32_t)(WGMMA_ROWS * p->plan.groups_m) == 0); // I3
  return p->m / (uint32_t)(WGMMA_ROWS * p->plan.groups_m);
}

static uint32_t blocks_n(const Product *p) {
  assert(p->n % (uint32_t)(p->plan.columns * p->plan.groups_n) == 0); // I3
  return p->n / (uint32_t)(p->plan.columns * p->plan.groups_n);
}

static int sums_of_one(const Product *p) {
  return p->plan.columns / 2;
}

// The first row of block `i` of the first group, and the first column.
static uint32_t row_of(const Product *p, uint32_t i) {
  return i * (uint32_t)(WGMMA_ROWS * p->plan.groups_m);
}

static uint32_t column_of(const Product *p, uint32_t j) {
  return j * (uint32_t)p->plan.columns;
}

static const uint32_t *order_of_sums(const Product *p) {
  const uint32_t count = (uint32_t)layout_num_registers(p->c.layout);
  uint32_t *order = arena_array(p->s->e->arena, uint32_t, count), at = 0;
  for (uint32_t i = 0; i < blocks_m(p); i++) {
    for (uint32_t j = 0; j < blocks_n(p); j++) {
      for (uint32_t r = 0; r < (uint32_t)sums_of_one(p); r++) {
        MatrixEntry place = place_in_result(r);
        place.row += row_of(p, i);
        place.column += column_of(p, j);
        matrix_find(&p->c, place, &order[at++]);
      }
    }
  }
  assert(at == count && "a sum is in no instruction"); // I3
  return order;
}

// The words of A for block `i` of rows and columns of k from `k` on.
static void words_of_a(const Product *p, uint32_t i, uint32_t k,
                       LLVMValueRef *out) {
  const Matrix *a = &p->a.held;
  const uint32_t each =
      (uint32_t)(SIMT_WORD_BITS / elem_info[p->plan.wgmma->a].bits);
  for (uint32_t w = 0; w < WORDS_A; w++) {
    LLVMValueRef items[SIMT_WORD_BITS / 8];
    for (uint32_t e = 0; e < each; e++) {
      const MatrixEntry place = {0, row_of(p, i) + (w & 1) * 8,
                                 k + (w >> 1) * 4 * each + e};
      uint32_t reg = 0;
      matrix_find(a, place, &reg);
      items[e] = a->values[reg];
    }
    out[w] = simt_pack(p->s, a->element, items);
  }
}

// -- The statement -----------------------------------------------------------

// Descriptors of an operand: the number of the first among the statement's, and
// how many instructions have one of their own.
typedef struct {
  int first, num_own;
} Descriptors;

// The operand with its descriptor moved by `bytes`; -1: there are no more.  The
// sum is assembly: where LLVM knows bits of the address, it would make an `or`
// of the sum, whose halves ptxas keeps in no pair of registers.
static int own_descriptor(const Product *p, WgmmaStatement *x,
                          const OperandSide *side, Descriptors *of,
                          uint32_t bytes) {
  Simt *s = p->s;
  if (of->num_own == MAX_OWN) return -1;
  LLVMTypeRef i64 = int_type(s->e, 64);
  LLVMValueRef args[] = {side->descriptor,
                         LLVMConstInt(i64, bytes / UNIT, false)};
  LLVMValueRef own =
      nvptx_asm(s, "add.s64 $0, $1, $2;", "=l,l,n", i64, 2, args, false);
  of->num_own++;
  return statement_add(x, own, "l");
}

// Does each trip of a loop read the same buffer?
static bool is_same_each_trip(const Op *op, const Value *buffer) {
  const Op *loop = op->block->parent;
  while (loop && loop->kind != OP_for && loop->kind != OP_while)
    loop = loop->block->parent;
  return loop && value_is_outside(buffer, loop->regions[0]);
}

static bool reads_same(const Op *dot, int index) {
  const Value *x = op_operand(dot, index);
  return x->type->kind == TYPE_MEMDESC && is_same_each_trip(dot, x);
}

// Have instructions descriptors of their own?  A descriptor takes four uniform
// registers, with that of the other operand: there are enough for one product
// of a loop, if no two instructions have the same descriptor.
static bool has_own(const Product *p, int index) {
  int count = 0;
  for (const Op *op = p->op->block->first; op; op = op->next)
    count +=
        op->kind == OP_async_dot && (reads_same(op, 0) || reads_same(op, 1));
  return count == 1 && blocks_m(p) * blocks_n(p) == 1 &&
         reads_same(p->op, index);
}

// The descriptor, `bytes` further; `name` may hold it.
static const char *add_address(const Product *p, WgmmaStatement *x,
                               const char *name, const OperandSide *side,
                               Descriptors *of, uint32_t bytes) {
  int own = bytes ? -1 : of->first;
  if (bytes && side->has_own) own = own_descriptor(p, x, side, of, bytes);
  if (own >= 0) return arena_printf(p->s->e->arena, "$%d", own);
  str_addf(&x->text, "add.s64 %s, $%d, %u;\n\t", name, of->first, bytes / UNIT);
  return name;
}

static const char *list_of(const Product *p, int first, int count) {
  Str list = str_in(p->s->e->arena);
  for (int i = 0; i < count; i++)
    str_addf(&list, "%s$%d", i ? ", " : "{", first + i);
  str_add(&list, "}");
  return str_text(&list);
}

static uint32_t byte_of_a(const Product *p, uint32_t i, uint32_t k) {
  return shared_matrix_byte(&p->a.matrix, row_of(p, i), k);
}

static const char *operand_a(const Product *p, WgmmaStatement *x,
                             Descriptors *of, uint32_t i, uint32_t k) {
  if (p->a.buffer) return add_address(p, x, "a", &p->a, of, byte_of_a(p, i, k));
  LLVMValueRef words[WORDS_A];
  words_of_a(p, i, k, words);
  const int first = x->num_operands;
  for (int w = 0; w < WORDS_A; w++) statement_add(x, words[w], "r");
  return list_of(p, first, WORDS_A);
}

static void add_instruction(const Product *p, WgmmaStatement *x, const char *a,
                            const char *b, int first, const char *adds) {
  const WgmmaForm *wgmma = p->plan.wgmma;
  str_addf(&x->text, "wgmma.mma_async.sync.aligned.m%dn%dk%d.%s %s, %s, %s, %s",
           WGMMA_ROWS, p->plan.columns, wgmma->k, wgmma->types,
           list_of(p, first, sums_of_one(p)), a, b, adds);
  if (wgmma->acc == ELEM_f32) str_add(&x->text, ", 1, 1");
  if (wgmma->across && p->a.buffer)
    str_addf(&x->text, ", %d", p->a.matrix.across);
  if (wgmma->across) str_addf(&x->text, ", %d", p->b.matrix.across);
  str_add(&x->text, ";\n\t");
}

static void add_instructions(const Product *p, WgmmaStatement *x,
                             ProductPart part, const char *adds) {
  Descriptors a = {.first = 0}, b = {.first = 0};
  if (p->a.buffer) a.first = statement_add(x, p->a.descriptor, "l");
  b.first = statement_add(x, p->b.descriptor, "l");
  const uint32_t step = (uint32_t)p->plan.wgmma->k;
  int first = 0;
  for (uint32_t n = 0; n < part.num_blocks; n++, first += sums_of_one(p)) {
    const uint32_t i = (part.block + n) / blocks_n(p);
    const uint32_t j = (part.block + n) % blocks_n(p);
    for (uint32_t k = part.k; k < part.end; k += step) {
      const uint32_t far = shared_matrix_byte(&p->b.matrix, k, column_of(p, j));
      const char *left = operand_a(p, x, &a, i, k);
      const char *right = add_address(p, x, "b", &p->b, &b, far);
      add_instruction(p, x, left, right, first, k > part.k ? "1" : adds);
    }
  }
}

// -- Writers of operands -----------------------------------------------------

static bool threads_write(const Value *buffer) {
  for (const Use *use = buffer->uses; use; use = use->next) {
    const Op *user = use->user;
    const bool writes =
        user->kind == OP_store_shared || user->kind == OP_async_copy;
    const bool views =
        user->num_results == 1 && user->results[0].type->kind == TYPE_MEMDESC;
    if (writes || (views && threads_write(op_result(user)))) return true;
  }
  return false;
}

// Have threads written the operands?  Bulk copies write through the
// asynchronous proxy, through which the instructions read: they need no fence.
static bool wants_fence(const Op *dot) {
  for (int i = 0; i < 2; i++) {
    const Value *x = op_operand(dot, i);
    if (x->type->kind != TYPE_MEMDESC) continue;
    while (x->def->kind != OP_alloc_shared) x = op_operand(x->def, 0);
    if (x->def->num_operands || threads_write(x)) return true;
  }
  return false;
}

// Is something added to the earlier sums?  ptxas must not know that these are
// overwritten: it would take other registers.
static const char *whether_adds(Simt *s, WgmmaStatement *x,
                                EarlierSums earlier) {
  if (earlier != SUMS_OVERWRITTEN) return earlier == SUMS_KEPT ? "1" : "0";
  str_addf(&x->text, ".reg .pred adds;\n\tsetp.ne.b32 adds, $%d, 0;\n\t",
           statement_add(x, s->hidden_zero, "r"));
  return "adds";
}

void product_start(const Product *p, ProductPart part, LLVMValueRef *sums,
                   EarlierSums earlier) {
  Simt *s = p->s;
  const int count = (int)part.num_blocks * sums_of_one(p);
  const int words = p->a.buffer ? 1 : layout_num_registers(p->a.held.layout);
  WgmmaStatement x =
      statement_start(s, count, earlier != SUMS_NEW, sums,
                      2 + words * (int)blocks_n(p) + 2 * MAX_OWN);
  str_add(&x.text, "{\n\t.reg .b64 a, b;\n\t");
  if (!s->is_fenced && wants_fence(p->op)) {
    str_add(&x.text, "fence.proxy.async.shared::cta;\n\t");
    s->is_fenced = true;
  }
  str_add(&x.text, "wgmma.fence.sync.aligned;\n\t");
  add_instructions(p, &x, part, whether_adds(s, &x, earlier));
  str_add(&x.text, "wgmma.commit_group.sync.aligned;\n\t}");
  statement_run(s, &x, count, sums);
}

static void multiply(const Product *p) {
  const ProductPart all = {.num_blocks = blocks_m(p) * blocks_n(p),
                           .end = p->k};
  const int count = layout_num_registers(p->c.layout);
  LLVMValueRef *sums = simt_new(p->s, count);
  for (int i = 0; i < count; i++) sums[i] = p->sums[p->order[i]];
  if (p->plan.terms) {
    product_in_parts(p, all, sums);
  } else {
    product_start(p, all, sums, p->from_zero ? SUMS_NEW : SUMS_KEPT);
  }
  for (int i = 0; i < count; i++) p->sums[p->order[i]] = sums[i];
}

// -- Ops ---------------------------------------------------------------------

bool simt_emit_async_dot(Simt *s, const Op *op) {
  const Value *acc = op_operand(op, 2), *result = &op->results[0];
  const Type *a = op_operand(op, 0)->type;
  Product p = {.s = s, .op = op, .c = dot_matrix(s, acc)};
  if (!wgmma_fits(s->e->target, op, &p.plan) || !find_side(&p, 0, &p.a) ||
      !find_side(&p, 1, &p.b) || !p.b.buffer)
    return simt_unsupported(s, op, "of operands that lie so");
  p.m = (uint32_t)result->type->shape[0];
  p.n = (uint32_t)result->type->shape[1];
  p.k = (uint32_t)a->shape[1];
  p.from_zero = value_is_zero(acc);
  p.a.has_own = has_own(&p, 0);
  p.b.has_own = has_own(&p, 1);
  p.order = order_of_sums(&p);
  const int count = simt_count(result->type);
  p.sums = simt_new(s, count);
  for (int r = 0; r < count; r++) p.sums[r] = p.c.values[r];
  if (p.a.buffer) p.a.descriptor = describe(&p, &p.a);
  p.b.descriptor = describe(&p, &p.b);
  multiply(&p);
  simt_set(s, result, p.sums);
  simt_set(s, &op->results[1], NULL);
  return true;
}
