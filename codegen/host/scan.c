// scan.c -- prefixes along an axis.
//
// Regions that are associative, such as sums and products, are scanned in
// groups: the lanes of a vector along the axis, or else some rows of it.  Each
// group is scanned as a tree and combined with the total before it, which is
// carried by nested loops of few trips.  So an error grows with the logarithm
// of the length, and no element waits for the one before it.  Other regions
// combine element after element.
//
// For example, a sum scan of 256 floats in vectors of 8: three nested loops
// over groups of 64, 16 and 8, each with its own total.  A vector is scanned in
// three steps, by shifts of 1, 2 and 4 lanes, and gets the sum of the three
// totals.
#include "codegen/host/nest.h"

#include <assert.h>
#include <math.h>

// -- In sequence -------------------------------------------------------------

static Coord scan_coord(Nest *nest, Coord at, int64_t size, bool reverse) {
  if (!reverse) return at;
  Host *h = nest->h;
  nest_seek(nest, at.level);
  at.at = LLVMBuildSub(h->b, host_i64(h, size - 1), at.at, "");
  return at;
}

static bool scan_step(Nest *nest, const Op *op, const Index *index,
                      const int *carried) {
  LLVMValueRef x[HOST_MAX_INPUTS], so_far[HOST_MAX_INPUTS],
      out[HOST_MAX_INPUTS];
  for (int i = 0; i < op->num_results; i++) {
    x[i] = eval_lanes(nest, op_operand(op, i), index,
                      host_combines_bits(nest->h, op, i));
    if (!x[i]) return false;
    so_far[i] = nest_carried(nest, carried[i]);
  }
  if (!host_combine(nest->h, op, so_far, x, out)) return false;
  for (int i = 0; i < op->num_results; i++) {
    nest_carry_next(nest, carried[i], out[i]);
    buffer_write(nest, &op->results[i], index,
                 host_combined(nest->h, op, i, out[i]));
  }
  return true;
}

// Lanes run along another dimension than the axis, if there is one.
static int scan_vec(const Type *tile, int axis) {
  const int inner = inner_dim(tile);
  return inner == axis ? -1 : inner;
}

static bool scan_first(Nest *nest, const Op *op, const Index *index,
                       LLVMValueRef *out) {
  for (int i = 0; i < op->num_results; i++) {
    out[i] = eval_lanes(nest, op_operand(op, i), index,
                        host_combines_bits(nest->h, op, i));
    if (!out[i]) return false;
    buffer_write(nest, &op->results[i], index,
                 host_combined(nest->h, op, i, out[i]));
  }
  return true;
}

static bool scan_in_sequence(Host *h, const Op *op) {
  const Type *tile = op_operand(op, 0)->type;
  const int axis = (int)op_int(op, ATTR_axis);
  const bool reverse = op_int(op, ATTR_reverse) != 0;
  const int vec = scan_vec(tile, axis);
  const int lanes = host_combined_lanes(h, op, vec);
  const int64_t size = tile->shape[axis];
  Nest nest = nest_begin(h, op);
  Index index = {.vec = lanes > 1 ? vec : -1, .lanes = lanes};
  nest_part(&nest, tile, lanes);
  for (int d = 0; d < tile->rank; d++) {
    if (d == axis) continue;
    index.at[d] =
        nest_loop(&nest, 0, tile->shape[d], d == index.vec ? lanes : 1);
  }
  LLVMValueRef first[HOST_MAX_INPUTS];
  int carried[HOST_MAX_INPUTS];
  index.at[axis] = scan_coord(&nest, coord_in_part(&nest, 0), size, reverse);
  if (!scan_first(&nest, op, &index, first)) return false;
  if (size > 1) {
    const Coord at = nest_loop(&nest, 1, size, 1);
    for (int i = 0; i < op->num_results; i++) {
      carried[i] = nest_carry(&nest, first[i]);
    }
    index.at[axis] = scan_coord(&nest, at, size, reverse);
    if (!scan_step(&nest, op, &index, carried)) return false;
  }
  nest_end(&nest);
  return true;
}

// -- In groups ---------------------------------------------------------------

enum { ROWS = 8, TRIPS = 4, MAX_LEVELS = 10 };

// Nested loops go over the groups.
typedef struct {
  int64_t groups; // in one trip
  Coord at;       // the first element of a trip
  int so_far;     // total of earlier trips, as the loop carries it
} Level;

typedef struct {
  Nest nest;
  const Op *op;
  int64_t size; // of the axis
  int axis;
  bool reverse;
  bool across; // a group is one vector along the axis
  bool bits;   // values are combined as kept bits
  int group;   // elements along the axis
  int rows;    // vectors of a group
  Index index;
  int num_levels;
  Level levels[MAX_LEVELS + 1]; // loops, and one level for all groups
} HostScan;

