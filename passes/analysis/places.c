// places.c -- addresses of global memory that can be proved different.
//
// All numbers are taken modulo 2^32, so that a sum need not fit its type:
// widening and narrowing keep these bits, and elements whose numbers differ in
// them have different addresses.
//
// Example: p + 64 * pid + arange(0, 64) is the scalar pid with factor 64, and
// stride 1 with last position 63; p + 64 * pid + 64 + arange(0, 64) is apart
// from it, as the distances are 1 to 127.
#include "passes/analysis/places.h"

#include <assert.h>

enum {
  BITS = 32,
  MAX_TERMS = 16,
  MAX_STRIDES = 8,
  MAX_MULTIPLES = 2 * MAX_STRIDES + 1, // also of the cluster rank
  MAX_OPS = 64,                        // visited for one place
  MAX_GUESSES = 64,                    // in the search for a common address
};

// A scalar of the kernel, multiplied by `factor`.
typedef struct {
  const Value *value;
  uint32_t factor;
} Term;

struct AddressSum {
  const Type *element;
  const Layout *layout; // NULL: it is a scalar
  uint32_t constant;
  int num_terms;
  Term terms[MAX_TERMS];
  int64_t strides[MAX_STRIDES]; // along the axes of the tile
  int64_t last[MAX_STRIDES];    // last position along each axis, from 0
};

// A term that is still to be expanded: `factor` times `value`, whose axis i is
// the tile's axes[i].
typedef struct {
  const Value *value;
  uint32_t factor;
  int axes[MAX_STRIDES];
} PlacePart;

// The trip of a loop in which carried values are expanded.
typedef struct {
  const Op *loop; // NULL: carried scalars are terms
  bool next;      // the second trip, else the first
} WhichTrip;

// The state of expanding a sum.
typedef struct {
  AddressSum *place;
  int budget;
  WhichTrip trip;
} SumReader;

// -- The sum -----------------------------------------------------------------

static bool add_term(AddressSum *place, const Value *value, uint32_t factor) {
  for (int i = 0; i < place->num_terms; i++) {
    if (place->terms[i].value != value) continue;
    place->terms[i].factor += factor;
    return true;
  }
  if (place->num_terms == MAX_TERMS) return false;
  assert(place->num_terms < MAX_TERMS && "no room for a term"); // I6
  place->terms[place->num_terms++] = (Term){value, factor};
  return true;
}

static bool add_positions(AddressSum *place, const PlacePart *part) {
  const Op *op = part->value->def;
  const int64_t start = op_int(op, ATTR_start);
  const int64_t last = op_int(op, ATTR_end) - start - 1;
  const int axis = part->axes[0];
  place->constant += part->factor * (uint32_t)start;
  if (!last) return true; // one element, which does not move along the axis
  place->strides[axis] =
      (int32_t)((uint32_t)place->strides[axis] + part->factor);
  place->last[axis] = last;
  return true;
}

static bool look_at(SumReader *look, PlacePart part);

static bool look_at_operand(SumReader *look, const PlacePart *part, int operand,
                            uint32_t factor) {
  PlacePart next = *part;
  next.value = op_operand(part->value->def, operand);
  next.factor *= factor;
  return look_at(look, next);
}

static bool look_at_both(SumReader *look, const PlacePart *part,
                         uint32_t second) {
  return look_at_operand(look, part, 0, 1) &&
         look_at_operand(look, part, 1, second);
}

// False unless one of the factors is constant.
static bool look_at_product(SumReader *look, const PlacePart *part) {
  int64_t by;
  const Op *op = part->value->def;
  for (int i = 0; i < 2; i++) {
    if (!value_constant_int(op_operand(op, i), &by)) continue;
    return look_at_operand(look, part, 1 - i, (uint32_t)by);
  }
  return false;
}

static bool look_below_expand(SumReader *look, PlacePart part) {
  const int axis = (int)op_int(part.value->def, ATTR_axis);
  for (int i = axis; i + 1 < MAX_STRIDES; i++) part.axes[i] = part.axes[i + 1];
  return look_at_operand(look, &part, 0, 1);
}

static bool look_below_trans(SumReader *look, const PlacePart *part) {
  const Attr *order = op_attr(part->value->def, ATTR_order);
  PlacePart below = *part;
  for (int i = 0; i < order->as.ints.count; i++) {
    below.axes[order->as.ints.items[i]] = part->axes[i];
  }
  return look_at_operand(look, &below, 0, 1);
}

