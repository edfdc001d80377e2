// test_sim_counters.c -- the counters, on kernels that can be counted by hand.
//
// Backs I3 of runtime/simulator/count.
#include "sim_kit.h"

#include <stdio.h>

static const char *text;

// Runs the body with `threads` in each of `ctas`, and reads the counts.
static void count_as(const char *form, const char *body, unsigned ctas,
                     unsigned threads) {
  kit_count(form);
  CUdeviceptr out = kit_upload(NULL, 1 << 16), in = kit_upload(NULL, 1 << 16);
  void *params[] = {&out, &in};
  CUmodule module = kit_load_body(body);
  const KitShape shape = {.grid = {ctas}, .block = {threads}};
  assert_int_equal(kit_run(module, "k", shape, params), 0);
  assert_int_equal(cuModuleUnload(module), 0);
  assert_int_equal(cuMemFree_v2(out), 0);
  assert_int_equal(cuMemFree_v2(in), 0);
  text = kit_counted();
}

static void count(const char *body, unsigned ctas, unsigned threads) {
  count_as("json", body, ctas, threads);
}

// The number `field` of the object that follows `"name":`; -1: there is none.
static long long value(const char *name, const char *field) {
  char key[80];
  snprintf(key, sizeof key, "\"%s\":{", name);
  const char *at = strstr(text, key);
  if (!at) return -1;
  snprintf(key, sizeof key, "\"%s\":", field);
  const char *end = strchr(at, '}');
  at = strstr(at, key);
  return at && at < end ? atoll(at + strlen(key)) : -1;
}

static void test_instructions(void **state) {
  (void)state;
  count("add.u32 %r1, %t, 1; add.u32 %r2, %t, 2; mul.lo.u32 %r3, %t, 3;\n"
        "cvt.rn.f32.u32 %f1, %t;",
        3, 48);
  // Two warps, one of them half full.
  assert_int_equal(value("integer", "warps"), 3 * 2 * 3);
  assert_int_equal(value("integer", "threads"), 3 * 48 * 3);
  assert_int_equal(value("convert", "warps"), 3 * 2);
  assert_int_equal(value("parameter", "threads"), 3 * 48 * 2);
  assert_int_equal(value("integer", "flops"), 0);
  assert_int_equal(value("shared load", "warps"), -1);
}

static void test_operations(void **state) {
  (void)state;
  count("fma.rn.f32 %f1, %f2, %f3, %f4; add.f32 %f1, %f1, %f2;\n"
        "neg.f32 %f1, %f1; ex2.approx.f32 %f1, %f1;\n"
        "fma.rn.f64 %g1, %g2, %g3, %g4; add.rn.f16x2 %r1, %r2, %r3;\n"
        "mul.rn.f16 %h1, %h2, %h3; div.s32 %r1, %r2, 3;\n"
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\n"
        "  {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6},\n"
        "  {%f1, %f2, %f3, %f4};",
        1, 32);
  assert_int_equal(value("fp32", "flops"), 32 * 3);
  assert_int_equal(value("special", "flops"), 32);
  assert_int_equal(value("fp64", "flops"), 32 * 2);
  assert_int_equal(value("fp16", "flops"), 32 * 3);
  assert_int_equal(value("tensor", "flops"), 2 * 16 * 8 * 16);
  assert_int_equal(value("tensor", "warps"), 1);
}

// Thread t reads `bytes` at t * stride.
static void load(const char *form, unsigned stride) {
  char body[400];
  snprintf(body, sizeof body,
           "mul.wide.u32 %%d1, %%t, %u; add.u64 %%d1, %%d1, %%in;\n"
           "ld.global.%s [%%d1];",
           stride, form);
  count(body, 1, 32);
}