// The neutral element of the region; a scalar if `lanes` is 0.  NULL: there is
// none.
static LLVMValueRef identity(Host *h, const Op *op, int lanes) {
  const Type *element = op_operand(op, 0)->type->element;
  const int bits = type_element_bits(element);
  LLVMTypeRef type = emit_compute_type(h->e, element);
  if (lanes) type = LLVMVectorType(type, (unsigned)lanes);
  switch (op->regions[0]->first->kind) {
  case OP_addi:
  case OP_ori:
  case OP_xori:
  case OP_maxui: return const_int(type, 0);
  case OP_muli: return const_int(type, 1);
  case OP_andi:
  case OP_minui: return const_int(type, -1);
  case OP_maxsi: return const_int(type, INT64_MIN >> (64 - bits));
  case OP_minsi: return const_int(type, INT64_MAX >> (64 - bits));
  case OP_addf: return const_float(type, -0.0);
  case OP_mulf: return const_float(type, 1);
  case OP_maxf:
  case OP_minf: return const_float(type, NAN);
  case OP_maximumf: return const_float(type, -INFINITY);
  case OP_minimumf: return const_float(type, INFINITY);
  default: return NULL;
  }
}

static LLVMValueRef combine(HostScan *s, LLVMValueRef x, LLVMValueRef y) {
  LLVMValueRef out;
  return host_combine(s->nest.h, s->op, &x, &y, &out) ? out : NULL;
}

// Lane i of the result is lane from[i] of x, or of y behind the lanes of x.
static LLVMValueRef pick_lanes(HostScan *s, LLVMValueRef x, LLVMValueRef y,
                               const int *from) {
  Host *h = s->nest.h;
  LLVMValueRef lanes[64];
  assert(s->across && s->group <= 64 && s->rows == 1); // I9
  for (int i = 0; i < s->group; i++) {
    lanes[i] = const_int(int_type(h->e, 32), from[i]);
  }
  return LLVMBuildShuffleVector(h->b, x, y,
                                LLVMConstVector(lanes, (unsigned)s->group), "");
}

// Each lane is combined with the one `by` before it, for by = 1, 2, 4, ...
static bool scan_lanes(HostScan *s, LLVMValueRef *x) {
  for (int by = 1; by < s->group; by *= 2) {
    int before[64], chosen[64];
    for (int i = 0; i < s->group; i++) {
      const int at = s->reverse ? i + by : i - by;
      const bool is_there = at >= 0 && at < s->group;
      before[i] = is_there ? at : i;
      chosen[i] = is_there ? i + s->group : i;
    }
    LLVMValueRef sum = combine(s, pick_lanes(s, *x, *x, before), *x);
    if (!sum) return false;
    *x = pick_lanes(s, *x, sum, chosen);
  }
  return true;
}

// Scans rows as a tree, in blocks of doubling size: the last row of a block's
// lower half is combined with each row of its upper half.
static bool scan_rows(HostScan *s, LLVMValueRef *x, int count) {
  for (int half = 1; half < count; half *= 2) {
    for (int i = half; i < count; i++) {
      if (!(i & half)) continue;
      x[i] = combine(s, x[i / half * half - 1], x[i]);
      if (!x[i]) return false;
    }
  }
  return true;
}

// -- Elements ----------------------------------------------------------------

static LLVMValueRef plus(HostScan *s, LLVMValueRef x, int64_t y) {
  return LLVMBuildAdd(s->nest.h->b, x, host_i64(s->nest.h, y), "");
}

// Goes to a row of the group that starts at `at`, in the order of the scan.
static void seek_row(HostScan *s, Coord at, int row) {
  Host *h = s->nest.h;
  Coord *to = &s->index.at[s->axis];
  nest_seek(&s->nest, at.level);
  const int64_t last = s->size - 1 - row - (s->across ? s->group - 1 : 0);
  *to = at;
  to->at = s->reverse ? LLVMBuildSub(h->b, host_i64(h, last), at.at, "")
                      : plus(s, at.at, row);
}

static void write_row(HostScan *s, Coord at, int row, LLVMValueRef x) {
  seek_row(s, at, row);
  nest_seek(&s->nest, s->nest.depth);
  buffer_write(&s->nest, op_result(s->op), &s->index,
               host_combined(s->nest.h, s->op, 0, x));
}

// The last element in the order of the scan.
static LLVMValueRef total_of(HostScan *s, LLVMValueRef const *x) {
  if (!s->across) return x[s->rows - 1];
  return host_lane(s->nest.h, x[0], s->reverse ? 0 : s->group - 1);
}