static bool look_through(SumReader *look, const PlacePart *part) {
  switch (part->value->def->kind) {
  case OP_splat:
  case OP_broadcast:
  case OP_extsi:
  case OP_extui:
  case OP_trunci:
  case OP_hint:
  case OP_convert_layout: return look_at_operand(look, part, 0, 1);
  case OP_expand_dims: return look_below_expand(look, *part);
  case OP_trans: return look_below_trans(look, part);
  case OP_arange: return add_positions(look->place, part);
  case OP_addi:
  case OP_addptr: return look_at_both(look, part, 1);
  case OP_subi: return look_at_both(look, part, -UINT32_C(1));
  case OP_muli: return look_at_product(look, part);
  default: return false;
  }
}

// The value of a region's argument in the first trip; or, if `*next`, in the
// next trip, as a value of the first trip.
static const Value *in_trip(const Op *loop, const Value *value, bool *next) {
  const int slot = value->index - (loop->kind == OP_for);
  if (loop->kind == OP_while && value->block == loop->regions[1])
    return region_yield(loop, 0, slot);
  if (!*next)
    return loop->kind == OP_for ? for_init(loop, slot) : op_operand(loop, slot);
  *next = false;
  return region_yield(loop, loop->kind == OP_while, slot);
}

// Is the value an argument of the loop's region, but no counter?
static bool is_carried(const Op *loop, const Value *value) {
  if (!loop || value->def) return false;
  return value->block->parent == loop &&
         (loop->kind == OP_while || value != for_counter(loop));
}

typedef bool (*PlaceLook)(SumReader *look, PlacePart part);

static bool look_in_trip(SumReader *look, PlacePart part, PlaceLook at) {
  const bool next = look->trip.next;
  part.value = in_trip(look->trip.loop, part.value, &look->trip.next);
  const bool ok = at(look, part);
  look->trip.next = next;
  return ok;
}

// The counter: its value in the first trip is a term.
static bool add_counter(SumReader *look, const PlacePart *part) {
  int64_t step = 0;
  if (look->trip.next &&
      !value_constant_int(op_operand(look->trip.loop, FOR_STEP), &step))
    return false;
  look->place->constant += part->factor * (uint32_t)step;
  return add_term(look->place, part->value, part->factor);
}

static bool is_counter(const Op *loop, const Value *value) {
  return loop && loop->kind == OP_for && value == for_counter(loop);
}

static bool is_wide(const Type *type) {
  return type_is_pointer(type) || type_element_bits(type) >= BITS;
}

// The budget bounds the recursion.  A scalar of unknown form is a term.
static bool look_at(SumReader *look, PlacePart part) {
  const Value *value = part.value;
  int64_t constant;
  if (look->budget-- <= 0 || !is_wide(value->type)) return false;
  if (value_constant_int(value, &constant)) {
    look->place->constant += part.factor * (uint32_t)constant;
    return true;
  }
  const AddressSum before = *look->place;
  if (is_counter(look->trip.loop, value)) return add_counter(look, &part);
  if (is_carried(look->trip.loop, value))
    return look_in_trip(look, part, look_at);
  if (value->def && look_through(look, &part)) return true;
  if (type_is_tile(value->type)) return false;
  *look->place = before;
  return add_term(look->place, value, part.factor);
}

// The offset of a block pointer along the dimension axes[0].
static bool look_at_offset(SumReader *look, PlacePart part) {
  const Op *op = part.value->def;
  const int dim = part.axes[0];
  if (look->budget-- <= 0) return false;
  if (is_carried(look->trip.loop, part.value))
    return look_in_trip(look, part, look_at_offset);
  if (!op || (op->kind != OP_make_block_ptr && op->kind != OP_advance))
    return false;
  PlacePart offset = part;
  const bool moves = op->kind == OP_advance;
  offset.value = op_operand(op, op_group_start(op, moves ? 1 : 3) + dim);
  part.value = op_operand(op, 0);
  return look_at(look, offset) && (!moves || look_at_offset(look, part));
}

static AddressSum *read_place(Arena *arena, const Value *ptr, WhichTrip trip) {
  if (ptr->type->rank > MAX_STRIDES) return NULL;
  AddressSum *place = arena_new(arena, AddressSum);
  place->element = type_element(ptr->type);
  place->layout = ptr->type->layout;
  SumReader look = {.place = place, .budget = MAX_OPS, .trip = trip};
  PlacePart all = {.value = ptr, .factor = 1};
  for (int i = 0; i < MAX_STRIDES; i++) all.axes[i] = i;
  return look_at(&look, all) ? place : NULL;
}