static void test_sectors(void **state) {
  (void)state;
  load("b32 %r1,", 4); // 128 bytes in a row
  assert_int_equal(value("global load", "sectors"), 4);
  assert_int_equal(value("global load", "bytes"), 128);
  load("b32 %r1,", 8); // half of each sector
  assert_int_equal(value("global load", "sectors"), 8);
  load("b32 %r1,", 128); // a sector for each lane
  assert_int_equal(value("global load", "sectors"), 32);
  load("b32 %r1,", 0); // one word for all
  assert_int_equal(value("global load", "sectors"), 1);
  assert_int_equal(value("global load", "bytes"), 128);
  load("v4.b32 {%r1, %r2, %r3, %r4},", 16);
  assert_int_equal(value("global load", "sectors"), 16);
  assert_int_equal(value("global load", "bytes"), 512);
  load("b8 %h1,", 1);
  assert_int_equal(value("global load", "sectors"), 1);
}

// Thread t writes to shared memory at t * stride.
static void store(const char *form, unsigned stride) {
  char body[400];
  snprintf(body, sizeof body,
           ".shared .align 16 .b8 s[16384]; mov.u32 %%r9, s;\n"
           "mad.lo.u32 %%r9, %%t, %u, %%r9; %s",
           stride, form);
  count(body, 1, 32);
}

static void check_turns(const char *class, int turns, int conflicts) {
  assert_int_equal(value(class, "turns"), turns);
  assert_int_equal(value(class, "conflicts"), conflicts);
}

static void test_banks(void **state) {
  (void)state;
  const char word[] = "st.shared.b32 [%r9], %t;";
  const char pair[] = "st.shared.v2.b32 [%r9], {%t, %t};";
  const char quad[] = "st.shared.v4.b32 [%r9], {%t, %t, %t, %t};";
  store(word, 4);
  check_turns("shared store", 1, 0);
  store(word, 8); // lanes 0 and 16 share a bank
  check_turns("shared store", 2, 1);
  store(word, 12); // 3 is odd: all banks differ
  check_turns("shared store", 1, 0);
  store(word, 128); // one bank
  check_turns("shared store", 32, 31);
  store(pair, 8);
  check_turns("shared store", 2, 0);
  store(quad, 16);
  check_turns("shared store", 4, 0);
  store(quad, 128); // eight lanes on the same four banks
  check_turns("shared store", 32, 28);
  store("st.shared.b32 [%r9], 0; red.shared.add.u32 [%r9], 1;", 4);
  check_turns("atomic", 1, 0);
}

static void test_broadcast(void **state) {
  (void)state;
  const char read[] = "st.shared.b32 [%r9], %t; bar.warp.sync 0xffffffff;\n"
                      "ld.shared.b32 %r1, [s + 4];";
  store(read, 4); // all lanes read one word
  check_turns("shared load", 1, 0);
  const char add[] = "st.shared.b32 [%r9], %t; bar.warp.sync 0xffffffff;\n"
                     "atom.shared.add.u32 %r1, [s + 4], 1;";
  store(add, 4); // lanes add in turn
  check_turns("atomic", 32, 31);
}

// Rows of a matrix 128 bytes apart lie on the same banks, 144 bytes do not.
static void matrix(unsigned stride) {
  char body[800];
  snprintf(
      body, sizeof body,
      ".shared .align 16 .b8 s[8192]; .reg .b32 %%a, %%c;\n"
      "mov.u32 %%a, 0;\n"
      "L: mov.u32 %%c, s; mad.lo.u32 %%c, %%t, 4, %%c; add.u32 %%c, %%c, %%a;\n"
      "st.shared.b32 [%%c], 0; add.u32 %%a, %%a, 128;\n"
      "setp.lt.u32 %%p1, %%a, 8192; @%%p1 bra L;\n"
      "bar.sync 0; mov.u32 %%r9, s; mad.lo.u32 %%r9, %%t, %u, %%r9;\n"
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%%r1, %%r2, %%r3, "
      "%%r4}, [%%r9];",
      stride);
  count(body, 1, 32);
}

static void test_matrices(void **state) {
  (void)state;
  matrix(128);
  check_turns("shared load", 32, 28);
  assert_int_equal(value("shared load", "bytes"), 512);
  matrix(144);
  check_turns("shared load", 4, 0);
  assert_int_equal(value("barrier", "warps"), 1);
  assert_int_equal(value("branch", "warps"), 64);
  assert_int_equal(value("branch", "splits"), 0);
}

