// shared.c -- buffers in shared memory, and tiles to and from them.
//
// A buffer is represented by the address of its first byte, and so is a view,
// since the layout of its last dimensions is in its type.  The bytes that a
// thread moves are a linear map of the thread's number, so registers of a
// thread differ by constants: bits of a constant that overlap with thread bits
// are XORed, the rest is an immediate offset of the instruction.
//
// For example, thread bits of an address may set bits 6 and 8 to 11, but not
// bit 7, and a register is 64 + 128 bytes behind the first one: its load is
// `xor at, address, 64` and `ld.shared [at+128]`.
#include "codegen/gpu/simt.h"

#include "codegen/errors.h"
#include "ir/layout_access.h"

#include <assert.h>

enum { LOG2_ROWS = 3, MAX_MATRICES = 4 };

LLVMValueRef simt_shared_at(Simt *s, LLVMValueRef base, LLVMValueRef offset) {
  return emit_byte_at(s->e, base, offset);
}

// -- Addresses ---------------------------------------------------------------

SharedPlace simt_place(Simt *s, LLVMValueRef base, LinearMap map, int first,
                       int log2_bytes) {
  SharedPlace place = {.base = base};
  for (int i = 0; i < map.num_in; i++) map.column[i] <<= log2_bytes;
  place.thread = simt_linear(s, &map, first, &place.bits);
  return place;
}

LLVMValueRef simt_place_address(Simt *s, const SharedPlace *place,
                                uint32_t bytes) {
  const uint32_t low = bytes & place->bits, high = bytes & ~place->bits;
  LLVMValueRef thread = place->thread;
  if (low) thread = LLVMBuildXor(s->b, thread, simt_i32(s, (int64_t)low), "");
  LLVMValueRef at = simt_shared_at(s, place->base, thread);
  return high ? simt_shared_at(s, at, simt_i32(s, (int64_t)high)) : at;
}

// -- Vectors -----------------------------------------------------------------

// The instructions that move a tile, a run of registers each.
typedef struct {
  SharedAccess shared;
  SimtAccess access;
  SharedPlace place;
  int log2_bytes;
  uint32_t *registers;
} Vectors;

static Vectors vectors_of(Simt *s, const SharedTile *tile,
                          const SharedAccess *shared) {
  const int num_bits = shared->tile->num_bits[LAYOUT_REGISTER];
  assert(1 << shared->log2_vector <= SIMT_MAX_VECTOR &&
         shared->log2_vector <= num_bits); // I7
  Vectors v = {.shared = *shared,
               .access = {.element = tile->element,
                          .log2_width = shared->log2_vector,
                          .shared = true,
                          .mode = ""},
               .log2_bytes =
                   floor_log2((int64_t)emit_memory_bytes(tile->element))};
  v.place = simt_place(s, tile->base, shared->offset, num_bits, v.log2_bytes);
  v.registers = arena_array(s->e->arena, uint32_t, 1 << num_bits);
  access_vector_registers(shared, v.registers);
  return v;
}

static LLVMValueRef address_of(Simt *s, const Vectors *v, uint32_t reg) {
  const uint32_t offset = linear_apply(&v->shared.offset, reg);
  return simt_place_address(s, &v->place, offset << v->log2_bytes);
}

static void read_vectors(Simt *s, const Vectors *v, LLVMValueRef *out) {
  const int width = 1 << v->access.log2_width;
  const Layout *tile = v->shared.tile;
  const int *first = simt_first_copies(s, tile);
  for (int i = 0; i < layout_num_registers(tile); i += width) {
    const uint32_t *run = v->registers + i;
    if (first && first[run[0]] != (int)run[0]) continue;
    LLVMValueRef vector[SIMT_MAX_VECTOR];
    simt_access_load(s, &v->access, address_of(s, v, run[0]), NULL, NULL,
                     vector);
    for (int k = 0; k < width; k++) out[run[k]] = vector[k];
  }
  for (int r = 0; first && r < layout_num_registers(tile); r++) {
    out[r] = out[first[r]];
  }
}