static bool read_offset(const Value *block, int dim, WhichTrip trip,
                        AddressSum *out) {
  *out = (AddressSum){.layout = NULL};
  SumReader look = {.place = out, .budget = MAX_OPS, .trip = trip};
  return look_at_offset(
      &look, (PlacePart){.value = block, .factor = 1, .axes = {dim}});
}

AddressSum *place_of(Arena *arena, const Value *ptr) {
  return read_place(arena, ptr, (WhichTrip){NULL, false});
}

// -- Two places --------------------------------------------------------------

// The multiples of a stride, from first to last.
typedef struct {
  int64_t stride, first, last;
} Multiples;

// The distance from an element of one place to an element of the other: a sum
// of one multiple of each stride, the largest stride first; `rest` is the span
// of the smaller strides.
typedef struct {
  Multiples of[MAX_MULTIPLES];
  int count;
  int64_t least[MAX_MULTIPLES + 1], most[MAX_MULTIPLES + 1];
  int budget;
} Distance;

static void add_multiples(Distance *d, int64_t stride, int64_t last) {
  if (!stride || !last) return;
  const int64_t size = stride < 0 ? -stride : stride;
  const int64_t end = stride < 0 ? -last : last;
  int i = 0;
  while (i < d->count && d->of[i].stride > size) i++;
  if (i == d->count || d->of[i].stride != size) {
    for (int k = d->count++; k > i; k--) d->of[k] = d->of[k - 1];
    d->of[i] = (Multiples){.stride = size};
  }
  assert(d->count <= MAX_MULTIPLES && (!i || d->of[i - 1].stride > size)); // I6
  if (end < 0) d->of[i].first += end;
  if (end > 0) d->of[i].last += end;
}

static void find_spans(Distance *d) {
  d->least[d->count] = d->most[d->count] = 0;
  for (int i = d->count - 1; i >= 0; i--) {
    const Multiples *m = &d->of[i];
    d->least[i] = d->least[i + 1] + m->stride * m->first;
    d->most[i] = d->most[i + 1] + m->stride * m->last;
  }
}

static int64_t floor_of(int64_t x, int64_t y) {
  return x / y - (x % y < 0);
}

// Can multiples of strides from the i-th on sum up to `rest`?
static bool can_be(Distance *d, int i, int64_t rest) {
  assert(i <= d->count && d->least[i] <= d->most[i]); // I6
  if (rest < d->least[i] || rest > d->most[i]) return false;
  if (i == d->count || d->budget-- <= 0) return true;
  const Multiples *m = &d->of[i];
  int64_t from = -floor_of(d->most[i + 1] - rest, m->stride);
  int64_t to = floor_of(rest - d->least[i + 1], m->stride);
  if (from < m->first) from = m->first;
  if (to > m->last) to = m->last;
  for (int64_t k = from; k <= to; k++) {
    if (can_be(d, i + 1, rest - k * m->stride)) return true;
  }
  return false;
}

// Subtracts the scalars of `b` from those of `a`.  False if there are too many.
static bool take_off(AddressSum *a, const AddressSum *b) {
  for (int i = 0; i < b->num_terms; i++) {
    const Term *term = &b->terms[i];
    if (!add_term(a, term->value, -term->factor)) return false;
  }
  return true;
}

// Have `a` and `b` the same scalars with the same factors?
static bool same_terms(const AddressSum *a, const AddressSum *b) {
  AddressSum rest = *a;
  if (!take_off(&rest, b)) return false;
  for (int i = 0; i < rest.num_terms; i++) {
    if (rest.terms[i].factor) return false;
  }
  return true;
}

// Adds the scalars of `a` minus those of `b`.  False unless their values are
// bounded, as the number of a block in its cluster is.
static bool add_scalars(Distance *d, const AddressSum *a, const AddressSum *b) {
  AddressSum rest = *a;
  bool has_rank = false;
  if (!take_off(&rest, b)) return false;
  for (int i = 0; i < rest.num_terms; i++) {
    const Term *term = &rest.terms[i];
    if (!term->factor) continue;
    const Op *rank = value_def(term->value, OP_cluster_rank);
    if (!rank || has_rank) return false;
    add_multiples(d, (int32_t)term->factor,
                  function_cluster(op_function(rank)) - 1);
    has_rank = true;
  }
  return true;
}

