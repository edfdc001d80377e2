// convert.c -- conversions between distributed layouts.
//
// `source` is computed bit by bit of the target's word.  A register bit should
// stay in the thread, a thread bit in the same thread, else in the warp, else
// in the block.  Since the maps are linear, the most expensive bit determines
// the kind of conversion.
//
//   from: register = [[1]], lane = [[2], [4], [8], [16], [32]]
//   to:   register = [[2]], lane = [[1], [4], [8], [16], [32]]
//
// The register bit of `to` moves along bit 1 of the element, a lane bit of
// `from`: its elements are in another lane, so the warp shuffles.
#include "ir/layout_convert.h"

#include <assert.h>
#include <string.h>

static bool is_thread_dim(int dim) {
  return dim != LAYOUT_REGISTER && dim != LAYOUT_OFFSET;
}

static bool are_comparable(const Layout *a, const Layout *b) {
  if (a->shared || b->shared || a->rank != b->rank) return false;
  for (int i = 0; i < a->rank; i++) {
    if (a->log2_shape[i] != b->log2_shape[i]) return false;
  }
  for (int dim = 0; dim < LAYOUT_NUM_DIMS; dim++) {
    if (is_thread_dim(dim) && a->num_bits[dim] != b->num_bits[dim]) {
      return false;
    }
  }
  return true;
}

// The word of `from` for bit `bit` of `to`'s word, and the cost of reading it.
static ConvertKind find_source(const Layout *from, const Layout *to, int bit,
                               uint32_t *word) {
  const int to_registers = to->num_bits[LAYOUT_REGISTER];
  const int from_registers = from->num_bits[LAYOUT_REGISTER];
  const uint32_t wanted = to->map.column[bit];
  const uint32_t thread =
      bit < to_registers ? 0
                         : UINT32_C(1) << (bit - to_registers + from_registers);
  const uint32_t elsewhere = wanted ^ layout_apply(from, thread);
  uint32_t allowed = 0;
  for (int dim = 0; dim < LAYOUT_OFFSET; dim++) {
    allowed |= layout_dim_mask(from, (LayoutDim)dim);
    if (!linear_solve(&from->map, allowed, elsewhere, word)) continue;
    *word ^= thread;
    return (ConvertKind)(CONVERT_REGISTERS + dim);
  }
  return CONVERT_IMPOSSIBLE;
}

static ConvertKind find_sources(const Layout *from, const Layout *to,
                                LinearMap *source) {
  ConvertKind kind = CONVERT_REGISTERS;
  *source = (LinearMap){.num_in = to->map.num_in, .num_out = from->map.num_in};
  for (int i = 0; i < to->map.num_in; i++) {
    const ConvertKind k = find_source(from, to, i, &source->column[i]);
    if (k > kind) kind = k;
  }
  const LinearMap same = linear_identity(to->map.num_in);
  if (kind == CONVERT_REGISTERS && linear_equal(source, &same)) {
    kind = CONVERT_NOTHING;
  }
  return kind;
}

// -- The three steps ---------------------------------------------------------
//
// Let S be `source`, r the wanted register and l the lane.  In round j a thread
// receives its register r = j ^ T(l).  Its sender is then lane
// M(l) ^ S_lr(j) with M = S_ll ^ S_lr T, and must send register
// N(l) ^ S_rr(j) with N = S_rl ^ S_rr T.  A sender knows its own lane only, so
// N has to be a function of M: T is chosen such that M(l) = 0 implies N(l) = 0.
// If no T does that, since more values leave one lane than a lane wants, rounds
// are added whose values are thrown away.

typedef struct {
  int num_registers, num_rounds; // log2: of `to`; rounds so far
  int num_lanes, num_sent;       // log2: lanes; registers of `from`
  LinearMap low;                 // S on (round, lane), to (register, lane)
  LinearMap t;                   // T, on vectors of `basis`
  LinearMap basis;               // lanes, one for each column
  Subspace lanes;                // space spanned by `basis`
  Subspace images;               // its image under M
} Shuffle;

static uint32_t lane_part(const Shuffle *s, uint32_t word) {
  return word >> s->num_sent & ((UINT32_C(1) << s->num_lanes) - 1);
}

static uint32_t apply_low(const Shuffle *s, uint32_t round, uint32_t lane) {
  return linear_apply(&s->low, round) ^
         linear_apply(&s->low, lane << s->num_registers);
}

