// test_sim_warp.c -- exchanges between the lanes of a warp: shuffles, votes,
// matches and reductions, lane by lane from the manual's text.
#include <stdio.h>

#include "sim_kit.h"

enum { LANES = 32 };

// The values of a lane, and those that the other lanes may see.
typedef struct {
  uint32_t value, b, c, odd;
} Lane;

static Lane lanes[LANES];
static uint32_t out[LANES][2];

// Lanes of `members` run the body, which leaves %r9 and %p2; %r1, %r2 and %r3
// are a lane's values, and %p1 is true in odd lanes.
static void run(const char *body, uint32_t members) {
  char text[2048];
  snprintf(text, sizeof text,
           "mul.wide.u32 %%d2, %%t, 16; add.u64 %%d3, %%in, %%d2;"
           "mul.wide.u32 %%d4, %%t, 8; add.u64 %%d5, %%out, %%d4;"
           "ld.global.v4.u32 {%%r1, %%r2, %%r3, %%r4}, [%%d3];"
           "setp.ne.u32 %%p1, %%r4, 0; setp.ne.u32 %%p2, 0, 0;"
           "mov.u32 %%r9, 0x5555; mov.u32 %%r10, 1; shl.b32 %%r10, %%r10, %%t;"
           "and.b32 %%r10, %%r10, 0x%x; setp.eq.u32 %%p3, %%r10, 0;"
           "@%%p3 bra END;\n%s\n"
           "END: selp.u32 %%r11, 1, 0, %%p2;"
           "st.global.v2.u32 [%%d5], {%%r9, %%r11};",
           members, body);
  kit_map(kit_load_body(text), LANES, lanes, sizeof lanes, out, sizeof out);
}

static void expect(const char *body, int lane, uint32_t value, bool holds) {
  if (out[lane][0] != value || out[lane][1] != holds)
    fail_msg("%s: lane %d has %x, %u, not %x, %d", body, lane, out[lane][0],
             out[lane][1], value, holds);
}

// -- Shuffles ----------------------------------------------------------------

static int source(const char *mode, int lane, bool *holds) {
  const int b = (int)(lanes[lane].b & 31), c = (int)(lanes[lane].c & 31);
  const int mask = (int)(lanes[lane].c >> 8 & 31);
  const int least = lane & mask, most = least | (c & ~mask);
  int from = least | (b & ~mask);
  if (mode[0] == 'u') from = lane - b;
  if (mode[0] == 'd') from = lane + b;
  if (mode[0] == 'b') from = lane ^ b;
  *holds = mode[0] == 'u' ? from >= most : from <= most;
  return *holds ? from : lane;
}

static void test_shuffles(void **state) {
  (void)state;
  static const char *const modes[] = {"up", "down", "bfly", "idx"};
  static const uint32_t limits[] = {0x1f,   0,      0x1c1f, 0x1c00, 0x181f,
                                    0x1800, 0x100f, 0x1007, 0x0f1f, 0x7};
  uint32_t seed = 3;
  for (int i = 0; i < 4 * 10 * 6; i++) {
    const char *mode = modes[i % 4];
    const uint32_t limit = limits[i / 4 % 10], same = kit_random(&seed) % 40;
    char body[256];
    for (int t = 0; t < LANES; t++)
      lanes[t] = (Lane){kit_random(&seed), same, limit, 0};
    if (i >= 4 * 10 * 4) // another number in each lane
      for (int t = 0; t < LANES; t++) lanes[t].b = kit_random(&seed) % 32;
    snprintf(body, sizeof body,
             "shfl.sync.%s.b32 %%r9|%%p2, %%r1, %%r2, %%r3, -1;", mode);
    run(body, UINT32_MAX);
    for (int t = 0; t < LANES; t++) {
      bool holds;
      const int from = source(mode, t, &holds);
      expect(body, t, lanes[from].value, holds);
    }
  }
}

// -- Votes -------------------------------------------------------------------

static const uint32_t groups[] = {UINT32_MAX, 0x0000ffff, 0x80000001,
                                  0x00000010, 0x5a5a5a5a};
enum { NUM_GROUPS = sizeof groups / sizeof *groups };

static void draw_odd(uint32_t *seed, int how) {
  for (int t = 0; t < LANES; t++)
    lanes[t].odd = how == 0 ? 0 : how == 1 ? 1 : kit_random(seed) >> 9 & 1;
}

static uint32_t ballot(uint32_t members) {
  uint32_t set = 0;
  for (int t = 0; t < LANES; t++) set |= lanes[t].odd << t;
  return set & members;
}

