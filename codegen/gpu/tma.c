// tma.c -- bulk copies of tensors, and the barriers that count their bytes.
//
// One thread starts a copy and announces its bytes; every thread waits for the
// barrier itself.  The parity of the next phase is one bit for each barrier of
// a ring, in a variable that LLVM keeps in a register; it continues from loop
// to loop.
//
// For example, in a loop that copies a block of 8192 bytes in each trip,
//
//   if first: mbarrier.arrive.expect_tx [barrier], 8192
//             cp.async.bulk.tensor.2d [block], [map, {0, i}], [barrier]
//   do mbarrier.try_wait.parity p, [barrier], parity & 1; while !p
//   parity ^= 1
//
// where first is true in one lane of warp 0, by elect.sync.
#include "codegen/gpu/simt.h"

#include "codegen/errors.h"
#include "ir/tensor_box.h"
#include "ir/wgmma.h"

#include <assert.h>

enum { MOST_ARGS = TENSOR_BOX_RANK + 5 };
enum { HIDDEN_BITS = 8 }; // more than the number of a group of warps needs

// -- Statements of one thread ------------------------------------------------

typedef struct {
  Str text, constraints;
  LLVMValueRef args[MOST_ARGS];
  int num_args;
  LLVMBasicBlockRef behind;
} TmaStatement;

static void add_arg(TmaStatement *x, LLVMValueRef value,
                    const char *constraint) {
  assert(x->num_args < MOST_ARGS && "too many operands");
  str_addf(&x->constraints, "%s%s", x->num_args ? "," : "", constraint);
  x->args[x->num_args++] = value;
}

// The comparison is assembly, so that the thread's number is unknown
// everywhere: else LLVM would specialize the paths behind a loop, and clear
// pending sums there.
static LLVMValueRef is_zero(Simt *s, LLVMValueRef number) {
  return nvptx_asm(s, "setp.eq.b32 $0, $1, 0;", "=b,r", int_type(s->e, 1), 1,
                   &number, false);
}

// A lane that each warp elects, in the first warp; computed once.  For each
// bulk copy by an unknown number of threads, ptxas inserts a vote of the warp,
// and it recognises no other form of a single thread.
void simt_find_first_thread(Simt *s) {
  const int log2_lanes = floor_log2(s->e->target->warp_size);
  LLVMValueRef warp =
      LLVMBuildLShr(s->b, simt_thread(s), simt_i32(s, log2_lanes), "");
  s->elected = nvptx_warp_asm(s, "elect.sync _|$0, -1;", "=b,~{memory}",
                              int_type(s->e, 1), 0, NULL);
  s->first_thread = LLVMBuildAnd(
      s->b, is_zero(s, simt_shuffle(s, warp, simt_i32(s, 0))), s->elected, "");
}

// The number of the group is shuffled, which tells ptxas that it is uniform in
// a warp, and found before the roles start, so that values that depend on it
// are computed once.
void simt_find_warp_group(Simt *s) {
  const int log2_threads = floor_log2(WGMMA_WARPS * s->e->target->warp_size);
  LLVMValueRef group =
      LLVMBuildLShr(s->b, simt_thread(s), simt_i32(s, log2_threads), "");
  s->warp_group = simt_shuffle(s, group, simt_i32(s, 0));
  assert(s->group.launched < WGMMA_WARPS << HIDDEN_BITS &&
         "many groups"); // I14
  s->hidden_zero =
      LLVMBuildLShr(s->b, s->warp_group, simt_i32(s, HIDDEN_BITS), "");
}

LLVMValueRef simt_other_zero(Simt *s) {
  assert(s->hidden_zero && "no zero to make it of");
  LLVMValueRef places = simt_i32(s, s->num_zeros++ % SIMT_WORD_BITS);
  LLVMValueRef zero = s->program_zero ? s->program_zero : s->hidden_zero;
  return LLVMBuildShl(s->b, zero, places, "");
}

// The thread of each group of warps that arrives at barriers for the group.
void simt_find_roles(Simt *s) {
  const int lanes = s->e->target->warp_size;
  LLVMValueRef in_group = simt_i32(s, WGMMA_WARPS * lanes - 1);
  LLVMValueRef thread = LLVMBuildAnd(s->b, simt_thread(s), in_group, "");
  s->telling_thread = is_zero(s, thread);
  if (s->has_pairs)
    s->pair_rank = simt_special(s, "cluster.ctarank", 0, MAX_CLUSTER);
  if (!s->log2_cluster && !s->has_pairs) return;
  const int most = s->has_pairs ? 2 : 1 << s->log2_cluster;
  LLVMValueRef blocks = simt_i32(s, most);
  LLVMValueRef there =
      s->has_pairs ? simt_special(s, "cluster.nctarank", 1, MAX_CLUSTER + 1)
                   : blocks;
  LLVMValueRef last = LLVMBuildSub(s->b, there, simt_i32(s, 1), "");
  s->told_block = LLVMBuildAnd(s->b, thread, last, "");
  s->telling_threads =
      nvptx_asm(s, "setp.lt.u32 $0, $1, $2;", "=b,r,r", int_type(s->e, 1), 2,
                (LLVMValueRef[]){thread, blocks}, false);
}