bool places_apart(const AddressSum *a, const AddressSum *b) {
  Distance d = {.budget = MAX_GUESSES};
  if (!a || !b || a->element != b->element || !add_scalars(&d, a, b))
    return false;
  for (int i = 0; i < MAX_STRIDES; i++) {
    add_multiples(&d, a->strides[i], a->last[i]);
    add_multiples(&d, -b->strides[i], b->last[i]);
  }
  find_spans(&d);
  const int64_t from_a = (int32_t)(b->constant - a->constant);
  const int64_t limit = INT64_C(1) << (BITS - 1);
  if (d.least[0] <= -limit || d.most[0] >= limit) return false;
  return !can_be(&d, 0, from_a);
}

// Is the difference a known constant?
static bool find_distance(const AddressSum *a, const AddressSum *b,
                          int64_t *far) {
  if (!a || !b || !same_terms(a, b)) return false;
  for (int i = 0; i < MAX_STRIDES; i++)
    if (a->strides[i] != b->strides[i] || a->last[i] != b->last[i])
      return false;
  *far = (int32_t)(b->constant - a->constant);
  return true;
}

bool place_meets_next(Arena *arena, const Value *ptr, const Op *loop) {
  const AddressSum *first = read_place(arena, ptr, (WhichTrip){loop, false});
  const AddressSum *next = read_place(arena, ptr, (WhichTrip){loop, true});
  int64_t far;
  return find_distance(first, next, &far) && far && !places_apart(first, next);
}

bool place_step(Arena *arena, const Value *scalar, const Op *loop,
                int64_t *step) {
  return find_distance(read_place(arena, scalar, (WhichTrip){loop, false}),
                       read_place(arena, scalar, (WhichTrip){loop, true}),
                       step);
}

bool block_step(const Value *block, int dim, const Op *loop, int64_t *step) {
  AddressSum first, next;
  return read_offset(block, dim, (WhichTrip){loop, false}, &first) &&
         read_offset(block, dim, (WhichTrip){loop, true}, &next) &&
         find_distance(&first, &next, step);
}

// -- Owners of addresses -----------------------------------------------------

// A bit of positions: the distance by which it moves the address, and the bits
// of the thread's number that it depends on.
typedef struct {
  int64_t far;
  uint32_t thread;
} PositionStep;

// The steps, in increasing order of `far`.
typedef struct {
  PositionStep of[LAYOUT_MAX_BITS];
  int count;
} PositionSteps;

static void add_step(PositionSteps *steps, PositionStep step) {
  assert(steps->count < LAYOUT_MAX_BITS && "no room for a step"); // I6
  int i = steps->count++;
  for (; i > 0 && steps->of[i - 1].far > step.far; i--) {
    steps->of[i] = steps->of[i - 1];
  }
  steps->of[i] = step;
}

// The steps of the place's positions; false unless each element belongs to one
// thread.
static bool find_steps(const AddressSum *place, PositionSteps *out) {
  const Layout *layout = place->layout;
  if (!layout) return false;
  const int registers = layout->num_bits[LAYOUT_REGISTER];
  if (layout_free_bits(layout) >> registers) return false;
  const LinearMap word = linear_inverse(&layout->map);
  int bit = 0;
  for (int axis = layout->rank - 1; axis >= 0; axis--) {
    const int64_t stride = place->strides[axis];
    if (layout->log2_shape[axis] && stride <= 0) return false;
    for (int i = 0; i < layout->log2_shape[axis]; i++, bit++) {
      add_step(out, (PositionStep){stride << i, word.column[bit] >> registers});
    }
  }
  return true;
}

// If each step is longer than the sum of all shorter ones, an address is a sum
// of steps in only one way, the same for both places.  It belongs to one thread
// if each step depends on the same thread bits in both.
static bool is_one_thread(const PositionSteps *a, const PositionSteps *b) {
  int64_t sum = 0;
  for (int i = 0, k = 0; i < a->count || k < b->count;) {
    const PositionStep *x = i < a->count ? &a->of[i] : NULL;
    const PositionStep *y = k < b->count ? &b->of[k] : NULL;
    const int64_t far = !y || (x && x->far < y->far) ? x->far : y->far;
    if (far <= sum) return false;
    sum += far;
    const bool of_a = x && x->far == far, of_b = y && y->far == far;
    if (of_a && of_b && x->thread != y->thread) return false;
    i += of_a;
    k += of_b;
  }
  return sum < INT64_C(1) << (BITS - 1);
}

bool places_by_one_thread(const AddressSum *a, const AddressSum *b) {
  PositionSteps of_a = {.count = 0}, of_b = {.count = 0};
  return a && b && a->element == b->element && a->constant == b->constant &&
         same_terms(a, b) && find_steps(a, &of_a) && find_steps(b, &of_b) &&
         is_one_thread(&of_a, &of_b);
}
