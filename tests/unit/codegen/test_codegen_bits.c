// test_codegen_bits.c -- a copy keeps every bit on the host, also of signalling
// NaNs: all encodings of the narrow floats, through all ops that only move
// them.
#include "host_tiles.h"

enum { TILE = 512, COUNT = 1 << 16 };

static const Elem narrow[] = {ELEM_f8e5, ELEM_f8e4nv, ELEM_f16, ELEM_bf16};

// F is the type, I the integer of its size.  A program copies tiles of 16 x 32
// at %xb, and at %zb in another order, to %yb; its results go to %wb.
#define PARAMS   "%x: ptr<F>, %z: ptr<F>, %y: ptr<F>, %w: ptr<F>"
#define AT(name) "  %" name "b = addptr %" name ", %at : ptr<F>\n"
#define START                                                                  \
  "  %pid = program_id {axis = 0} : i32\n"                                     \
  "  %0 = constant {value = 0} : i32\n"                                        \
  "  %1 = constant {value = 1} : i32\n"                                        \
  "  %3 = constant {value = 3} : i32\n"                                        \
  "  %size = constant {value = 512} : i32\n"                                   \
  "  %at = muli %pid, %size : i32\n"                                           \
  "  %n = andi %pid, %3 : i32\n"                                               \
  "  %some = cmpi %n, %1 {predicate = gt} : i1\n" AT("x") AT("z") AT("y")      \
      AT("w")
#define A LOAD("a", "xb", 16, 32, "F")
#define B LOAD("b", "zb", 16, 32, "F")
#define MASK                                                                   \
  "  %edge = constant {value = 13} : tile<16x32xi32>\n"                        \
  "  %m = cmpi %ac3, %edge {predicate = lt} : tile<16x32xi1>\n"
#define MOVE(body, value)                                                      \
  KERNEL(PARAMS, START body STORE("o", value, "yb", 16, 32, "F"))

// -- The comparison ----------------------------------------------------------

static const char *with_types(Arena *arena, const char *text, Elem elem) {
  Str out = str_in(arena);
  for (const char *at = text; *at; at++) {
    const bool type = *at == 'F' || *at == 'I';
    if (!type) str_add_char(&out, *at);
    if (*at == 'F') str_addf(&out, "%s", elem_info[elem].name);
    if (*at == 'I') str_addf(&out, "i%d", elem_info[elem].bits);
  }
  return str_text(&out);
}

enum { ARGS = 4, Y = 2, W = 3 };

typedef struct {
  uint16_t of[ARGS][COUNT]; // of one or two bytes each
} Data;

static void fill(Data *data, size_t bytes) {
  memset(data, 0, sizeof *data);
  for (size_t i = 0; i < COUNT; i++) {
    const uint16_t first = (uint16_t)i, second = (uint16_t)(i * 40503 + 7);
    memcpy((char *)data->of[0] + i * bytes, &first, bytes);
    memcpy((char *)data->of[1] + i * bytes, &second, bytes);
  }
}

static void interpret(HostKit *kit, Data *data, size_t bytes) {
  InterpArg args[ARGS];
  InterpMemory memory[ARGS];
  for (int i = 0; i < ARGS; i++) {
    args[i].as.p = data->of[i];
    memory[i] = (InterpMemory){data->of[i], COUNT * bytes};
  }
  const InterpLaunch launch = {.args = args,
                               .memory = memory,
                               .num_memory = ARGS,
                               .grid = {COUNT / TILE, 1, 1}};
  interp_run(&kit->arena, kit->m->functions, &launch, &kit->diags);
  assert_string_equal(host_messages(kit), "");
}

static uint64_t bits_at(const Data *data, int arg, size_t i, size_t bytes) {
  uint64_t bits = 0;
  memcpy(&bits, (const char *)data->of[arg] + i * bytes, bytes);
  return bits;
}

static void compare(Elem elem, const Data *ours, const Data *theirs,
                    const char *text) {
  const size_t bytes = (size_t)elem_info[elem].bits / 8;
  for (int arg = 0; arg < ARGS; arg++) {
    for (size_t i = 0; i < COUNT; i++) {
      const uint64_t got = bits_at(ours, arg, i, bytes);
      const uint64_t want = bits_at(theirs, arg, i, bytes);
      if (got == want) continue;
      const bool nans =
          isnan(float_decode(got, elem)) && isnan(float_decode(want, elem));
      if (arg == W && nans) continue; // any NaN will do
      fail_msg("%s argument %d, element %zu: %#llx, expected %#llx of\n%s",
               elem_info[elem].name, arg, i, (unsigned long long)got,
               (unsigned long long)want, text);
    }
  }
}

