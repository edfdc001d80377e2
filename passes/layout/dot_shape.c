// dot_shape.c -- the arrangement of a matrix instruction's operands and result
// in lanes.
//
// First, facts about the dot are computed (DOT_FACT in dot_shapes.def).  Then
// the rows DOT_SHAPE of that table are applied in order: a row whose facts
// `where` are all true, and `unless` all false, adds its own facts, the fields
// of DotShape.
#include "passes/layout/dot_shape.h"

#include "passes/layout/operand.h"

#include <assert.h>

typedef enum {
#define DOT_FACT(name, what) name##_BIT,
#include "passes/layout/dot_shapes.def"
  NUM_FACTS
} FactBit;

enum {
#define DOT_FACT(name, what) name = 1u << name##_BIT,
#include "passes/layout/dot_shapes.def"
};

typedef struct {
  unsigned adds, where, unless;
} ShapeRow;

static const ShapeRow rows[] = {
#define DOT_SHAPE(adds, where, unless, why) {adds, where, unless},
#include "passes/layout/dot_shapes.def"
};

// -- Operands that run across ------------------------------------------------

enum { LOG2_ROW_BITS = 7 }; // bits of a row that ldmatrix reads at once

// Does lane 1 hold the next elements along k?
static bool is_along_k(const Layout *layout, int axis) {
  int64_t at[MAX_RANK];
  const int lane = layout_first_bit(layout, LAYOUT_LANE);
  layout_coords(layout, layout->map.column[lane], at);
  return at[axis] != 0;
}

static bool lies_across(const AxisAnalysis *axes, const OperandLoad *x) {
  AxisInfo info;
  const Type *type = op_result(x->load)->type;
  if (type->rank < 2) return false;
  if (!axis_access(axes, x->load, &info)) return false;
  const int bits = type_element_bits(type->element);
  for (int d = 0; d < type->rank; d++) {
    if (info.contiguity[d] * bits >> LOG2_ROW_BITS) {
      return !is_along_k(x->layout, d);
    }
  }
  return false;
}

// The bits of an element before it is widened for the product; else 0.
static int bits_before(Module *m, Op *dot, int index, const Layout *layout) {
  Operand x;
  const int bits = type_element_bits(op_operand(dot, index)->type->element);
  if (bits == 8) return bits;
  if (!operand_trace(&x, m, dot, index, layout)) return 0;
  return type_element_bits(operand_source(&x)->type->element);
}

int dot_bits_across(Module *m, const AxisAnalysis *axes, Op *dot, int index,
                    const Layout *layout) {
  Operand x;
  if (!operand_trace(&x, m, dot, index, layout)) return 0;
  for (size_t i = 0; i < x.loads.count; i++) {
    if (!lies_across(axes, &x.loads.items[i])) continue;
    return type_element_bits(operand_source(&x)->type->element);
  }
  return 0;
}

// -- Facts -------------------------------------------------------------------

// An operand as it was loaded: the bits of elements that become 16 wide, and
// whether memory runs along rows of A or columns of B.
typedef struct {
  int bits;
  bool across;
} Origin;

static Origin origin_of(Module *m, const AxisAnalysis *axes, Op *dot, int index,
                        const Layout *layout) {
  const int across = dot_bits_across(m, axes, dot, index, layout);
  return (Origin){across ? across : bits_before(m, dot, index, layout),
                  across != 0};
}

// Should a lane hold four consecutive k in one register? k may be permuted if A
// and B are permuted alike.  Bytes along k are four in a register anyway.  An
// operand of 16 bits that runs across allows the order, since ldmatrix can read
// any rows of k; one that runs along k is read as four elements, two words of a
// row, in adjacent registers of the instruction's B.
static bool suits_bytes(const Op *dot, const Mma *mma, Origin a, Origin b) {
  const Type *type = op_operand(dot, 0)->type;
  if (elem_info[mma->elem].bits != 16) return false;
  if (type->shape[type->rank - 1] < 2 * mma->k) return false;
  if (a.bits == 8 && b.bits == 8) return true;
  if (a.bits == 8 && !a.across) return b.bits == 16;
  return b.bits == 8 && !b.across && a.bits == 16;
}

static unsigned fact_if(bool holds, unsigned fact) {
  return holds ? fact : 0;
}

static unsigned facts_of_result(const Op *dot, const Mma *mma) {
  const Type *c = op_result(dot)->type, *a = op_operand(dot, 0)->type;
  const int64_t rows_c = c->shape[c->rank - 2], columns = c->shape[c->rank - 1];
  const bool fed = dot_is_fed(dot), feeds = dot_feeds_dot(dot);
  return fact_if(fed, FED) | fact_if(feeds, FEEDS) |
         fact_if(fed || feeds, CHAINED) |
         fact_if(rows_c >= DOT_ROWS, ALL_ROWS) |
         fact_if(rows_c >= mma->n && columns >= DOT_ROWS, HALVES) |
         fact_if(columns >= 2 * mma->n, TWO_COLUMNS) |
         fact_if(a->shape[a->rank - 1] >= mma->k << fed, ROOM_ALONG_K);
}

static unsigned facts_of_origins(const Op *dot, const Mma *mma, Origin a,
                                 Origin b) {
  const int bits = elem_info[mma->elem].bits;
  return fact_if(a.across, A_ACROSS) | fact_if(b.across, B_ACROSS) |
         fact_if(a.bits == 16, A_16) | fact_if(b.bits == 16, B_16) |
         fact_if(a.bits == 8 && b.bits == 8, BOTH_8) |
         fact_if(b.bits == 8, B_8) | fact_if(bits == 16, HALF_WORDS) |
         fact_if(bits == 32 && a.across && a.bits == 32, A_WORDS) |
         fact_if(bits == 32 && b.across && b.bits == 32, B_WORDS) |
         fact_if(suits_bytes(dot, mma, a, b), SUITS_BYTES);
}

// -- The shape ---------------------------------------------------------------

static unsigned apply_rows(unsigned facts) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const ShapeRow *row = &rows[i];
    assert(!(row->where & row->unless)); // I8
    if ((facts & row->where) == row->where && !(facts & row->unless))
      facts |= row->adds;
  }
  return facts;
}

DotShape dot_shape(Module *m, const AxisAnalysis *axes, Op *dot,
                   const Mma *mma) {
  const DotLayouts usual = dot_layouts(dot, mma, (DotShape){0});
  const Origin a = origin_of(m, axes, dot, 0, usual.a);
  const Origin b = origin_of(m, axes, dot, 1, usual.b);
  const unsigned facts =
      apply_rows(facts_of_result(dot, mma) | facts_of_origins(dot, mma, a, b));
  return (DotShape){.log2_beside = (facts & BESIDE) != 0,
                    .wide = (facts & WIDE) != 0,
                    .log2_packed = (facts & PACKED) != 0,
                    .turned = (facts & TURNED) != 0,
                    .rows_first = (facts & ROWS_FIRST) != 0,
                    .columns_first = (facts & COLUMNS_FIRST) != 0,
                    .row_pairs = (facts & ROW_PAIRS) != 0};
}