static void test_copies(void **state) {
  (void)state;
  count(".shared .align 16 .b8 s[512]; mov.u32 %r9, s;\n"
        "mad.lo.u32 %r9, %t, 16, %r9; mul.wide.u32 %d1, %t, 32;\n"
        "add.u64 %d1, %d1, %in;\n"
        "cp.async.cg.shared.global [%r9], [%d1], 16;\n"
        "cp.async.wait_all;",
        1, 32);
  assert_int_equal(value("asynchronous copy", "sectors"), 32);
  assert_int_equal(value("asynchronous copy", "bytes"), 512);
  check_turns("asynchronous copy", 4, 0);
}

static void test_divergence(void **state) {
  (void)state;
  count("setp.lt.u32 %p1, %t, 8; @%p1 bra L;\n"
        "add.u32 %r1, %t, 1; add.u32 %r1, %t, 2;\n"
        "L: @%p1 add.f32 %f1, %f1, %f2;",
        1, 32);
  assert_int_equal(value("branch", "splits"), 1);
  assert_int_equal(value("integer", "warps"), 2);
  assert_int_equal(value("integer", "threads"), 2 * 24);
  assert_int_equal(value("fp32", "warps"), 1);
  assert_int_equal(value("fp32", "flops"), 8);
}

static void test_lines(void **state) {
  (void)state;
  count(".loc 7 3 0\nadd.u32 %r1, %t, 1; add.u32 %r1, %t, 2;\n"
        ".loc 7 2 0\nadd.f32 %f1, %f1, %f2;\n"
        ".loc 7 3 0\nadd.u32 %r1, %t, 1;", // and the return after it
        1, 32);
  assert_non_null(strstr(text, "\"line\":2,\"warps\":1,\"threads\":32,"));
  assert_non_null(strstr(text, "\"line\":3,\"warps\":4,\"threads\":128,"));
}

static int setup(void **state) {
  (void)state;
  kit_open();
  return 0;
}

static int teardown(void **state) {
  (void)state;
  kit_close();
  return 0;
}

// The summary of shared memory has every access to it, atomics by any address
// and copies too: 32 words stored in one turn; 32 sums at one word, one turn
// each; 32 at words of their own through generic addresses; and 16 bytes from
// each of 32 lanes, eight a turn.  Global atomics have sectors.
static void test_shared_summary(void **state) {
  (void)state;
  static const char body[] =
      ".shared .align 16 .b8 s[1024];\n"
      "mov.u32 %r9, s; mad.lo.u32 %r8, %t, 4, %r9; cvt.u64.u32 %d1, %r8;\n"
      "cvta.shared.u64 %d2, %d1; mad.lo.u32 %r7, %t, 16, %r9;\n"
      "add.u32 %r7, %r7, 512; mul.wide.u32 %d3, %t, 16;\n"
      "add.u64 %d3, %in, %d3;\n"
      "st.shared.b32 [%r8], 0; bar.warp.sync 0xffffffff;\n"
      "red.shared.add.u32 [%r9], 1; atom.add.u32 %r1, [%d2], 1;\n"
      "cp.async.cg.shared.global [%r7], [%d3], 16;\n"
      "cp.async.wait_all; red.global.add.u32 [%out], 1;\n";
  count_as("text", body, 1, 32);
  assert_non_null(strstr(text, "  shared memory: 896 bytes in 38 turns, "
                               "31 of them for bank conflicts\n"));
  assert_non_null(strstr(text, "  atomic: 128 bytes in 1 sectors, "));
  count(body, 1, 32);
  assert_int_equal(value("all", "shared_bytes"), 896);
  assert_int_equal(value("atomic", "bytes"), 384);
  assert_int_equal(value("atomic", "shared_bytes"), 256);
  assert_int_equal(value("atomic", "turns"), 33);
  assert_int_equal(value("atomic", "conflicts"), 31);
}

