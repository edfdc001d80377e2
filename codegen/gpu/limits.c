// limits.c -- selects by a limit, such as that of a causal mask.
//
// The condition compares a + i with b + j, where i and j are positions along
// two dimensions of the tile.  So it depends on a - b alone: in each register,
// a - b is compared with a threshold, j - i.  Many registers have the same
// threshold, and those of a matrix instruction's layout are on a grid: in a
// tile of 16 rows by 32 columns they are 8 q + e, q = -1 .. 3, e = 0 or 1.  The
// thread counts the grid points that a - b has reached, makes a word with so
// many zeros below ones, and tests its bits.
//
// Some points are one: if rows and columns start at multiples of 16, a - b of a
// thread is 16 n + k for some k of -6 .. 7, so that it reaches 16 n - 8 where
// it reaches 16 n - 6.  Each threshold is raised to the next value that a - b
// can have.
//
// One instruction (R2P) makes predicates of the seven lowest bits of a word.
// ptxas uses it if their tests are adjacent, in front of the selects that they
// control: so both are emitted at the `select`, in turns, and the comparison
// has no code of its own.
#include "codegen/gpu/simt.h"

enum {
  PREDICATES = 7,                     // made by one instruction
  WORD_PLACES = 4 * PREDICATES,       // grid points in a word that is made once
  LEAST_COMPARISONS = 2 * PREDICATES, // fewer are as quick one by one
  MAX_RESIDUES = 4,
  LEAST_PERIOD = 2, // log2; with less, sums of counts might wrap
  MAX_PERIOD = 6,
};

// The grid points P q + e, from q = first on, for the residues e, which are in
// increasing order and less than P apart, the first one within 0 .. P - 1.
typedef struct {
  int log2_period, first;
  int residues[MAX_RESIDUES], num_residues;
  int num_places; // up to the last threshold
} ResidueGrid;

// The values that a - b has modulo 2^log2_period in register 0 of the threads:
// bits of a set.
typedef struct {
  int log2_period;
  uint64_t values;
} Differences;

typedef struct {
  const Op *compare;
  int *threshold; // of each register: if reached, the condition is
                  // `when_reached`
  int count;      // of registers
  bool when_reached;
  Differences differences;
  ResidueGrid grid;
} Thresholds;

// -- Thresholds --------------------------------------------------------------

// Adds `sign` times each register's position along the dimension to its
// threshold. False if registers and threads set the same bits of a position.
static bool places_of(const Layout *layout, int64_t axis, int count, int sign,
                      int *threshold) {
  if (axis < 0) return true;
  int64_t coords[LAYOUT_MAX_RANK];
  int64_t by_register = 0, by_thread = 0;
  const int bits = layout->num_bits[LAYOUT_REGISTER];
  for (int i = 0; i < layout->map.num_in; i++) {
    layout_coords(layout, layout->map.column[i], coords);
    *(i < bits ? &by_register : &by_thread) |= coords[axis];
  }
  if (by_register & by_thread) return false;
  for (int r = 0; r < count; r++) {
    layout_coords(layout, layout_apply(layout, (uint32_t)r), coords);
    threshold[r] += sign * (int)coords[axis];
  }
  return true;
}

// Operands that count up start at multiples of their dimensions.
static Differences find_differences(const Type *type, const int64_t *counts) {
  const Layout *layout = type->layout;
  const int first = layout->num_bits[LAYOUT_REGISTER];
  Differences found = {0, 1};
  if (counts[0] < 0 || counts[1] < 0) return found;
  while (found.log2_period < MAX_PERIOD &&
         type->shape[counts[0]] >> (found.log2_period + 1) &&
         type->shape[counts[1]] >> (found.log2_period + 1)) {
    found.log2_period++;
  }
  const int64_t rest = (1 << found.log2_period) - 1;
  for (uint32_t t = 1; t < UINT32_C(1) << (layout->map.num_in - first); t++) {
    int64_t coords[LAYOUT_MAX_RANK];
    layout_coords(layout, layout_apply(layout, t << first), coords);
    const int64_t difference = coords[counts[0]] - coords[counts[1]];
    found.values |= UINT64_C(1) << (difference & rest);
  }
  return found;
}

static bool find_thresholds(Simt *s, const Op *compare, Thresholds *out) {
  const int64_t *counts = op_attr(compare, ATTR_counts)->as.ints.items;
  const int64_t predicate = op_int(compare, ATTR_predicate);
  const Type *type = op_result(compare)->type;
  out->count = simt_count(type);
  out->threshold = arena_array(s->e->arena, int, out->count);
  out->when_reached = predicate == PREDICATE_ge || predicate == PREDICATE_gt;
  out->differences = find_differences(type, counts);
  if (predicate == PREDICATE_gt || predicate == PREDICATE_le) {
    for (int r = 0; r < out->count; r++) out->threshold[r] = 1;
  }
  return places_of(type->layout, counts[0], out->count, -1, out->threshold) &&
         places_of(type->layout, counts[1], out->count, 1, out->threshold);
}