static void moves_one(const char *cpu, const char *pattern, Elem elem) {
  static Data ours, theirs;
  const size_t bytes = (size_t)elem_info[elem].bits / 8;
  HostKit kit;
  Arena arena;
  arena_init(&arena, &system_allocator);
  const char *text = with_types(&arena, pattern, elem);
  host_compile_for(&kit, cpu, text);
  fill(&ours, bytes);
  fill(&theirs, bytes);
  for (int i = 0; i < ARGS; i++) {
    void *at = ours.of[i];
    memcpy(&kit.slots[i], &at, sizeof at);
  }
  host_grid(&kit, (int64_t[]){COUNT / TILE, 1, 1});
  interpret(&kit, &theirs, bytes);
  compare(elem, &ours, &theirs, text);
  host_close(&kit);
  arena_free(&arena);
}

// The state: the machine to compile for, or NULL for this one.
static void moves(void **state, const char *pattern) {
  if (*state && !codegen_has_host_cpu(*state)) skip();
  for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++) {
    moves_one(*state, pattern, narrow[i]);
  }
}

// The same with operations that eight bits do not have.
static void moves_halves(void **state, const char *pattern) {
  if (*state && !codegen_has_host_cpu(*state)) skip();
  moves_one(*state, pattern, ELEM_f16);
  moves_one(*state, pattern, ELEM_bf16);
}

// -- Accesses ----------------------------------------------------------------

static void copies(void **state) {
  moves(state, MOVE(A, "a"));
  // With a write in between, so that the tile needs a buffer.
  moves(state, MOVE(A B STORE("c", "b", "yb", 16, 32, "F"), "a"));
}

static void copies_masked(void **state) {
  moves(state, KERNEL(PARAMS, START A MASK PLACE("o", "yb", 16, 32, "F") B
                      "  %v = load %ap mask(%m) : tile<16x32xF>\n"
                      "  store %op, %b\n"
                      "  store %op, %v mask(%m)\n"));
  moves(state,
        MOVE(A B MASK
             "  %v = load %ap mask(%m) other(%b) : tile<16x32xF>\n" STORE(
                 "c", "b", "yb", 16, 32, "F"),
             "v"));
  moves(state, MOVE(A MASK "  %u = constant {value = 3.0} : tile<16x32xF>\n"
                           "  %v = load %ap mask(%m) other(%u) : "
                           "tile<16x32xF>\n",
                    "v"));
}

static void copies_scalars(void **state) {
  moves(state, KERNEL(PARAMS, START
                      "  %v = load %xb : F\n"
                      "  %u = load %zb : F\n"
                      "  %s = select %some, %u, %v : F\n"
                      "  %r = for %0, %n, %1 init(%s) : F (%i: i32, %k: F) {\n"
                      "    yield values(%u)\n"
                      "  }\n"
                      "  %q = if %some : F () {\n"
                      "    yield values(%r)\n"
                      "  } () {\n"
                      "    yield values(%v)\n"
                      "  }\n"
                      "  %f = splat %q : tile<16x32xF>\n" STORE(
                          "o", "f", "yb", 16, 32,
                          "F") "  store %yb, %r\n"
                               "  %next = addptr %yb, %1 : ptr<F>\n"
                               "  store %next, %q\n"));
}

#define WINDOW(name, ptr)                                                      \
  "  %" name " = make_block_ptr %" ptr " shape(%rows, %cols) "                 \
  "strides(%cols, %unit) offsets(%0, %3) {order = [1, 0]} : "                  \
  "block_ptr<16x32xF>\n"
#define DESCRIPTOR(name, ptr)                                                  \
  "  %" name " = make_desc %" ptr " shape(%rows, %cols) "                      \
  "strides(%cols, %unit) {padding = nan} : desc<16x32xF>\n"
#define SIZES                                                                  \
  "  %rows = constant {value = 13} : i64\n"                                    \
  "  %cols = constant {value = 32} : i64\n"                                    \
  "  %unit = constant {value = 1} : i64\n"