// Code for the first thread, if the mask, which may be NULL, is on.  The code
// is a basic block of its own, since ptxas inserts a vote for each predicated
// instruction of this kind; LLVM merges the blocks of consecutive statements.
static TmaStatement start_of(Simt *s, LLVMValueRef thread, LLVMValueRef mask) {
  TmaStatement x = {.text = str_in(s->e->arena),
                    .constraints = str_in(s->e->arena)};
  LLVMValueRef first = thread;
  if (mask) first = LLVMBuildAnd(s->b, first, mask, "");
  x.behind = simt_begin_if(s, first);
  return x;
}

static TmaStatement start(Simt *s, LLVMValueRef mask) {
  return start_of(s, s->first_thread, mask);
}

static void finish(Simt *s, TmaStatement *x) {
  nvptx_asm(s, str_text(&x->text), str_text(&x->constraints),
            LLVMVoidTypeInContext(s->e->llvm.context), x->num_args, x->args,
            true);
  simt_end_if(s, x->behind);
}

static LLVMValueRef mask_of(const Simt *s, const Op *op, int group) {
  const Value *mask = op_group(op, group);
  return mask ? simt_scalar(s, mask) : NULL;
}

// -- Barriers ----------------------------------------------------------------

// The corresponding address in the block that this thread signals.
static LLVMValueRef address_elsewhere(Simt *s, LLVMValueRef address) {
  return nvptx_asm(s, "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r",
                   int_type(s->e, 32), 2,
                   (LLVMValueRef[]){address, s->told_block}, false);
}

static bool is_of_cluster(const Value *barrier) {
  return op_attr(mbarrier_alloc_of(barrier), ATTR_cluster) != NULL;
}

static LLVMValueRef index_of(Simt *s, const Value *barrier) {
  return barrier->def->kind == OP_mbarrier_index
             ? simt_scalar(s, op_operand(barrier->def, 1))
             : simt_i32(s, 0);
}

bool simt_emit_mbarrier_alloc(Simt *s, const Op *op) {
  const Attr *offset = op_attr(op, ATTR_offset);
  if (!offset) return diag_error(s->e->diags, op->loc, ERROR_no_place);
  const int size = (int)mbarrier_size(op);
  if (!simt_need_shared(s, op, offset->as.i + size * BARRIER_BYTES))
    return false;
  LLVMValueRef *values = simt_new(s, 3);
  values[0] = simt_shared_at(s, s->shared, simt_i32(s, offset->as.i));
  values[1] = simt_variable(s, int_type(s->e, 32));
  LLVMBuildStore(s->b, simt_i32(s, 0), values[1]);
  const Attr *blocks = op_attr(op, ATTR_cluster);
  const int arrivals =
      (int)op_int(op, ATTR_count) * (blocks ? (int)blocks->as.i : 1);
  if (blocks) values[2] = address_elsewhere(s, values[0]);
  simt_set(s, op_result(op), values);
  TmaStatement x = start(s, NULL);
  add_arg(&x, values[0], "r");
  for (int i = 0; i < size; i++)
    str_addf(&x.text, "mbarrier.init.shared::cta.b64 [$0+%d], %d;\n\t",
             i * BARRIER_BYTES, arrivals);
  str_add(&x.text, "fence.mbarrier_init.release.cluster;");
  finish(s, &x);
  return true;
}

bool simt_emit_mbarrier_index(Simt *s, const Op *op) {
  LLVMValueRef offset = LLVMBuildMul(s->b, simt_scalar(s, op_operand(op, 1)),
                                     simt_i32(s, BARRIER_BYTES), "");
  LLVMValueRef start = simt_scalar(s, op_operand(op, 0));
  simt_set_scalar(s, op_result(op), simt_shared_at(s, start, offset));
  return true;
}

bool simt_emit_mbarrier_expect(Simt *s, const Op *op) {
  TmaStatement x = start(s, mask_of(s, op, 1));
  add_arg(&x, simt_scalar(s, op_operand(op, 0)), "r");
  str_addf(&x.text, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], %d;",
           (int)op_int(op, ATTR_count));
  finish(s, &x);
  return true;
}