// Scans the group at `at`, and combines it with the total before it.
static bool scan_group(HostScan *s, Coord at, LLVMValueRef before,
                       LLVMValueRef *total) {
  LLVMValueRef x[ROWS];
  for (int r = 0; r < s->rows; r++) {
    seek_row(s, at, r);
    x[r] = eval_lanes(&s->nest, op_operand(s->op, 0), &s->index, s->bits);
    if (!x[r]) return false;
  }
  nest_seek(&s->nest, s->nest.depth);
  if (!(s->across ? scan_lanes(s, x) : scan_rows(s, x, s->rows))) return false;
  *total = total_of(s, x);
  const int lanes = type_lanes(LLVMTypeOf(x[0]));
  for (int r = 0; r < s->rows; r++) {
    if (before) x[r] = combine(s, splat(s->nest.h->e, before, lanes), x[r]);
    if (!x[r]) return false;
    write_row(s, at, r, x[r]);
  }
  return true;
}

// -- Levels ------------------------------------------------------------------

// Opens a loop over parts of a trip of the enclosing one.
static void open_level(HostScan *s, LLVMValueRef none) {
  const Level *outer = &s->levels[s->num_levels];
  Level *level = &s->levels[++s->num_levels];
  const int64_t trips = outer->groups < TRIPS ? outer->groups : TRIPS;
  assert(s->num_levels <= MAX_LEVELS && outer->groups % trips == 0); // I9
  level->groups = outer->groups / trips;
  const int64_t step = level->groups * s->group;
  level->at = nest_loop(&s->nest, 0, trips * step, step);
  level->so_far = nest_carry(&s->nest, none);
  nest_seek(&s->nest, s->nest.depth);
  level->at.at = LLVMBuildAdd(s->nest.h->b, outer->at.at, level->at.at, "");
}

// The total before this trip of the innermost loop: the loops carry it in
// parts, the smallest part first.
static bool sum_before(HostScan *s, LLVMValueRef *sum) {
  *sum = NULL;
  for (int i = s->num_levels; i > 0; i--) {
    LLVMValueRef more = nest_carried(&s->nest, s->levels[i].so_far);
    *sum = *sum ? combine(s, more, *sum) : more;
    if (!*sum) return false;
  }
  return true;
}

// `*total` is that of the loop's last trip on entry, and that of all its trips
// on return.
static bool close_level(HostScan *s, LLVMValueRef *total) {
  const int so_far = s->levels[s->num_levels--].so_far;
  nest_seek(&s->nest, s->nest.depth);
  *total = combine(s, nest_carried(&s->nest, so_far), *total);
  if (!*total) return false;
  nest_carry_next(&s->nest, so_far, *total);
  nest_close(&s->nest);
  *total = nest_carried(&s->nest, so_far);
  return true;
}

static void begin(HostScan *s, Host *h, const Op *op) {
  const Type *tile = op_operand(op, 0)->type;
  const int vec = inner_dim(tile), lanes = host_combined_lanes(h, op, vec);
  *s = (HostScan){.nest = nest_begin(h, op),
                  .op = op,
                  .axis = (int)op_int(op, ATTR_axis),
                  .reverse = op_int(op, ATTR_reverse) != 0,
                  .bits = host_combines_bits(h, op, 0),
                  .index = {.vec = lanes > 1 ? vec : -1, .lanes = lanes}};
  s->size = tile->shape[s->axis];
  s->across = s->index.vec == s->axis;
  s->rows = s->across ? 1 : s->size < ROWS ? (int)s->size : ROWS;
  s->group = s->across ? lanes : s->rows;
  assert(s->rows <= ROWS && s->size % s->group == 0); // I9
  nest_part(&s->nest, tile, lanes);
  s->levels[0] = (Level){s->size / s->group, coord_in_part(&s->nest, 0), -1};
  for (int d = 0; d < tile->rank; d++) {
    if (d == s->axis) continue;
    const int64_t step = d == s->index.vec ? lanes : 1;
    s->index.at[d] = nest_loop(&s->nest, 0, tile->shape[d], step);
  }
}

static bool scan_in_groups(Host *h, const Op *op) {
  HostScan s;
  LLVMValueRef before, total;
  begin(&s, h, op);
  const bool is_vector = s.index.vec >= 0 && !s.across;
  LLVMValueRef none = identity(h, op, is_vector ? s.index.lanes : 0);
  while (s.levels[s.num_levels].groups > 1) open_level(&s, none);
  const Coord at = s.levels[s.num_levels].at;
  if (!sum_before(&s, &before) || !scan_group(&s, at, before, &total))
    return false;
  while (s.num_levels) {
    if (!close_level(&s, &total)) return false;
  }
  nest_end(&s.nest);
  return true;
}

bool host_emit_scan(Host *h, const Op *op) {
  if (!host_check_inputs(h, op)) return false;
  const bool freely = op_combines_freely(op) && identity(h, op, 0);
  return freely ? scan_in_groups(h, op) : scan_in_sequence(h, op);
}