static void define_t(Shuffle *s, uint32_t lane, uint32_t round) {
  s->basis.column[s->basis.num_in++] = lane;
  s->t.column[s->t.num_in++] = round;
}

// Lanes that need the elements that lane 0 gets in another round: no new sender
// is needed.
static void place_copies(Shuffle *s) {
  uint32_t kernel[LINEAR_MAX];
  const int count = linear_kernel(&s->low, kernel);
  for (int i = 0; i < count; i++) {
    const uint32_t lane = kernel[i] >> s->num_registers;
    const uint32_t round = kernel[i] & ((UINT32_C(1) << s->num_registers) - 1);
    if (subspace_add(&s->lanes, lane)) define_t(s, lane, round);
  }
}

// A round whose sender is not among the senders so far; 0 if there is none.
static uint32_t find_new_sender(const Shuffle *s) {
  for (int i = 0; i < s->num_registers; i++) {
    const uint32_t sender = lane_part(s, s->low.column[i]);
    if (!subspace_has(&s->images, sender)) return UINT32_C(1) << i;
  }
  return 0;
}

// `lane` in round 0 and lane 0 in round `round` have the same sender.
static void place_rival(Shuffle *s, LinearMap *rounds, uint32_t lane,
                        uint32_t round) {
  const uint32_t sender = lane_part(s, apply_low(s, 0, lane));
  if (subspace_add(&s->images, sender)) {
    define_t(s, lane, 0);
    return;
  }
  const uint32_t fresh = find_new_sender(s);
  if (fresh) {
    subspace_add(&s->images, lane_part(s, apply_low(s, fresh, 0)));
    define_t(s, lane, round ^ fresh);
    return;
  }
  rounds->column[rounds->num_in++] = apply_low(s, 0, lane);
  define_t(s, lane, UINT32_C(1) << s->num_rounds++);
}

static void place_rivals(Shuffle *s, LinearMap *rounds) {
  LinearMap senders = s->low;
  senders.num_out = s->num_lanes;
  for (int i = 0; i < senders.num_in; i++) {
    senders.column[i] = lane_part(s, senders.column[i]);
  }
  uint32_t kernel[LINEAR_MAX];
  const int count = linear_kernel(&senders, kernel);
  for (int i = 0; i < count; i++) {
    const uint32_t lane = kernel[i] >> s->num_registers;
    const uint32_t round = kernel[i] & ((UINT32_C(1) << s->num_registers) - 1);
    if (subspace_add(&s->lanes, lane)) place_rival(s, rounds, lane, round);
  }
}

static void place_others(Shuffle *s) {
  for (int i = 0; i < s->num_lanes; i++) {
    const uint32_t lane = UINT32_C(1) << i;
    if (subspace_add(&s->lanes, lane)) define_t(s, lane, 0);
  }
}

static LinearMap source_of_lanes_and_registers(const Layout *to,
                                               const LinearMap *source) {
  LinearMap low = *source;
  low.num_in = to->num_bits[LAYOUT_REGISTER] + to->num_bits[LAYOUT_LANE];
  for (int i = low.num_in; i < LINEAR_MAX; i++) low.column[i] = 0;
  return low;
}

// Returns T on lanes; `rounds` becomes S on rounds.
static LinearMap choose_t(const Layout *from, const Layout *to,
                          const LinearMap *source, LinearMap *rounds) {
  Shuffle s = {.num_registers = to->num_bits[LAYOUT_REGISTER],
               .num_rounds = to->num_bits[LAYOUT_REGISTER],
               .num_lanes = to->num_bits[LAYOUT_LANE],
               .num_sent = from->num_bits[LAYOUT_REGISTER],
               .low = source_of_lanes_and_registers(to, source)};
  *rounds = (LinearMap){.num_in = s.num_registers, .num_out = source->num_out};
  memcpy(rounds->column, source->column,
         (size_t)s.num_registers * sizeof *rounds->column);
  s.basis.num_out = s.num_lanes;
  place_copies(&s);
  place_rivals(&s, rounds);
  place_others(&s);
  assert(s.basis.num_in == s.num_lanes && s.t.num_in == s.num_lanes &&
         "the basis does not span the lanes"); // I7
  s.t.num_out = s.num_rounds;
  const LinearMap from_basis = linear_inverse(&s.basis);
  return linear_compose(&s.t, &from_basis);
}

static LinearMap keep_bits(LinearMap map, int first, int count) {
  map.num_out = count;
  for (int i = 0; i < map.num_in; i++) {
    map.column[i] = map.column[i] >> first & ((UINT32_C(1) << count) - 1);
  }
  return map;
}