// One thread for each block of the cluster.  The group's reads have completed
// at its wait for the product: so `.release.cluster` has nothing to order, and
// costs a fence of the whole chip.
static bool arrive_everywhere(Simt *s, const Op *op, int count) {
  const Value *barrier = op_operand(op, 0);
  const Value *together = op_group(op, 2);
  LLVMValueRef *all = simt_get(s, op_result(mbarrier_alloc_of(barrier)));
  LLVMValueRef offset =
      LLVMBuildMul(s->b, index_of(s, barrier), simt_i32(s, BARRIER_BYTES), "");
  LLVMValueRef here = LLVMBuildPtrToInt(s->b, all[0], int_type(s->e, 32), "");
  LLVMValueRef there =
      together
          ? LLVMBuildSelect(s->b, simt_scalar(s, together), all[2], here, "")
          : all[2];
  LLVMValueRef address = LLVMBuildAdd(s->b, there, offset, "");
  TmaStatement x = start_of(s, s->telling_threads, NULL);
  add_arg(&x, address, "r");
  str_addf(&x.text, "mbarrier.arrive.shared::cluster.b64 _, [$0], %d;", count);
  finish(s, &x);
  return true;
}

bool simt_emit_mbarrier_arrive(Simt *s, const Op *op) {
  const Attr *count = op_attr(op, ATTR_count);
  const int all = count ? (int)count->as.i : 1;
  const bool tells = s->group.barrier; // each group signals for itself
  const int groups = tells ? s->group.num_warps / WGMMA_WARPS : 1;
  if (is_of_cluster(op_operand(op, 0)))
    return arrive_everywhere(s, op, all / groups);
  TmaStatement x =
      start_of(s, tells ? s->telling_thread : s->first_thread, NULL);
  add_arg(&x, simt_scalar(s, op_operand(op, 0)), "r");
  str_addf(&x.text, "mbarrier.arrive.shared::cta.b64 _, [$0], %d;",
           all / groups);
  finish(s, &x);
  return true;
}

static void wait_for(Simt *s, LLVMValueRef barrier, LLVMValueRef parity) {
  LLVMValueRef args[] = {barrier, parity};
  nvptx_asm(s,
            "{\n\t.reg .pred p;\n\twait${:uid}:\n\t"
            "mbarrier.try_wait.parity.shared::cta.b64 p, [$0], $1;\n\t"
            "@!p bra.uni wait${:uid};\n\t}",
            "r,r", LLVMVoidTypeInContext(s->e->llvm.context), 2, args, true);
}

bool simt_emit_mbarrier_wait(Simt *s, const Op *op) {
  LLVMValueRef one = simt_i32(s, 1);
  LLVMValueRef phase = simt_scalar(s, op_operand(op, 1));
  wait_for(s, simt_scalar(s, op_operand(op, 0)),
           LLVMBuildAnd(s->b, phase, one, ""));
  if (s->is_copying) simt_lanes_meet(s);
  return true;
}

bool simt_emit_mbarrier_await(Simt *s, const Op *op) {
  const Value *barrier = op_operand(op, 0);
  LLVMTypeRef i32 = int_type(s->e, 32);
  LLVMValueRef phases = simt_get(s, op_result(mbarrier_alloc_of(barrier)))[1];
  LLVMValueRef index = index_of(s, barrier);
  LLVMValueRef one = simt_i32(s, 1);
  LLVMValueRef old = LLVMBuildLoad2(s->b, i32, phases, "");
  LLVMValueRef parity = LLVMBuildLShr(s->b, old, index, "");
  wait_for(s, simt_scalar(s, barrier), LLVMBuildAnd(s->b, parity, one, ""));
  LLVMValueRef bit = LLVMBuildShl(s->b, one, index, "");
  LLVMBuildStore(s->b, LLVMBuildXor(s->b, old, bit, ""), phases);
  return true;
}

// -- Maps --------------------------------------------------------------------

void simt_prefetch_map(Simt *s, LLVMValueRef map) {
  TmaStatement x = start(s, NULL);
  add_arg(&x, map, "l");
  str_add(&x.text, "prefetch.tensormap [$0];");
  finish(s, &x);
}

// -- Copies ------------------------------------------------------------------

// Is a block's part some of the boxes, and not some rows of each?
static bool has_own_boxes(const TensorBox *box) {
  return box->parts > 1 && box->along == box->rank - 1;
}

static int num_boxes(const TensorBox *box) {
  return box->copies * (has_own_boxes(box) ? box->parts : 1);
}

