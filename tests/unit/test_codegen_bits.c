// test_codegen_bits.c -- what changes the sign keeps every other bit on the
// host, of NaNs too: all encodings.
#include "host_tiles.h"

enum { TILE = 512, COUNT = 1 << 16 };

// F is the type, I the integer of its size.  A program copies tiles of 16 x 32
// at %xb, and at %zb in another order, to %yb; what it computes goes to %wb.
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
      if (arg == W && nans) continue; // which one is not said
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
static void changes_signs(void **state) {
  const char *text = MOVE(A MASK "  %u = negf %a : tile<16x32xF>\n"
                                 "  %t = absf %a : tile<16x32xF>\n"
                                 "  %v = select %m, %u, %t : tile<16x32xF>\n",
                          "v");
  if (*state && !codegen_has_host_cpu(*state)) skip();
  moves_one(*state, text, ELEM_bf16);
}

#define TESTS(name)                                                            \
  cmocka_unit_test(name), {                                                    \
#name " on x86-64", name, NULL, NULL, plain                                \
  }

int main(void) {
  static char plain[] = "x86-64";
  const struct CMUnitTest tests[] = {TESTS(changes_signs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