static void copies_blocks(void **state) {
  moves(state,
        KERNEL(PARAMS,
               START SIZES WINDOW("p", "xb") WINDOW(
                   "q", "yb") "  %v = load_block %p {boundary = [0, 1]} : "
                              "tile<16x32xF>\n"
                              "  store_block %q, %v {boundary = [0, 1]}\n"));
  moves(state,
        KERNEL(PARAMS, START SIZES DESCRIPTOR("p", "xb") DESCRIPTOR(
                           "q", "yb") "  %v = load_desc %p offsets(%3, %1) : "
                                      "tile<16x32xF>\n"
                                      "  store_desc %q, %v offsets(%1, %3)\n"));
  // The padding is a NaN that is computed.
  moves(state, KERNEL(PARAMS, START SIZES WINDOW("p", "xb") LOAD(
                                  "a", "zb", 16, 32,
                                  "F") "  %v = load_block %p {boundary = [0, "
                                       "1], padding = nan} : "
                                       "tile<16x32xF>\n" STORE("o", "v", "wb",
                                                               16, 32, "F")));
}

static void exchanges(void **state) {
  if (*state && !codegen_has_host_cpu(*state)) skip();
  const char *exchange =
      MOVE(A B STORE("p", "b", "wb", 16, 32,
                     "F") "  %v = atomic_cas %pp, %b, %a : tile<16x32xF>\n"
                          "  %u = load %pp : tile<16x32xF>\n",
           "u");
  moves_one(*state, exchange, ELEM_f16);
}

// -- Elements that change places ---------------------------------------------

static void chooses(void **state) {
  moves(state,
        MOVE(A B MASK "  %v = select %m, %a, %b : tile<16x32xF>\n", "v"));
  moves_halves(state,
               MOVE(A MASK "  %u = constant {value = 2.0} : tile<16x32xF>\n"
                           "  %s = addf %a, %u : tile<16x32xF>\n"
                           "  %v = select %m, %a, %s : tile<16x32xF>\n"
                           "  %t = select %m, %v, %u : tile<16x32xF>\n" STORE(
                               "p", "s", "wb", 16, 32, "F"),
                    "t"));
}

static void changes_signs(void **state) {
  moves_halves(state, MOVE(A MASK "  %u = negf %a : tile<16x32xF>\n"
                                  "  %t = absf %a : tile<16x32xF>\n"
                                  "  %v = select %m, %u, %t : tile<16x32xF>\n",
                           "v"));
}

static void turns(void **state) {
  moves(state,
        MOVE(LOAD("a", "xb", 32, 16,
                  "F") "  %v = trans %a {order = [1, 0]} : tile<16x32xF>\n",
             "v"));
  moves(state, MOVE(A "  %s = reshape %a : tile<32x16xF>\n"
                      "  %t = trans %s {order = [1, 0]} : tile<16x32xF>\n"
                      "  %v, %u = for %0, %n, %1 init(%a, %t) : tile<16x32xF>, "
                      "tile<16x32xF> (%i: i32, %p: tile<16x32xF>, "
                      "%q: tile<16x32xF>) {\n"
                      "    %r = reshape %q : tile<32x16xF>\n"
                      "    %h = trans %r {order = [1, 0]} : tile<16x32xF>\n"
                      "    yield values(%h, %p)\n"
                      "  }\n",
                    "v"));
  moves(state, MOVE(A "  %f = reshape %a : tile<512xF>\n"
                      "  %s = reshape %f : tile<2x8x32xF>\n"
                      "  %t = trans %s {order = [1, 0, 2]} : tile<8x2x32xF>\n"
                      "  %v = reshape %t : tile<16x32xF>\n",
                    "v"));
}

static void repeats(void **state) {
  moves(state,
        MOVE(PLACE("c", "xb", 16, 32,
                   "F") "  %s = splat %xb : tile<32xptr<F>>\n"
                        "  %sp = addptr %s, %cc : tile<32xptr<F>>\n"
                        "  %a = load %sp : tile<32xF>\n"
                        "  %e = expand_dims %a {axis = 0} : tile<1x32xF>\n"
                        "  %v = broadcast %e : tile<16x32xF>\n",
             "v"));
}

static void joins(void **state) {
  moves(state,
        MOVE(A B "  %j = join %a, %b : tile<16x32x2xF>\n"
                 "  %r = reshape %j : tile<16x2x32xF>\n"
                 "  %t = trans %r {order = [0, 2, 1]} : "
                 "tile<16x32x2xF>\n"
                 "  %u, %v = split %t : tile<16x32xF>, tile<16x32xF>\n" STORE(
                     "c", "u", "wb", 16, 32, "F"),
             "v"));
  moves(state, MOVE(A B "  %c = cat %a, %b {axis = 0} : tile<32x32xF>\n"
                        "  %k = trans %c {order = [1, 0]} : tile<32x32xF>\n"
                        "  %l = reshape %k : tile<16x32x2xF>\n"
                        "  %u, %v = split %l : tile<16x32xF>, tile<16x32xF>\n",
                    "v"));
}

