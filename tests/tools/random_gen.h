// random_gen.h -- shared by the files of the generator of random kernels.
//
// Values in scope are kept, and used again as operands.  gen_value() makes a
// value from those in scope; statements add effects, regions and the larger
// ops.
#ifndef TILE_TESTS_RANDOM_GEN_H
#define TILE_TESTS_RANDOM_GEN_H

#include "random_ir.h"

#include "ir/builder.h"

typedef enum {
  SHAPE_SCALAR,
  SHAPE_ROW,    // [rows]
  SHAPE_COLUMN, // [columns]
  SHAPE_BOX,    // [rows, columns]
  SHAPE_TURNED, // [columns, rows]
  SHAPE_FLAT,   // [rows * columns]
  SHAPE_COUNT
} Shape;

typedef struct {
  Builder b;
  Random random;
  bool exact;
  bool once;                // each output is written at most once
  bool written[ELEM_COUNT]; // the outputs that have been written
  int64_t rows, columns;
  Vec(Value *) scope;
  int fuel;                                        // statements left
  int depth;                                       // of regions
  Value *inputs[ELEM_COUNT], *outputs[ELEM_COUNT]; // pointers, of this program
} Gen;

const Type *gen_type(Gen *g, Shape shape, Elem elem);
Shape gen_shape(Gen *g);
Elem gen_elem(Gen *g); // with arithmetic, or i1
Value *gen_keep(Gen *g, Value *value);
// A value of that shape and type: one in scope, or a new one.
Value *gen_value(Gen *g, Shape shape, Elem elem, int depth);
Value *gen_int(Gen *g, Shape shape, Elem elem, int64_t value);
Value *gen_cast(Gen *g, Value *value, Elem to);
// 0, 1, 2, … in row-major order, as i32; for a scalar any number below the size
// of a slice.
Value *gen_linear(Gen *g, Shape shape);
Value *gen_reduce(Gen *g, Value *value, int axis);
void gen_statements(Gen *g, int count);
// gen_load_input(): loads consecutive inputs; gen_store_output(): stores a
// value.
void gen_load_input(Gen *g, Shape shape, Elem elem);
void gen_store_output(Gen *g, Value *value, Shape shape);
// Statements that move elements: random_moves.c.
void gen_add_gather(Gen *g);
void gen_add_minmax(Gen *g);
void gen_add_histogram(Gen *g);
void gen_add_join(Gen *g);
void gen_add_cat(Gen *g);
void gen_add_hint(Gen *g);
bool gen_chance(Gen *g, int percent);

#endif