// S on threads, with every thread's round shifted by T: the words read in round
// 0.
static LinearMap shift_rounds(const Layout *to, const LinearMap *source,
                              const LinearMap *rounds, const LinearMap *after) {
  const int first = to->num_bits[LAYOUT_REGISTER];
  LinearMap read = {.num_in = source->num_in - first,
                    .num_out = source->num_out};
  for (int i = 0; i < read.num_in; i++) {
    read.column[i] =
        source->column[first + i] ^ linear_apply(rounds, after->column[i]);
  }
  return read;
}

// The map from a sender's lane and warp to the bits that are added to its
// register number: so it sends the register that the readers of that lane need.
static LinearMap find_before(const LinearMap *read, int num_sent,
                             int num_lanes) {
  const LinearMap wish = keep_bits(*read, 0, num_sent);
  const LinearMap sender = keep_bits(*read, num_sent, read->num_out - num_sent);
  LinearMap lanes = sender,
            before = {.num_in = read->num_in, .num_out = num_sent};
  lanes.num_in = num_lanes;
  for (int i = num_lanes; i < LINEAR_MAX; i++) lanes.column[i] = 0;
  const LinearMap reader = linear_inverse(&lanes);
  for (int i = 0; i < num_lanes; i++) {
    before.column[i] = linear_apply(&wish, reader.column[i]);
  }
  for (int i = num_lanes; i < read->num_in; i++) {
    const uint32_t lane = sender.column[i] & ((UINT32_C(1) << num_lanes) - 1);
    before.column[i] = wish.column[i] ^ linear_apply(&before, lane);
  }
  return before;
}

static void plan_steps(const Layout *from, const Layout *to,
                       ConvertPlan *plan) {
  const int num_sent = from->num_bits[LAYOUT_REGISTER];
  const int num_lanes = to->num_bits[LAYOUT_LANE];
  const int num_threads = to->map.num_in - to->num_bits[LAYOUT_REGISTER];
  LinearMap rounds;
  plan->after = choose_t(from, to, &plan->source, &rounds);
  plan->after.num_in = num_threads;
  plan->log2_rounds = rounds.num_in;
  assert(plan->log2_rounds >= to->num_bits[LAYOUT_REGISTER] &&
         plan->log2_rounds < LINEAR_MAX && "a register has no round"); // I7
  const LinearMap read = shift_rounds(to, &plan->source, &rounds, &plan->after);
  plan->before = find_before(&read, num_sent, num_lanes);
  const LinearMap round_lane = keep_bits(rounds, num_sent, num_lanes);
  plan->send = keep_bits(rounds, 0, num_sent);
  for (int i = 0; i < rounds.num_in; i++) {
    plan->send.column[i] ^= linear_apply(&plan->before, round_lane.column[i]);
  }
  plan->lane = round_lane;
  for (int i = 0; i < num_threads; i++) {
    plan->lane.column[plan->lane.num_in++] =
        read.column[i] >> num_sent & ((UINT32_C(1) << num_lanes) - 1);
  }
}

ConvertPlan layout_convert(const Layout *from, const Layout *to) {
  ConvertPlan plan = {.kind = CONVERT_IMPOSSIBLE};
  if (!are_comparable(from, to)) return plan;
  plan.kind = find_sources(from, to, &plan.source);
  if (plan.kind <= CONVERT_SHUFFLE) plan_steps(from, to, &plan);
  return plan;
}

static Subspace register_span(const Layout *layout) {
  Subspace span = {0};
  for (int i = 0; i < layout->num_bits[LAYOUT_REGISTER]; i++) {
    subspace_add(&span, layout->map.column[i]);
  }
  return span;
}

bool layout_same_threads(const Layout *a, const Layout *b) {
  if (!are_comparable(a, b)) return false;
  const int a_first = a->num_bits[LAYOUT_REGISTER];
  const int b_first = b->num_bits[LAYOUT_REGISTER];
  const Subspace span = register_span(a), other = register_span(b);
  if (span.rank != other.rank) return false;
  for (int i = 0; i < b_first; i++) {
    if (!subspace_has(&span, b->map.column[i])) return false;
  }
  for (int i = 0; i < a->map.num_in - a_first; i++) {
    const uint32_t moved =
        a->map.column[a_first + i] ^ b->map.column[b_first + i];
    if (!subspace_has(&span, moved)) return false;
  }
  return true;
}