// Bytes from the first box of a block to box `i`.
static int box_bytes(const TensorBox *box, const Type *buffer) {
  return (int)(buffer->num_elements / num_boxes(box) *
               (int64_t)emit_memory_bytes(buffer->element));
}

// A load needs its coordinates, and its map's address, in consecutive
// registers.  If a loop does not change a value, or it is constant (NULL), each
// load adds a zero of its own, so that ptxas keeps the sum in one register; a
// value shared by the loads would be copied or computed for each load in each
// trip.
static LLVMValueRef own_zero(Simt *s, const Op *copy, const Value *value) {
  if (copy->kind != OP_copy_desc || !s->hidden_zero || !op_is_in_loop(copy))
    return simt_i32(s, 0);
  return value && !value_is_outside(value, copy->block) ? simt_i32(s, 0)
                                                        : simt_other_zero(s);
}

static LLVMValueRef coordinate(Simt *s, const Op *copy, const Value *value,
                               LLVMValueRef x) {
  return LLVMBuildAdd(s->b, x, own_zero(s, copy, value), "");
}

static LLVMValueRef map_of(Simt *s, const Op *copy) {
  const Value *desc = op_operand(copy, 0);
  LLVMValueRef bytes[] = {
      LLVMBuildZExt(s->b, own_zero(s, copy, desc), int_type(s->e, 64), "")};
  return LLVMBuildGEP2(s->b, int_type(s->e, 8), simt_scalar(s, desc), bytes, 1,
                       "");
}

// `x`, plus `each` for each block before this one, if this block copies a part.
static LLVMValueRef behind_parts(Simt *s, const TensorBox *box, LLVMValueRef x,
                                 int64_t each) {
  if (box->parts == 1 || !each) return x;
  LLVMValueRef before =
      LLVMBuildMul(s->b, simt_cluster_rank(s), simt_i32(s, each), "");
  return LLVMBuildAdd(s->b, x, before, "");
}

// The coordinates of box `i`: first the last dimension of the block, then, for
// adjacent lines, the number of the first.
static void add_coordinates(Simt *s, TmaStatement *x, const Op *op, int first,
                            const TensorBox *box, int i) {
  const int last = box->rank - 1, line = (int)box->box[last];
  const int own = has_own_boxes(box) ? line * box->copies * box->lines : 0;
  const Value *places = op_operand(op, first + last);
  LLVMValueRef along = behind_parts(s, box, simt_scalar(s, places), own);
  LLVMValueRef start = LLVMBuildAdd(s->b, along, simt_i32(s, i * line), "");
  str_addf(&x->text, "{$%d", x->num_args);
  add_arg(x,
          box->lines > 1 ? own_zero(s, op, NULL)
                         : coordinate(s, op, places, start),
          "r");
  for (int d = last; d-- > 0;) {
    const Value *value = op_operand(op, first + d);
    LLVMValueRef at = behind_parts(s, box, simt_scalar(s, value),
                                   d == box->along ? box->box[d] : 0);
    str_addf(&x->text, ", $%d", x->num_args);
    add_arg(x, coordinate(s, op, value, at), "r");
  }
  if (box->lines > 1) {
    LLVMValueRef at = LLVMBuildSDiv(s->b, start, simt_i32(s, line), "");
    str_addf(&x->text, ", $%d", x->num_args);
    add_arg(x, coordinate(s, op, places, at), "r");
  }
  str_add(&x->text, "}");
}

static int map_rank(const TensorBox *box) {
  return box->rank + (box->lines > 1);
}

static bool find_box(Simt *s, const Op *op, TensorBox *box) {
  const Value *desc = op_operand(op, 0);
  return (value_has_map(desc) && tensor_box(desc->def, box)) ||
         simt_unsupported(s, op, "of such a descriptor");
}

static LLVMValueRef box_address(Simt *s, const Op *op, int bytes) {
  LLVMValueRef start = simt_scalar(s, op_operand(op, 1));
  return simt_shared_at(s, start, simt_i32(s, bytes));
}

// The address of box `i` of this block's part.
static LLVMValueRef part_address(Simt *s, const Op *op, const TensorBox *box,
                                 int i) {
  const Type *buffer = op_operand(op, 1)->type;
  const int bytes = box_bytes(box, buffer);
  const int part =
      has_own_boxes(box) ? bytes * box->copies : bytes / box->parts;
  LLVMValueRef offset = behind_parts(s, box, simt_i32(s, i * bytes), part);
  return simt_shared_at(s, simt_scalar(s, op_operand(op, 1)), offset);
}

