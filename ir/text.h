// text.h -- the textual IR: one grammar for every operation.
//
//   #0 = layout<register = [[1]], lane = [...], warp = [], block = [] -> 128>
//   kernel @k(%x: ptr<f32> {divisibility = [16]}, %n: i32) {num_warps = 4} {
//     %0 = program_id {axis = 0} : i32
//     %1 = load %p mask(%m) : tile<128xf32, #0>
//     %2, %3 = for %lo, %hi, %st init(%a, %b) : f32, i32 (%i: i32, %s: f32,
//                                                         %t: i32) { ... }
//     if %c : (types) () { ... } () { ... }
//     return
//   }
//
// Operands of ONE groups stand in order; those of OPT and ANY groups follow as
// name(...) when there are any.  A trailing `loc("file":line:column)` is always
// read and printed on request.  Printing what was parsed gives the same bytes.
#ifndef TILE_IR_TEXT_H
#define TILE_IR_TEXT_H

#include "ir/op.h"

typedef struct {
  bool locations;
} PrintOptions;

// `options` may be NULL.  Changes the numbers of values (Value.id).
void module_print(const Module *m, const PrintOptions *options, Str *out);
void function_print(const Function *f, const PrintOptions *options, Str *out);
void op_print(const Op *op, Str *out); // one line, for messages

// Adds the functions of `source` to the module; false after errors, which have
// locations. The caller should then call module_verify().
bool module_parse(Module *m, const Source *source);

#endif