static void write_vectors(Simt *s, const Vectors *v, LLVMValueRef mask,
                          LLVMValueRef const *x) {
  const int width = 1 << v->access.log2_width;
  const Layout *tile = v->shared.tile;
  const int *first = simt_first_copies(s, tile);
  for (int i = 0; i < layout_num_registers(tile); i += width) {
    const uint32_t *run = v->registers + i;
    if (first && first[run[0]] != (int)run[0]) continue;
    LLVMValueRef vector[SIMT_MAX_VECTOR];
    for (int k = 0; k < width; k++) vector[k] = x[run[k]];
    simt_access_store(s, &v->access, address_of(s, v, run[0]), mask, vector);
  }
}

// -- Matrices ----------------------------------------------------------------

// Maps a thread's number to the row whose address it provides: lanes count the
// rows of a matrix, then the matrices of an instruction.
static LinearMap row_starts(const SharedAccess *access, const MatrixAccess *m,
                            int log2_together) {
  const Layout *tile = access->tile;
  const int lanes = tile->num_bits[LAYOUT_LANE];
  LinearMap map = {.num_in = tile->map.num_in - tile->num_bits[LAYOUT_REGISTER],
                   .num_out = access->offset.num_out};
  for (int i = 0; i < map.num_in; i++) {
    if (i < LOG2_ROWS) {
      map.column[i] = access_offset(access, m->row[i]);
    } else if (i < LOG2_ROWS + log2_together) {
      map.column[i] = access_offset(access, m->matrix[i - LOG2_ROWS]);
    } else if (i >= lanes) {
      map.column[i] =
          access->offset.column[tile->num_bits[LAYOUT_REGISTER] + i];
    }
  }
  return map;
}

static void load_matrices(Simt *s, const char *name, LLVMValueRef address,
                          int count, LLVMValueRef *words) {
  LLVMTypeRef type = LLVMTypeOf(address);
  LLVMValueRef all = llvm_call(&s->e->llvm, name, &type, 1, &address, 1);
  for (int i = 0; i < count; i++) {
    words[i] =
        count > 1 ? LLVMBuildExtractValue(s->b, all, (unsigned)i, "") : all;
  }
}

static int log2_together(const MatrixAccess *m) {
  return m->num_matrix < 2 ? m->num_matrix : 2;
}

// The address of the lane's row, for the instruction whose first matrix is
// number `first`.
static LLVMValueRef matrix_address(Simt *s, const SharedPlace *place,
                                   const SharedAccess *access,
                                   const MatrixAccess *m, int first,
                                   int log2_bytes) {
  uint32_t start = 0;
  for (int k = log2_together(m); k < m->num_matrix; k++) {
    if (first >> k & 1) start ^= access_offset(access, m->matrix[k]);
  }
  return simt_place_address(s, place, start << log2_bytes);
}

// All distinct elements, by packed register in the low bits and matrix.
static LLVMValueRef *load_elements(Simt *s, const SharedTile *tile,
                                   const SharedAccess *access,
                                   const MatrixAccess *m) {
  const int together = log2_together(m);
  const int log2_bytes = floor_log2((int64_t)emit_memory_bytes(tile->element));
  const SharedPlace place =
      simt_place(s, tile->base, row_starts(access, m, together), 0, log2_bytes);
  const char *name = arena_printf(
      s->e->arena, "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x%d.%sb16",
      1 << together, m->transposed ? "trans." : "");
  LLVMValueRef *out = simt_new(s, 1 << (m->num_packed + m->num_matrix));
  for (int i = 0; i < 1 << m->num_matrix; i += 1 << together) {
    LLVMValueRef words[MAX_MATRICES];
    load_matrices(s, name, matrix_address(s, &place, access, m, i, log2_bytes),
                  1 << together, words);
    for (int k = 0; k < 1 << together; k++) {
      simt_unpack(s, tile->element, words[k], out + ((i + k) << m->num_packed));
    }
  }
  return out;
}

static void read_matrices(Simt *s, const SharedTile *tile,
                          const SharedAccess *access, const MatrixAccess *m,
                          LLVMValueRef *out) {
  LLVMValueRef *loaded = load_elements(s, tile, access, m);
  LinearMap held = {.num_in = m->num_packed + m->num_matrix,
                    .num_out = access->offset.num_out};
  for (int i = 0; i < held.num_in; i++) {
    held.column[i] =
        access_offset(access, i < m->num_packed ? m->packed[i]
                                                : m->matrix[i - m->num_packed]);
  }
  const LinearMap place = linear_inverse(&held);
  for (int r = 0; r < layout_num_registers(access->tile); r++) {
    out[r] = loaded[linear_apply(&place, access_offset(access, (uint32_t)r))];
  }
}