// Warps 1 and 2 poll until warp 0 has arrived, and all except warp 0 wait; a
// role is the set of warps at the same barriers.
static void test_roles(void **state) {
  (void)state;
  static const char body[] =
      ".shared .align 8 .b64 b; setp.eq.u32 %p1, %t, 0;\n"
      "setp.lt.u32 %p2, %t, 32; @%p1 mbarrier.init.shared.b64 [b], 1;\n"
      "bar.sync 0; @%p2 bra A;\n"
      "W: mbarrier.test_wait.parity.shared.b64 %p3, [b], 0; @!%p3 bra W;\n"
      "bra E; A: bar.warp.sync -1; bar.warp.sync -1;\n"
      "@%p1 mbarrier.arrive.shared.b64 _, [b]; E: bar.sync 0;\n";
  count(body, 1, 96);
  assert_non_null(
      strstr(text, "{\"warps\":\"0-2\",\"barriers\":6,\"waits\":4}"));
  const char *asked = strstr(text, "{\"warps\":\"1-2\",\"barriers\":");
  assert_non_null(asked);
  int barriers = 0, waits = 0;
  assert_int_equal(sscanf(asked,
                          "{\"warps\":\"1-2\",\"barriers\":%d,"
                          "\"waits\":%d}",
                          &barriers, &waits),
                   2);
  assert_int_equal(barriers - waits, 2);
  assert_non_null(strstr(text, "\"peak_bytes\":"));
  count_as("text", body, 1, 96);
  assert_non_null(
      strstr(text, "  barriers of warps 0-2: 6, at 4 of them a wait\n"));
  assert_non_null(strstr(text, "  the process has had "));
}

// -- Requests at random addresses --------------------------------------------
// The lanes of a warp read, or add to, places of a table; a lane whose place is
// ABSENT does nothing.  The counts are those of docs/simulator.md, found here
// by marking each sector and each word.

enum { LANES = 32, ABSENT = -1, AREA = 4096, TABLE = 128 };

typedef struct {
  const char *class, *inst;
  int bytes;
  bool is_shared, is_atomic;
} Request;

static const Request requests[] = {
    {"global load", "ld.global.b8 %h1, [%d2]", 1, false, false},
    {"global load", "ld.global.b16 %h1, [%d2]", 2, false, false},
    {"global load", "ld.global.b32 %r2, [%d2]", 4, false, false},
    {"global load", "ld.global.b64 %d3, [%d2]", 8, false, false},
    {"global load", "ld.global.v2.b64 {%d3, %d4}, [%d2]", 16, false, false},
    {"shared load", "ld.shared.b8 %h1, [%r9]", 1, true, false},
    {"shared load", "ld.shared.b16 %h1, [%r9]", 2, true, false},
    {"shared load", "ld.shared.b32 %r2, [%r9]", 4, true, false},
    {"shared load", "ld.shared.v2.b32 {%r2, %r3}, [%r9]", 8, true, false},
    {"shared load", "ld.shared.v4.b32 {%r2, %r3, %r4, %r5}, [%r9]", 16, true,
     false},
    {"atomic", "red.shared.add.u32 [%r9], 1", 4, true, true},
    {"atomic", "red.global.add.u32 [%d2], 1", 4, false, true},
};

static CUmodule load_request(const Request *r) {
  char body[1000];
  snprintf(body, sizeof body,
           ".shared .align 16 .b8 s[%d]; .reg .b32 %%a, %%c;\n"
           "shl.b32 %%a, %%t, 2;\n"
           "L: mov.u32 %%c, s; add.u32 %%c, %%c, %%a; st.shared.b32 [%%c], 0;\n"
           "add.u32 %%a, %%a, %d; setp.lt.u32 %%p2, %%a, %d; @%%p2 bra L;\n"
           "bar.sync 0; mul.wide.u32 %%d1, %%t, 4; add.u64 %%d1, %%d1, %%in;\n"
           "ld.global.b32 %%r1, [%%d1]; setp.ne.u32 %%p1, %%r1, -1;\n"
           "mov.u32 %%r9, s; add.u32 %%r9, %%r9, %%r1;\n"
           "cvt.u64.u32 %%d2, %%r1; add.u64 %%d2, %%d2, %%out; @%%p1 %s;",
           AREA, TABLE, AREA, r->inst);
  return kit_load_body(body);
}

