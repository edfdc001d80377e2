// test_argument_places.c -- an error about an argument is at that argument.
//
// A @ marks the place of the message; there is one message.
#include "tests/unit/frontend/specialize_kit.h"

#include <stdio.h>

static const char before[] =
    "@jit\n"
    "def k(p: *fp32, o: *i32, n: i32, C: tl.constexpr = 4):\n"
    "    d = tl.make_tensor_descriptor(p, [64, 64], [64, 1], [16, 16])\n"
    "    t = tl.zeros((16, 16), tl.float32)\n"
    "    h = tl.zeros((16, 16), tl.float16)\n"
    "    i = tl.arange(0, 16)\n"
    "    b = i < 8\n"
    "    pair = (1, n)\n"
    "    ";

static const struct {
  const char *line, *message;
} rows[] = {
    {"d.store([0, 0], @tl.zeros((16, 8), tl.float32))",
     "tile of fp32 [16, 8] does not fit into descriptor of fp32 [16, 16]"},
    {"d.store([0, 0], @1.0)",
     "fp32 does not fit into descriptor of fp32 [16, 16]"},
    {"d.store(@[0], t)", "'offsets' of 'tensor_descriptor.store' is a number "
                         "for each dimension of the block, 2 in all; found 1"},
    {"d.store([0, @1.5], t)",
     "an integer is wanted for dimension 1, found fp32"},
    {"d.load(@[0, 0, 0])",
     "'offsets' of 'tensor_descriptor.load' is a number for each dimension of "
     "the block, 2 in all; found 3"},
    {"d.load(@0)", "'offsets' of 'tensor_descriptor.load' is a number for each "
                   "dimension of the block, 2 in all; found 1"},
    {"tl.make_tensor_descriptor(@n, [64, 64], [64, 1], [16, 16])",
     "'make_tensor_descriptor' wants a pointer, found int32"},
    {"tl.make_tensor_descriptor(p, @[64], [64, 1], [16, 16])",
     "'shape' of 'make_tensor_descriptor' is a number for each dimension of "
     "the block, 2 in all; found 1"},
    {"tl.make_tensor_descriptor(p, [64, 64], [64, @2], [16, 16])",
     "the last stride of a descriptor must be the constant 1, found constant "
     "2"},
    {"tl.make_tensor_descriptor(p, [64, 64], [64, 1], [16, @3])",
     "sizes of a tile are powers of two; dimension 1 of [16, 3] is not"},
    {"tl.load(@n)", "'load' wants a pointer, found int32"},
    {"tl.load(p + i, mask=@t)",
     "a mask must be of int1, found tile of fp32 [16, 16]"},
    {"tl.load(p + i, mask=b, other=@t)",
     "'other' of 'load' is tile of fp32 [16, 16], which does not broadcast to "
     "the pointers, tile of pointers to fp32 [16]"},
    {"tl.load(p + i, @3, 0.0)", "a mask must be of int1, found int32"},
    {"tl.store(p + i, @t)",
     "'value' of 'store' is tile of fp32 [16, 16], which does not broadcast to "
     "the pointers, tile of pointers to fp32 [16]"},
    {"tl.store(@i, 1)", "'store' wants a pointer, found tile of int32 [16]"},
    {"tl.store(p + i, 1.0, mask=@t)",
     "a mask must be of int1, found tile of fp32 [16, 16]"},
    {"tl.atomic_add(@n, 1)", "'atomic_add' wants a pointer, found int32"},
    {"tl.atomic_add(o, 1, sem=@'none')",
     "'sem' of 'atomic_add' wants one of 'acq_rel', 'relaxed', 'acquire', "
     "'release', found string 'none'"},
    {"tl.atomic_add(o, 1, scope=@'all')",
     "'scope' of 'atomic_add' wants one of 'gpu', 'cta', 'sys', found string "
     "'all'"},
    {"tl.atomic_cas(o, 1, @t)",
     "the pointer of 'atomic_cas' is a scalar, so this must be one, too; found "
     "tile of fp32 [16, 16]"},
    {"tl.sum(t, @2)", "tile of fp32 [16, 16] has no dimension 2"},
    {"tl.sum(t, @-3)", "tile of fp32 [16, 16] has no dimension -3"},
    {"tl.sum(@'t', 0)",
     "'input' of 'sum' wants a run-time value, found string 't'"},
    {"tl.max(t, @5)", "tile of fp32 [16, 16] has no dimension 5"},
    {"tl.argmax(t, @7)", "tile of fp32 [16, 16] has no dimension 7"},
    {"tl.reduce(t, @9, max)", "tile of fp32 [16, 16] has no dimension 9"},
    {"tl.cumsum(t, @2)", "tile of fp32 [16, 16] has no dimension 2"},
    {"tl.sort(@n)", "'sort' wants a tile of numbers, found int32"},
    {"tl.softmax(t, @4)", "tile of fp32 [16, 16] has no dimension 4"},
    {"tl.dot(@n, t)", "'dot' multiplies int8 and floats, found int32"},
    {"tl.dot(t, @i)",
     "'dot' multiplies int8 and floats, found tile of int32 [16]"},
    {"tl.dot(t, t, @i)", "the accumulator of this 'dot' is a tile of fp32 [16, "
                         "16], found tile of int32 [16]"},
    {"tl.dot(t, t, input_precision=@'none')",
     "'input_precision' of 'dot' wants one of 'tf32', 'ieee', 'tf32x3', "
     "'bf16x3', 'bf16x6', found string 'none'"},
    {"tl.dot(t, t, max_num_imprecise_acc=@'x')",
     "'max_num_imprecise_acc' of 'dot' wants a constant integer, found string "
     "'x'"},
    {"tl.zeros((16,), @3)",
     "'dtype' of 'zeros' wants a type, found constant 3"},
    {"tl.full((16,), @t, tl.float32)",
     "one value is wanted here, found tile of fp32 [16, 16]"},
    {"tl.reshape(t, @(8, 8))", "tile of fp32 [16, 16] cannot take the shape "
                               "[8, 8]: it has 256 elements, not 64"},
    {"tl.expand_dims(t, @5)",
     "there is no dimension 5; there are 3, counted from 0"},
    {"tl.permute(t, @(0,))", "[0] is not a permutation of the dimensions of "
                             "tile of fp32 [16, 16], 0 to 1"},
    {"tl.split(@t)",
     "'split' wants a last dimension of 2, found tile of fp32 [16, 16]"},
    {"tl.gather(t, t.to(tl.int32), @2)",
     "there is no dimension 2; there are 2, counted from 0"},
    {"tl.histogram(@t, 8)", "'histogram' wants integers in one dimension, "
                            "found tile of fp32 [16, 16]"},
    {"tl.histogram(i, @3)",
     "'histogram' wants a power of two as the number of bins, found 3"},
    {"tl.program_id(@3)", "a grid has axes 0, 1 and 2, found 3"},
    {"tl.num_programs(@-1)", "a grid has axes 0, 1 and 2, found -1"},
    {"tl.cdiv(n, @1.5)", "'cdiv' wants integers, found constant 1.5"},
    {"tl.sqrt(@n)",
     "'sqrt' wants fp32 or fp64, found int32; convert it with .to(tl.float32)"},
    {"tl.exp(@i)", "'exp' wants fp32 or fp64, found tile of int32 [16]; "
                   "convert it with .to(tl.float32)"},
    {"tl.rand(1, @1.5)", "'rand' wants integers, found fp32"},
    {"t.to(@3)", "'dtype' of 'to' wants a type, found constant 3"},
    {"tl.static_assert(@n)", "'static_assert' wants a constant, found int32; "
                             "'tl.device_assert' checks run-time values"},
    {"pair[@2]", "index 2 is out of range: the length of the tuple is 2"},
    {"pair[@n]", "the index of a tuple is a constant integer, found int32"},
    {"t[@0]", "a tile is indexed with ':' and None only, found constant 0; "
              "'tl.gather' picks elements"},
    {"len(@n)", "int32 has no length"},
    {"range(0, @1.5)",
     "'stop' of 'range' wants a constant integer, found constant 1.5"},
    {"@next(5)", "'next' is a function of Python's; host code is not run here"},
    {"abs(@'x')", "'x' of 'abs' wants a run-time value, found string 'x'"},
    {"@n()", "int32 cannot be called"},
    {"tl.full((16,), @tl.zeros((2,), tl.float32), tl.float32)",
     "one value is wanted here, found tile of fp32 [2]"},
    {"@tl.dot(t, h)", "'dot' wants operands of one type, found fp32 against "
                      "fp16: tile of fp32 [16, 16] and tile of fp16 [16, 16]"},
    {"@tl.arange(4, 2)",
     "'arange' wants an end above the start, found 4 and 2"},
    {"@tl.broadcast_to(t, (16, 8))",
     "tile of fp32 [16, 16] does not broadcast to the shape [16, 8]"},
    {"@tl.trans(i)", "'trans' wants two dimensions, found tile of int32 [16]"},
    {"@tl.join(t, i)", "'join' wants two operands of one type, found tile of "
                       "fp32 [16, 16] and tile of int32 [16]"},
    {"@tl.cat(t, i)", "'cat' wants two tiles of one type and shape, found tile "
                      "of fp32 [16, 16] and tile of int32 [16]"},
    {"@tl.gather(t, i, 0)",
     "'gather' along dimension 0 cannot pick from tile of fp32 [16, 16] with "
     "tile of int32 [16]: all other dimensions are alike"},
    {"@h.to(tl.int32, bitcast=True)",
     "a bitcast keeps the width: fp16 has 16 bits, int32 has 32"},
    {"tl.reshape(t, (@3, 3))",
     "sizes of a tile are powers of two; dimension 0 of [3, 3] is not"},
    {"tl.permute(t, (0, @0))", "[0, 0] is not a permutation of the dimensions "
                               "of tile of fp32 [16, 16], 0 to 1"},
    {"x = tl.advance(@t, (0, 0))",
     "'advance' wants a block pointer, found tile of fp32 [16, 16]"},
    {"@p[n] = 1.0",
     "memory is not assigned but stored to: 'tl.store(p + n, ...)'"},
    {"x = '%d' @% n", "'%' shows constants only, found int32; "
                      "'tl.device_print' prints run-time values"},
    {"@min(n, t, 'x')",
     "'min' cannot combine tile of fp32 [16, 16] and string 'x'"},
    {"tl.sort(t, @2)", "tile of fp32 [16, 16] has no dimension 2"},
    {"tl.sort(t, @-3)", "tile of fp32 [16, 16] has no dimension -3"},
    {"tl.topk(t, 4, @0)",
     "'topk' works along the last dimension only, here 1; found 0"},
    {"tl.flip(t, @2)", "tile of fp32 [16, 16] has no dimension 2"},
    {"tl.flip(t, @-3)", "tile of fp32 [16, 16] has no dimension -3"},
    {"tl.cumprod(t, @3)", "tile of fp32 [16, 16] has no dimension 3"},
    {"tl.associative_scan(t, @4, max)",
     "tile of fp32 [16, 16] has no dimension 4"},
    {"tl.min(t, @6)", "tile of fp32 [16, 16] has no dimension 6"},
    {"tl.argmin(t, @-4)", "tile of fp32 [16, 16] has no dimension -4"},
    {"tl.xor_sum(t.to(tl.int32), @3)",
     "tile of int32 [16, 16] has no dimension 3"},
    {"tl.squeeze(t, @4)",
     "there is no dimension 4; there are 2, counted from 0"},
    {"tl.unsqueeze(t, @4)",
     "there is no dimension 4; there are 3, counted from 0"},
    {"tl.cat(t, t, dim=@3)",
     "there is no dimension 3; there are 2, counted from 0"},
    {"tl.dtype(@'fp99')",
     "'name' of 'dtype' wants a type, found string 'fp99'"},
    {"tl.dtype(@3)", "'name' of 'dtype' wants a type, found constant 3"},
    {"tl.pointer_type(@3)",
     "'element_ty' of 'pointer_type' wants a type, found constant 3"},
    {"d.load([0, @n.to(tl.int64)])",
     "'offsets' of 'tensor_descriptor.load' are of 32 bits, "
     "found int64; convert it with .to(tl.int32)"},
    {"d.load([@n.to(tl.int64), 0])",
     "'offsets' of 'tensor_descriptor.load' are of 32 bits, "
     "found int64; convert it with .to(tl.int32)"},
    {"tl.load(p + i, cache_modifier=@'.xx')",
     "'cache_modifier' of 'load' wants one of '.ca', '.cg', '.cs', '.cv', '', "
     "found string '.xx'"},
    {"tl.load(p + i, eviction_policy=@'none')",
     "'eviction_policy' of 'load' wants one of 'evict_first', 'evict_last', "
     "'', found string 'none'"},
    {"tl.store(p + i, 1.0, cache_modifier=@'.xx')",
     "'cache_modifier' of 'store' wants one of '.wb', '.cg', '.cs', '.wt', '', "
     "found string '.xx'"},
    {"tl.fma(t, t, @'x')",
     "'z' of 'fma' wants a run-time value, found string 'x'"},
    {"tl.device_print(@3)",
     "'prefix' of 'device_print' wants a string, found constant 3"},
    {"tl.multiple_of(i, @'x')", "'values' of 'multiple_of' is made of constant "
                                "integers, found string 'x'"},
    {"tl.max_contiguous(i, @3.5)", "'values' of 'max_contiguous' is made of "
                                   "constant integers, found constant 3.5"},
    {"tl.atomic_max(o, @t)", "the pointer of 'atomic_max' is a scalar, so this "
                             "must be one, too; found tile of fp32 [16, 16]"},
    {"tl.atomic_cas(@n, 1, 2)", "'atomic_cas' wants a pointer, found int32"},
    {"tl.atomic_xchg(@i, 1)",
     "'atomic_xchg' wants a pointer, found tile of int32 [16]"},
    {"tl.dot_scaled(@i, None, 'e2m1', t, None, 'e2m1')",
     "'lhs' of 'dot_scaled' wants a tile of 2 or 3 dimensions, found tile of "
     "int32 [16]"},
    {"tl.inline_asm_elementwise(@3, '=r,r', [n], tl.int32, True, 1)",
     "'asm' of 'inline_asm_elementwise' wants a string, found constant 3"},
    {"tl.swizzle2d(0, 0, 4, 4, @'x')",
     "'size_g' of 'swizzle2d' wants a number or a tile, found string 'x'"},
    {"tl.randint(@1.5, i)", "'randint' wants integers, found fp32"},
    {"n.to(tl.float32, fp_downcast_rounding=@'up')",
     "'fp_downcast_rounding' of 'to' wants one of 'rtne', 'rtz', found string "
     "'up'"},
    {"t.reshape(@(8, 8))", "tile of fp32 [16, 16] cannot take the shape [8, "
                           "8]: it has 256 elements, not 64"},
    {"t.trans(0, @0)", "[0, 0] is not a permutation of the dimensions of tile "
                       "of fp32 [16, 16], 0 to 1"},
    {"tl.program_id(@-1)", "a grid has axes 0, 1 and 2, found -1"},
    {"tl.zeros_like(@'x')",
     "'input' of 'zeros_like' wants a run-time value, found string 'x'"},
    {"tl.debug_barrier(@3)",
     "too many arguments for 'debug_barrier': it takes 0"},
    {"tl.assume(@t)", "one value is wanted here, found tile of fp32 [16, 16]"},
};

static void errors_are_at_their_argument(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[1024], expected[512];
    const char *line = rows[i].line, *at = strchr(line, '@');
    assert_non_null(at);
    snprintf(text, sizeof text, "%s%.*s%s\n", before, (int)(at - line), line,
             at + 1);
    snprintf(expected, sizeof expected, "9:%d: error: %s\n",
             (int)(at - line) + 5, rows[i].message);
    kit_check_refused(text, "k", expected);
  }
}

// A tile of one element is one value.
static void a_tile_of_one_element_is_a_value(void **state) {
  (void)state;
  Kit *kit = kit_specialize(
      "@jit\n"
      "def k(o: *i32, n: i32):\n"
      "    one = tl.full((1, 1), n, tl.int32)\n"
      "    tl.store(o + tl.arange(0, 4), tl.full((4,), one, tl.int32))\n",
      NULL);
  int32_t out[4] = {0};
  if (!kit_interpret(kit, out, sizeof out, (const int64_t[]){-7}))
    fail_msg("%s", kit_messages(kit));
  for (int i = 0; i < 4; i++) assert_int_equal(out[i], -7);
  kit_free(kit);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_are_at_their_argument),
      cmocka_unit_test(a_tile_of_one_element_is_a_value),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