// The register that holds packed register `p` of matrix `i`.
static uint32_t register_of(const MatrixAccess *m, int i, int p) {
  uint32_t reg = 0;
  for (int k = 0; k < m->num_matrix; k++)
    if (i >> k & 1) reg ^= m->matrix[k];
  for (int k = 0; k < m->num_packed; k++)
    if (p >> k & 1) reg ^= m->packed[k];
  return reg;
}

static void store_matrices(Simt *s, bool transposed, LLVMValueRef address,
                           int count, LLVMValueRef const *words) {
  Str text = str_in(s->e->arena), constraints = str_in(s->e->arena);
  LLVMValueRef args[1 + MAX_MATRICES] = {address};
  str_addf(&text, "stmatrix.sync.aligned.m8n8.x%d%s.shared.b16 [$0], {", count,
           transposed ? ".trans" : "");
  str_add(&constraints, "r");
  for (int i = 0; i < count; i++) {
    str_addf(&text, "%s$%d", i ? ", " : "", i + 1);
    str_add(&constraints, ",r");
    args[1 + i] = words[i];
  }
  str_add(&text, "};");
  nvptx_asm(s, str_text(&text), str_text(&constraints),
            LLVMVoidTypeInContext(s->e->llvm.context), 1 + count, args, true);
}

static void write_matrices(Simt *s, const SharedTile *tile,
                           const SharedAccess *access, const MatrixAccess *m,
                           LLVMValueRef const *x) {
  const int together = log2_together(m);
  const int log2_bytes = floor_log2((int64_t)emit_memory_bytes(tile->element));
  const SharedPlace place =
      simt_place(s, tile->base, row_starts(access, m, together), 0, log2_bytes);
  for (int i = 0; i < 1 << m->num_matrix; i += 1 << together) {
    LLVMValueRef words[MAX_MATRICES], items[1 << 5];
    for (int k = 0; k < 1 << together; k++) {
      for (int p = 0; p < 1 << m->num_packed; p++)
        items[p] = x[register_of(m, i + k, p)];
      words[k] = simt_pack(s, tile->element, items);
    }
    store_matrices(s, m->transposed,
                   matrix_address(s, &place, access, m, i, log2_bytes),
                   1 << together, words);
  }
}

// -- Either ------------------------------------------------------------------

// Is `stmatrix` better than stores of vectors?  At equal time, the one with
// fewer instructions is.
static bool stores_matrices(Simt *s, const SharedAccess *access,
                            MatrixAccess *m) {
  if (!target_can(s->e->target, CAP_STMATRIX) || !access_as_matrix(access, m))
    return false;
  const int64_t by_matrix = access_matrix_cost(access, m);
  const int64_t by_vector = access_cost(access) + access_packing(access);
  const int log2_held = m->num_packed + m->num_matrix;
  return by_matrix < by_vector ||
         (by_matrix == by_vector &&
          m->num_matrix - log2_together(m) < log2_held - access->log2_vector);
}

static bool access_of(const SharedTile *tile, const Layout *layout,
                      SharedAccess *out) {
  const int bits = 8 * (int)emit_memory_bytes(tile->element);
  return layout_access(layout, tile->layout, bits, out);
}

bool simt_shared_read(Simt *s, const SharedTile *from, const Layout *layout,
                      LLVMValueRef *out) {
  SharedAccess access;
  MatrixAccess matrix;
  if (!access_of(from, layout, &access)) return false;
  if (target_can(s->e->target, CAP_LDMATRIX) &&
      access_as_matrix(&access, &matrix) &&
      access_matrix_cost(&access, &matrix) <=
          access_cost(&access) + access_packing(&access)) {
    read_matrices(s, from, &access, &matrix, out);
    return true;
  }
  const Vectors vectors = vectors_of(s, from, &access);
  read_vectors(s, &vectors, out);
  return true;
}

// Is the running warp, among all warps that have its elements, the one that
// stores them?  NULL: all warps store.
static LLVMValueRef owner_warp(Simt *s, const Layout *layout) {
  const uint32_t lanes = (uint32_t)layout_count(layout, LAYOUT_LANE) - 1;
  return simt_none_set(s, simt_free_threads(layout) & ~lanes);
}