static void test_votes(void **state) {
  (void)state;
  uint32_t seed = 5;
  for (int i = 0; i < NUM_GROUPS * 4; i++) {
    const uint32_t members = groups[i / 4];
    draw_odd(&seed, i % 4);
    const uint32_t set = ballot(members);
    const bool results[3] = {set == members, set, !set || set == members};
    static const char *const modes[] = {"all", "any", "uni"};
    char body[256];
    for (int m = 0; m < 6; m++) {
      const bool negates = m >= 3;
      const bool negated[3] = {!set, set != members, results[2]};
      snprintf(body, sizeof body, "vote.sync.%s.pred %%p2, %s%%p1, 0x%x;",
               modes[m % 3], negates ? "!" : "", members);
      run(body, members);
      for (int t = 0; t < LANES; t++)
        expect(body, t, 0x5555,
               members >> t & 1 && (negates ? negated : results)[m % 3]);
    }
    snprintf(body, sizeof body, "vote.sync.ballot.b32 %%r9, %%p1, 0x%x;",
             members);
    run(body, members);
    for (int t = 0; t < LANES; t++)
      expect(body, t, members >> t & 1 ? set : 0x5555, false);
  }
}

// -- Matches -----------------------------------------------------------------

static bool is_member(uint32_t members, int lane) {
  return members >> lane & 1;
}

static void expect_matches(uint32_t members, bool is_wide) {
  char body[512];
  const char *type = is_wide ? "b64" : "b32", *from = is_wide ? "%d9" : "%r1";
  uint32_t all = members;
  for (int t = 0; t < LANES; t++)
    for (int u = 0; u < t; u++)
      if (is_member(members, t) && is_member(members, u) &&
          lanes[t].value != lanes[u].value)
        all = 0;
  // The 64-bit values differ in their upper half.
  snprintf(body, sizeof body,
           "mov.b64 %%d9, {7, %%r1}; match.any.sync.%s %%r9, %s, 0x%x;", type,
           from, members);
  run(body, members);
  for (int t = 0; t < LANES; t++) {
    uint32_t equal = 0;
    for (int u = 0; u < LANES; u++)
      equal |= (uint32_t)(lanes[t].value == lanes[u].value) << u;
    expect(body, t, is_member(members, t) ? equal & members : 0x5555, false);
  }
  snprintf(body, sizeof body,
           "mov.b64 %%d9, {7, %%r1}; match.all.sync.%s %%r9|%%p2, %s, 0x%x;",
           type, from, members);
  run(body, members);
  for (int t = 0; t < LANES; t++)
    expect(body, t, is_member(members, t) ? all : 0x5555,
           is_member(members, t) && all);
}

static void test_matches(void **state) {
  (void)state;
  uint32_t seed = 7;
  for (int i = 0; i < NUM_GROUPS * 6; i++) {
    const uint32_t few = 1 + (uint32_t)i % 3;
    for (int t = 0; t < LANES; t++)
      lanes[t] = (Lane){(kit_random(&seed) >> 5) % few * 0x10001, 0, 0, 0};
    expect_matches(groups[i / 6], i / 3 % 2);
  }
}

// -- Reductions --------------------------------------------------------------

static uint32_t joined(const char *op, bool is_signed, uint32_t a, uint32_t b) {
  const bool less = is_signed ? (int32_t)a < (int32_t)b : a < b;
  if (!strcmp(op, "add")) return a + b;
  if (!strcmp(op, "min")) return less ? a : b;
  if (!strcmp(op, "max")) return less ? b : a;
  return op[0] == 'a' ? a & b : op[0] == 'o' ? a | b : a ^ b;
}

static void test_reductions(void **state) {
  (void)state;
  static const char *const rows[][2] = {
      {"add", "u32"}, {"add", "s32"}, {"min", "u32"},
      {"min", "s32"}, {"max", "u32"}, {"max", "s32"},
      {"and", "b32"}, {"or", "b32"},  {"xor", "b32"}};
  uint32_t seed = 11;
  for (int i = 0; i < 9 * NUM_GROUPS * 2; i++) {
    const char *const *row = rows[i % 9];
    const uint32_t members = groups[i / 9 % NUM_GROUPS];
    const uint32_t like = row[0][0] == 'a' && row[0][1] == 'n' ? 0xffff00ff : 0;
    uint32_t wanted = 0;
    bool is_first = true;
    char body[256];
    for (int t = 0; t < LANES; t++) {
      lanes[t] = (Lane){kit_random(&seed) | like, 0, 0, 0};
      if (!is_member(members, t)) continue;
      wanted = is_first
                   ? lanes[t].value
                   : joined(row[0], row[1][0] == 's', wanted, lanes[t].value);
      is_first = false;
    }
    snprintf(body, sizeof body, "redux.sync.%s.%s %%r9, %%r1, 0x%x;", row[0],
             row[1], members);
    run(body, members);
    for (int t = 0; t < LANES; t++)
      expect(body, t, is_member(members, t) ? wanted : 0x5555, false);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shuffles),
      cmocka_unit_test(test_votes),
      cmocka_unit_test(test_matches),
      cmocka_unit_test(test_reductions),
  };
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