static void gathers(void **state) {
  moves(state, MOVE(A "  %k = constant {value = 5} : tile<16x32xi32>\n"
                      "  %i = xori %ac3, %k : tile<16x32xi32>\n"
                      "  %v = gather %a, %i {axis = 1} : tile<16x32xF>\n",
                    "v"));
}

static void casts(void **state) {
  moves(state, MOVE(A MASK "  %i = bitcast %a : tile<16x32xI>\n"
                           "  %k = constant {value = 1} : tile<16x32xI>\n"
                           "  %j = xori %i, %k : tile<16x32xI>\n"
                           "  %c = bitcast %j : tile<16x32xF>\n"
                           "  %v = select %m, %c, %a : tile<16x32xF>\n",
                    "v"));
}

// -- Loops and branches ------------------------------------------------------

static void carries(void **state) {
  moves(state,
        MOVE(A B "  %u, %v = for %0, %n, %1 init(%a, %b) : tile<16x32xF>, "
                 "tile<16x32xF> (%i: i32, %p: tile<16x32xF>, "
                 "%q: tile<16x32xF>) {\n"
                 "    yield values(%q, %p)\n"
                 "  }\n" STORE("c", "u", "wb", 16, 32, "F"),
             "v"));
  // The loaded value is unchanged if the loop does not run.
  moves_halves(
      state, MOVE(A B "  %v = for %1, %n, %1 init(%a) : tile<16x32xF> "
                      "(%i: i32, %p: tile<16x32xF>) {\n"
                      "    %s = maxf %p, %b : tile<16x32xF>\n"
                      "    %k = constant {value = 1.0} : tile<16x32xF>\n"
                      "    %t = addf %k, %k : tile<16x32xF>\n"
                      "    %c = cmpf %s, %t {predicate = eq} : tile<16x32xi1>\n"
                      "    %r = select %c, %t, %k : tile<16x32xF>\n"
                      "    yield values(%r)\n"
                      "  }\n",
                  "v"));
  moves(state, MOVE(A "  %z0 = constant {value = 0.0} : tile<16x32xF>\n"
                      "  %v = for %0, %n, %1 init(%z0) : tile<16x32xF> "
                      "(%i: i32, %p: tile<16x32xF>) {\n"
                      "    %t = load %ap : tile<16x32xF>\n"
                      "    yield values(%t)\n"
                      "  }\n",
                    "v"));
  // Two tiles start as one, and the result of one of them is not stored.
  moves(state, MOVE(B "  %u, %v = for %0, %n, %1 init(%b, %b) : tile<16x32xF>, "
                      "tile<16x32xF> (%i: i32, %p: tile<16x32xF>, "
                      "%q: tile<16x32xF>) {\n"
                      "    %k = constant {value = 1.0} : tile<16x32xF>\n"
                      "    yield values(%p, %k)\n"
                      "  }\n",
                    "v"));
}

static void carries_while(void **state) {
  moves(state,
        MOVE(A B "  %j, %u, %v = while init(%0, %a, %b) : i32, tile<16x32xF>, "
                 "tile<16x32xF> (%i: i32, %p: tile<16x32xF>, "
                 "%q: tile<16x32xF>) {\n"
                 "    %c = cmpi %i, %n {predicate = lt} : i1\n"
                 "    condition %c values(%i, %q, %p)\n"
                 "  } (%i: i32, %p: tile<16x32xF>, %q: tile<16x32xF>) {\n"
                 "    %k = addi %i, %1 : i32\n"
                 "    yield values(%k, %q, %p)\n"
                 "  }\n" STORE("c", "u", "wb", 16, 32, "F"),
             "v"));
}

static void branches(void **state) {
  moves(state, MOVE(A B "  %v = if %some : tile<16x32xF> () {\n"
                        "    yield values(%a)\n"
                        "  } () {\n"
                        "    yield values(%b)\n"
                        "  }\n",
                    "v"));
  moves(state, MOVE(A B "  %k = constant {value = 1.0} : tile<16x32xF>\n"
                        "  %v = if %some : tile<16x32xF> () {\n"
                        "    yield values(%a)\n"
                        "  } () {\n"
                        "    yield values(%k)\n"
                        "  }\n" STORE("c", "b", "wb", 16, 32, "F"),
                    "v"));
}