// The blocks to which a block's part goes, as bits of a number; NULL: only this
// one.
static LLVMValueRef receivers(Simt *s, const Op *op, const TensorBox *box) {
  LLVMTypeRef i16 = int_type(s->e, 16);
  LLVMValueRef same = mask_of(s, op, 5);
  if (!same)
    return box->parts > 1 ? const_int(i16, (1 << box->parts) - 1) : NULL;
  LLVMValueRef own = LLVMBuildShl(s->b, simt_i32(s, 1), s->pair_rank, "");
  LLVMValueRef bits = LLVMBuildSelect(s->b, same, simt_i32(s, 3), own, "");
  return LLVMBuildTrunc(s->b, bits, i16, "");
}

// Goes on only if this program copies: not if its neighbour copies for both.
static void skip_if_other_copies(Simt *s, const Op *op,
                                 LLVMBasicBlockRef behind) {
  LLVMValueRef same = mask_of(s, op, 5);
  if (!same) return;
  LLVMBasicBlockRef inside = simt_add_block(s, "own");
  LLVMValueRef rank = simt_i32(s, op_int(op, ATTR_copier));
  LLVMValueRef other = LLVMBuildICmp(s->b, LLVMIntNE, s->pair_rank, rank, "");
  LLVMBuildCondBr(s->b, LLVMBuildAnd(s->b, same, other, ""), behind, inside);
  LLVMPositionBuilderAtEnd(s->b, inside);
}

static void copy_box(Simt *s, const Op *op, const TensorBox *box, int i) {
  LLVMValueRef blocks = receivers(s, op, box);
  TmaStatement x = start(s, mask_of(s, op, 4));
  skip_if_other_copies(s, op, x.behind);
  add_arg(&x, part_address(s, op, box, i), "r");
  add_arg(&x, map_of(s, op), "l");
  add_arg(&x, simt_scalar(s, op_operand(op, 2)), "r");
  str_addf(&x.text,
           "cp.async.bulk.tensor.%dd.shared::cluster.global.tile."
           "mbarrier::complete_tx::bytes%s [$0], [$1, ",
           map_rank(box), blocks ? ".multicast::cluster" : "");
  add_coordinates(s, &x, op, 3, box, i);
  str_add(&x.text, "], [$2]");
  if (blocks) {
    str_addf(&x.text, ", $%d", x.num_args);
    add_arg(&x, blocks, "h");
  }
  str_add(&x.text, ";");
  finish(s, &x);
}

bool simt_emit_copy_desc(Simt *s, const Op *op) {
  TensorBox box;
  if (!find_box(s, op, &box)) return false;
  for (int i = 0; i < box.copies; i++) copy_box(s, op, &box, i);
  return true;
}

// The copies of a block are one group.
bool simt_emit_copy_to_desc(Simt *s, const Op *op) {
  const Type *buffer = op_operand(op, 1)->type;
  const bool adds = op_attr(op, ATTR_kind) != NULL;
  TensorBox box;
  if (!find_box(s, op, &box)) return false;
  for (int i = 0; i < box.copies; i++) {
    TmaStatement x = start(s, NULL);
    add_arg(&x, simt_scalar(s, op_operand(op, 0)), "l");
    add_arg(&x, box_address(s, op, i * box_bytes(&box, buffer)), "r");
    str_addf(&x.text,
             "cp.%s.bulk.tensor.%dd.global.shared::cta.%stile.bulk_group [$0, ",
             adds ? "reduce.async" : "async", map_rank(&box),
             adds ? "add." : "");
    add_coordinates(s, &x, op, 2, &box, i);
    str_add(&x.text, "], [$1];");
    if (i == box.copies - 1)
      str_add(&x.text, "\n\tcp.async.bulk.commit_group;");
    finish(s, &x);
  }
  return true;
}

// Each thread waits for the copies that it has started.
static bool emit_wait(Simt *s, const char *what) {
  if (s->has_rows) return simt_wait_for_rows(s, what);
  TmaStatement x = start(s, NULL);
  str_addf(&x.text, "cp.async.bulk.wait_group%s 0;", what);
  finish(s, &x);
  return true;
}

bool simt_emit_bulk_wait(Simt *s, const Op *op) {
  (void)op;
  return emit_wait(s, "");
}

bool simt_emit_bulk_wait_read(Simt *s, const Op *op) {
  (void)op;
  return emit_wait(s, ".read");
}

bool simt_emit_async_fence(Simt *s, const Op *op) {
  (void)op;
  nvptx_asm(s, "fence.proxy.async.shared::cta;", "",
            LLVMVoidTypeInContext(s->e->llvm.context), 0, NULL, true);
  return true;
}