// -- The grid ----------------------------------------------------------------

static int floor_shift(int x, int bits) {
  return x >= 0 ? x >> bits : -((-x + (1 << bits) - 1) >> bits);
}

// The values modulo a period.
static Differences differences_within(const Differences *x, int log2_period) {
  Differences found = *x;
  while (found.log2_period > log2_period) {
    found.log2_period--;
    found.values |= found.values >> (1 << found.log2_period);
  }
  return found;
}

// The least value that a - b can have, modulo the grid's period, and that is
// not below the register's threshold.
static int least_reaching(const Thresholds *reach, int log2_period, int reg) {
  const Differences can = differences_within(&reach->differences, log2_period);
  const int rest = (1 << can.log2_period) - 1;
  int x = reach->threshold[reg];
  while (!(can.values >> (x & rest) & 1)) x++;
  return x;
}

static int find_origin(const Thresholds *reach, int log2_period) {
  int origin = least_reaching(reach, log2_period, 0);
  for (int r = 1; r < reach->count; r++) {
    const int x = least_reaching(reach, log2_period, r);
    if (x < origin) origin = x;
  }
  return origin;
}

static int place_of(const Thresholds *reach, const ResidueGrid *grid, int reg) {
  const int x = least_reaching(reach, grid->log2_period, reg);
  const int origin = grid->first * (1 << grid->log2_period) + grid->residues[0];
  const int place = x - origin;
  const int e = place & ((1 << grid->log2_period) - 1);
  int i = 0;
  while (grid->residues[i] - grid->residues[0] != e) i++;
  return (place >> grid->log2_period) * grid->num_residues + i;
}

// False if there are too many residues.
static bool fit_grid(const Thresholds *reach, int log2_period,
                     ResidueGrid *out) {
  const int period = 1 << log2_period;
  const int origin = find_origin(reach, log2_period);
  uint64_t residues = 0;
  *out = (ResidueGrid){.log2_period = log2_period,
                       .first = floor_shift(origin, log2_period)};
  for (int r = 0; r < reach->count; r++) {
    const int x = least_reaching(reach, log2_period, r) - origin;
    residues |= UINT64_C(1) << (x & (period - 1));
  }
  for (int e = 0; e < period; e++) {
    if (!(residues >> e & 1)) continue;
    if (out->num_residues == MAX_RESIDUES) return false;
    out->residues[out->num_residues++] = origin - out->first * period + e;
  }
  for (int r = 0; r < reach->count; r++) {
    const int place = place_of(reach, out, r);
    if (place >= out->num_places) out->num_places = place + 1;
  }
  // Twice the sum of num_residues numbers of 32 - log2_period bits does not
  // wrap.
  return out->num_residues <= 1 << (log2_period - LEAST_PERIOD);
}

// The number of comparisons if no word were made: one for each grid point if
// one operand is the same everywhere, else one for each register.
static int num_comparisons(const Thresholds *reach) {
  const int64_t *counts = op_attr(reach->compare, ATTR_counts)->as.ints.items;
  return counts[0] < 0 || counts[1] < 0 ? reach->grid.num_places : reach->count;
}

// The grid with the fewest points.
static bool find_grid(Thresholds *reach) {
  bool found = false;
  for (int period = LEAST_PERIOD; period <= MAX_PERIOD; period++) {
    ResidueGrid grid;
    if (!fit_grid(reach, period, &grid)) continue;
    if (found && grid.num_places >= reach->grid.num_places) continue;
    reach->grid = grid;
    found = true;
  }
  return found && num_comparisons(reach) >= LEAST_COMPARISONS &&
         reach->grid.num_places <= reach->count;
}

static bool is_ordered(const Op *compare) {
  const int64_t predicate = op_int(compare, ATTR_predicate);
  return predicate == PREDICATE_lt || predicate == PREDICATE_le ||
         predicate == PREDICATE_gt || predicate == PREDICATE_ge;
}

static bool find_limit(Simt *s, const Op *compare, Thresholds *out) {
  *out = (Thresholds){.compare = compare};
  const Use *use = value_only_use(op_result(compare));
  if (!use || use->user->kind != OP_select || use->index) return false;
  return op_result(compare)->type->layout ==
             op_result(use->user)->type->layout &&
         op_attr(compare, ATTR_counts) && is_ordered(compare) &&
         op_operand(compare, 0)->type->elem == ELEM_i32 &&
         find_thresholds(s, compare, out) && find_grid(out);
}

// -- Code --------------------------------------------------------------------