bool simt_shared_write(Simt *s, const SharedTile *to, const Layout *layout,
                       LLVMValueRef mask, LLVMValueRef const *x) {
  SharedAccess access;
  if (!access_of(to, layout, &access)) return false;
  if (!mask) mask = owner_warp(s, layout);
  MatrixAccess matrix;
  if (!mask && stores_matrices(s, &access, &matrix)) {
    write_matrices(s, to, &access, &matrix, x);
    return true;
  }
  const Vectors vectors = vectors_of(s, to, &access);
  write_vectors(s, &vectors, mask, x);
  return true;
}

// -- Buffers -----------------------------------------------------------------

static bool check_buffer(Simt *s, const Op *op, const Type *type) {
  if (!type->layout) return simt_unsupported(s, op, "of no layout");
  return true;
}

static SharedTile tile_of(const Simt *s, const Value *buffer) {
  return (SharedTile){simt_scalar(s, buffer), buffer->type->element,
                      buffer->type->layout};
}

static bool no_such_layouts(Simt *s, const Op *op) {
  return simt_unsupported(s, op, "between these layouts");
}

bool simt_emit_alloc_shared(Simt *s, const Op *op) {
  const Type *type = op_result(op)->type;
  const Attr *offset = op_attr(op, ATTR_offset);
  if (!check_buffer(s, op, type)) return false;
  if (!offset) {
    return diag_error(s->e->diags, op->loc, ERROR_no_place);
  }
  const int64_t bytes =
      type->num_elements * (int64_t)emit_memory_bytes(type->element);
  if (!simt_need_shared(s, op, offset->as.i + bytes)) return false;
  LLVMValueRef start = simt_i32(s, offset->as.i);
  simt_set_scalar(s, op_result(op), simt_shared_at(s, s->shared, start));
  if (!op->num_operands) return true;
  const Value *x = op_operand(op, 0);
  const SharedTile to = tile_of(s, op_result(op));
  return simt_shared_write(s, &to, x->type->layout, NULL, simt_get(s, x)) ||
         no_such_layouts(s, op);
}

bool simt_emit_free_shared(Simt *s, const Op *op) {
  (void)s, (void)op; // has an effect on allocation only
  return true;
}

bool simt_emit_load_shared(Simt *s, const Op *op) {
  const Type *type = op_result(op)->type;
  const SharedTile from = tile_of(s, op_operand(op, 0));
  LLVMValueRef *out = simt_new(s, simt_count(type));
  simt_set(s, op_result(op), out);
  return simt_shared_read(s, &from, type->layout, out) ||
         no_such_layouts(s, op);
}

bool simt_emit_store_shared(Simt *s, const Op *op) {
  const Value *x = op_operand(op, 0);
  const SharedTile to = tile_of(s, op_operand(op, 1));
  return simt_shared_write(s, &to, x->type->layout, NULL, simt_get(s, x)) ||
         no_such_layouts(s, op);
}

// -- Views -------------------------------------------------------------------

bool simt_emit_view_index(Simt *s, const Op *op) {
  const Type *type = op_result(op)->type;
  const Value *buffer = op_operand(op, 0);
  if (buffer->type->layout->rank > type->rank) {
    return simt_unsupported(s, op, "of a dimension of the layout");
  }
  const int64_t bytes =
      type->num_elements * (int64_t)emit_memory_bytes(type->element);
  LLVMValueRef offset = LLVMBuildMul(s->b, simt_scalar(s, op_operand(op, 1)),
                                     simt_i32(s, bytes), "");
  simt_set_scalar(s, op_result(op),
                  simt_shared_at(s, simt_scalar(s, buffer), offset));
  return true;
}

bool simt_emit_view_trans(Simt *s, const Op *op) {
  const Attr *order = op_attr(op, ATTR_order);
  const Layout *from = op_operand(op, 0)->type->layout;
  int axes[MAX_RANK];
  for (int i = 0; i < order->as.ints.count; i++) {
    axes[i] = (int)order->as.ints.items[i];
  }
  const bool whole = from->rank == op_result(op)->type->rank;
  if (!whole || op_result(op)->type->layout !=
                    layout_transpose(&s->e->m->layouts, from, axes)) {
    return simt_unsupported(s, op, "to this layout");
  }
  simt_set_scalar(s, op_result(op), simt_scalar(s, op_operand(op, 0)));
  return true;
}