// -- Values that are also computed with --------------------------------------

static void computes_too(void **state) {
  moves_halves(state, MOVE(A B "  %s = addf %a, %b : tile<16x32xF>\n" STORE(
                               "c", "s", "wb", 16, 32, "F")
                               STORE("d", "b", "yb", 16, 32, "F"),
                           "a"));
  moves_halves(
      state, MOVE(A "  %s = trans %a {order = [1, 0]} : tile<32x16xF>\n"
                    "  %k = constant {value = 2.0} : tile<32x16xF>\n"
                    "  %t = mulf %s, %k : tile<32x16xF>\n"
                    "  %u = reshape %t : tile<16x32xF>\n" STORE("c", "u", "wb",
                                                                16, 32, "F"),
                  "a"));
}

#define PICK                                                                   \
  " (%l: F, %r: F) {\n"                                                        \
  "    %g = cmpf %l, %r {predicate = gt} : i1\n"                               \
  "    %c = select %g, %l, %r : F\n"                                           \
  "    yield values(%c)\n"                                                     \
  "  }\n"

// The row's last element wins against a NaN, in any order.
static void combines(void **state) {
  moves_halves(
      state,
      MOVE(A "  %s = scan inputs(%a) {axis = 1} : tile<16x32xF>" PICK, "s"));
  moves_halves(state,
               MOVE(A "  %s = scan inputs(%a) {axis = 0, reverse = true} : "
                      "tile<16x32xF>" PICK,
                    "s"));
  moves_halves(state,
               MOVE(A "  %e = reshape %a : tile<256x2xF>\n"
                      "  %s = reduce inputs(%e) {axis = 1} : tile<256xF>" PICK
                      "  %t = join %s, %s : tile<256x2xF>\n"
                      "  %v = reshape %t : tile<16x32xF>\n",
                    "v"));
}

// A product of a tile that is stored, too, and a sum that is.
static void multiplies(void **state) {
  if (*state && !codegen_has_host_cpu(*state)) skip();
  const char *operand = MOVE(
      A LOAD("b", "xb", 32, 16,
             "F") "  %d = constant {value = 0.0} : tile<16x16xf32>\n"
                  "  %s = dot %a, %b, %d {precision = ieee} : tile<16x16xf32>\n"
                  "  %c = cmpf %s, %s {predicate = eq} : tile<16x16xi1>\n"
                  "  %k = constant {value = 0.0} : tile<16x16xF>\n"
                  "  %l = constant {value = 1.0} : tile<16x16xF>\n"
                  "  %t = select %c, %k, %l : tile<16x16xF>\n" STORE(
                      "e", "t", "wb", 16, 16, "F"),
      "a");
  const char *sum = KERNEL(
      PARAMS,
      START A LOAD("b", "xb", 32, 16, "F") LOAD(
          "d", "zb", 16, 16,
          "F") "  %v = for %0, %n, %1 init(%d) : tile<16x16xF> "
               "(%i: i32, %p: tile<16x16xF>) {\n"
               "    %s = dot %a, %b, %p {precision = ieee} : tile<16x16xF>\n"
               "    %c = cmpf %s, %s {predicate = eq} : tile<16x16xi1>\n"
               "    %k = constant {value = 0.0} : tile<16x16xF>\n"
               "    %l = constant {value = 1.0} : tile<16x16xF>\n"
               "    %t = select %c, %k, %l : tile<16x16xF>\n"
               "    yield values(%t)\n"
               "  }\n" STORE("e", "v", "yb", 16, 16, "F"));
  moves_one(*state, operand, ELEM_f16);
  moves_one(*state, sum, ELEM_f16);
}

#define TESTS(name)                                                            \
  cmocka_unit_test(name), {                                                    \
#name " on x86-64", name, NULL, NULL, plain                                \
  }

int main(void) {
  static char plain[] = "x86-64";
  const struct CMUnitTest tests[] = {
      TESTS(copies),        TESTS(copies_masked), TESTS(copies_scalars),
      TESTS(copies_blocks), TESTS(exchanges),     TESTS(chooses),
      TESTS(changes_signs), TESTS(turns),         TESTS(repeats),
      TESTS(joins),         TESTS(gathers),       TESTS(casts),
      TESTS(carries),       TESTS(carries_while), TESTS(branches),
      TESTS(computes_too),  TESTS(combines),      TESTS(multiplies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