// The number of grid points that a - b has reached; outside of the grid, it is
// negative or larger than the number of points.  For a = P a1 + a0, b = P b1 +
// b0 and e, it is a1 - b1 + floor((a0 - b0 - e) / P) + 1 minus the first point.
static LLVMValueRef count_reached(Simt *s, const Thresholds *reach) {
  const ResidueGrid *grid = &reach->grid;
  LLVMBuilderRef b = s->b;
  LLVMValueRef part[2], rest[2];
  LLVMValueRef bits = simt_i32(s, grid->log2_period);
  LLVMValueRef mask = simt_i32(s, (1 << grid->log2_period) - 1);
  LLVMValueRef each = simt_i32(s, grid->num_residues);
  for (int i = 0; i < 2; i++) {
    LLVMValueRef x = simt_get(s, op_operand(reach->compare, i))[0];
    rest[i] = LLVMBuildAnd(b, x, mask, "");
    part[i] = LLVMBuildMul(b, LLVMBuildAShr(b, x, bits, ""), each, "");
  }
  LLVMValueRef sum = simt_i32(s, grid->num_residues * (1 - grid->first));
  sum = LLVMBuildAdd(b, part[0], sum, "");
  LLVMValueRef between = LLVMBuildSub(b, rest[0], rest[1], "");
  for (int i = 0; i < grid->num_residues; i++) {
    LLVMValueRef e = simt_i32(s, grid->residues[i]);
    LLVMValueRef x = LLVMBuildSub(b, between, e, "");
    sum = LLVMBuildAdd(b, sum, LLVMBuildAShr(b, x, bits, ""), "");
  }
  return LLVMBuildSub(b, sum, part[1], "");
}

// A word in which bit i is set if point first + i is not reached.  In PTX,
// since LLVM has it as a shift of ones, which takes a register more; a mask
// from bit 32 on is 0.
static LLVMValueRef word_from(Simt *s, LLVMValueRef reached, int first) {
  LLVMValueRef x[] = {LLVMBuildSub(s->b, reached, simt_i32(s, first), ""),
                      simt_i32(s, 0)};
  LLVMValueRef zeros = emit_intrinsic(s->e, "llvm.smax", 2, x);
  return nvptx_asm(s, "bmsk.clamp.b32 $0, $1, 32;", "=r,r", int_type(s->e, 32),
                   1, &zeros, false);
}

// In PTX, since LLVM would test the bits of the unshifted word.
static LLVMValueRef shift_down(Simt *s, LLVMValueRef word, int bits) {
  if (!bits) return word;
  LLVMValueRef x[] = {word, simt_i32(s, bits)};
  return nvptx_asm(s, "shr.u32 $0, $1, $2;", "=r,r,n", int_type(s->e, 32), 2, x,
                   false);
}

// Is the bit set?  In PTX, since LLVM would test the lowest bit in another way.
static LLVMValueRef test_bit(Simt *s, LLVMValueRef word, int bit) {
  if (!bit) {
    return nvptx_asm(s,
                     "{ .reg .b32 t; and.b32 t, $1, 1; "
                     "setp.ne.s32 $0, t, 0; }",
                     "=b,r", int_type(s->e, 1), 1, &word, false);
  }
  LLVMValueRef x = LLVMBuildAnd(s->b, word, simt_i32(s, 1 << bit), "");
  return LLVMBuildICmp(s->b, LLVMIntNE, x, simt_i32(s, 0), "");
}

// Selects the registers with points first to first + PREDICATES - 1, by the
// lowest bits of the word.
static void choose(Simt *s, const Op *op, const Thresholds *reach, int first,
                   LLVMValueRef word, LLVMValueRef *out) {
  LLVMValueRef missed[PREDICATES];
  LLVMValueRef const *x = simt_get(s, op_operand(op, 1));
  LLVMValueRef const *y = simt_get(s, op_operand(op, 2));
  for (int i = 0; i < PREDICATES; i++) missed[i] = test_bit(s, word, i);
  for (int r = 0; r < reach->count; r++) {
    const int i = place_of(reach, &reach->grid, r) - first;
    if (i < 0 || i >= PREDICATES) continue;
    out[r] = reach->when_reached ? emit_select(s->e, missed[i], y[r], x[r])
                                 : emit_select(s->e, missed[i], x[r], y[r]);
  }
}

bool simt_emit_select(Simt *s, const Op *op) {
  const Op *compare = value_def(op_operand(op, 0), OP_cmpi);
  Thresholds reach;
  if (!compare || !find_limit(s, compare, &reach)) {
    return simt_emit_elementwise(s, op);
  }
  LLVMValueRef reached = count_reached(s, &reach), word = NULL;
  LLVMValueRef *out = simt_new(s, reach.count);
  for (int first = 0; first < reach.grid.num_places; first += PREDICATES) {
    const int within = first % WORD_PLACES;
    if (!within) word = word_from(s, reached, first);
    choose(s, op, &reach, first, shift_down(s, word, within), out);
  }
  simt_set(s, op_result(op), out);
  return true;
}

bool simt_skip_limit(Simt *s, const Op *compare) {
  Thresholds reach;
  if (!find_limit(s, compare, &reach)) return false;
  LLVMValueRef *out = simt_new(s, reach.count);
  for (int r = 0; r < reach.count; r++) {
    out[r] = LLVMGetPoison(int_type(s->e, 1));
  }
  simt_set(s, op_result(compare), out);
  return true;
}