// Places `stride` apart, or at random within `spread` of them, multiples of the
// size.  Accesses of more than 4 bytes are made by the first lanes:
// docs/simulator.md does not tell which lanes share a turn if others are
// absent.
static int draw_places(const Request *r, uint32_t *random, int place[LANES]) {
  const int most = AREA / r->bytes;
  const int stride = 1 + (int)(kit_random(random) % 40);
  const int spread = 1 + (int)(kit_random(random) % (unsigned)most);
  const bool is_random = kit_random(random) % 2;
  const int first = 1 + (int)(kit_random(random) % LANES);
  int count = 0;
  for (int i = 0; i < LANES; i++) {
    const int drawn = (int)(kit_random(random) % (unsigned)spread);
    const bool is_there = r->bytes > 4
                              ? i < first
                              : !i || (int)(kit_random(random) % LANES) < first;
    place[i] = (is_random ? drawn : i * stride % most) * r->bytes;
    count += is_there;
    if (!is_there) place[i] = ABSENT;
  }
  return count;
}

static int sectors_of(const Request *r, const int place[LANES]) {
  bool mark[AREA / 32] = {false};
  int count = 0;
  for (int i = 0; i < LANES; i++)
    for (int b = 0; place[i] != ABSENT && b < r->bytes; b++)
      mark[(place[i] + b) / 32] = true;
  for (int i = 0; i < AREA / 32; i++) count += mark[i];
  return count;
}

// The turns of `num` lanes from `from` on: those of the bank that has most.
static int turns_of(const Request *r, const int *from, int num) {
  int hits[AREA / 4] = {0}, most = 0;
  for (int i = 0; i < num; i++)
    for (int b = 0; from[i] != ABSENT && b < (r->bytes + 3) / 4; b++)
      hits[from[i] / 4 + b]++;
  for (int bank = 0; bank < 32; bank++) {
    int turns = 0;
    for (int w = bank; w < AREA / 4; w += 32)
      turns += r->is_atomic ? hits[w] : hits[w] > 0;
    if (turns > most) most = turns;
  }
  return most;
}

static void check_request(const Request *r, const int place[LANES], int count) {
  // The table of the places is read by 32 lanes, in four sectors.
  const bool has_table = !r->is_shared && !r->is_atomic;
  assert_int_equal(value(r->class, "bytes"),
                   count * r->bytes + (has_table ? TABLE : 0));
  assert_int_equal(value(r->class, "threads"), count + (has_table ? LANES : 0));
  if (!r->is_shared) {
    assert_int_equal(value(r->class, "sectors"),
                     sectors_of(r, place) + (has_table ? 4 : 0));
    return;
  }
  const int together = r->bytes > 4 ? 128 / r->bytes : LANES;
  int turns = 0, groups = 0;
  for (int i = 0; i < LANES && (!i || place[i] != ABSENT || together == LANES);
       i += together, groups++)
    turns += turns_of(r, place + i, together);
  check_turns(r->class, turns, turns - groups);
}

static void test_requests(void **state) {
  (void)state;
  enum { TURNS = 40 };
  uint32_t random = 7;
  CUdeviceptr out = kit_upload(NULL, AREA);
  for (size_t n = 0; n < sizeof requests / sizeof *requests; n++) {
    CUmodule module = load_request(&requests[n]);
    for (int turn = 0; turn < TURNS; turn++) {
      int place[LANES];
      const int count = draw_places(&requests[n], &random, place);
      CUdeviceptr in = kit_upload(place, sizeof place);
      void *params[] = {&out, &in};
      const KitShape shape = {.grid = {1}, .block = {LANES}};
      kit_count("json");
      assert_int_equal(kit_run(module, "k", shape, params), 0);
      text = kit_counted();
      check_request(&requests[n], place, count);
      assert_int_equal(cuMemFree_v2(in), 0);
    }
    assert_int_equal(cuModuleUnload(module), 0);
  }
  assert_int_equal(cuMemFree_v2(out), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_instructions),
      cmocka_unit_test(test_operations),
      cmocka_unit_test(test_sectors),
      cmocka_unit_test(test_banks),
      cmocka_unit_test(test_broadcast),
      cmocka_unit_test(test_matrices),
      cmocka_unit_test(test_copies),
      cmocka_unit_test(test_divergence),
      cmocka_unit_test(test_lines),
      cmocka_unit_test(test_shared_summary),
      cmocka_unit_test(test_roles),
      cmocka_unit_test(test_requests),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
