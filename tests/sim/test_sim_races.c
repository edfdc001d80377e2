// test_sim_races.c -- random programs whose races are known from the values
// they read.
//
// A few threads of two CTAs load, store, update, fence and wait for each other.
// The simulator's reports must be among the races of that execution, as
// race_model.h finds them, and if there is a race at a place, one must be
// reported.  TILE_TEST_FULL=1 takes many more programs, TILE_TEST_SEED others.
//
// Backs I1 of runtime/simulator and I5 of runtime/simulator/watch.
#include <stdarg.h>
#include <stdio.h>

#include "sim_kit.h"
#include "tests/sim/race_model.h"

enum {
  PROGRAMS = 300,
  CTAS = 2,
  WARPS = 2,
  LANES_USED = 2,
  THREADS = CTAS * WARPS * LANES_USED,
  FAR_WORDS = 4,
  NEAR_WORDS = 3,
  MOST_REPORTS = 20,
  LINES = 4000
};

typedef struct {
  uint32_t seed;
  char text[1 << 17];
  size_t length;
  int line, barriers;
  uint32_t numbers, bits; // given to stores, to additions
  bool has_shared;
  Execution run;
} Program;

static Program program;
static Races found;

static uint32_t draw(uint32_t below) {
  return kit_random(&program.seed) / 16 % below;
}

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
  Program *p = &program;
  va_list arguments;
  va_start(arguments, format);
  p->length += (size_t)vsnprintf(p->text + p->length,
                                 sizeof p->text - p->length, format, arguments);
  va_end(arguments);
  p->length +=
      (size_t)snprintf(p->text + p->length, sizeof p->text - p->length, "\n");
  p->line++;
}

// -- Events ------------------------------------------------------------------

static Event *add_event(EventKind kind, int thread) {
  Execution *run = &program.run;
  assert_true(run->count < MAX_EVENTS);
  Event *e = &run->events[run->count++];
  *e = (Event){.kind = kind,
               .thread = thread,
               .cta = thread / (WARPS * LANES_USED),
               .line = program.line + 1};
  return e;
}

// Places are words of global memory, and from FAR_WORDS on those of each CTA.
static const char *address(const Event *e) {
  static char text[40];
  if (e->place < FAR_WORDS)
    snprintf(text, sizeof text, "[%%out+%d]", e->place * 4);
  else
    snprintf(text, sizeof text, "[s+%d]",
             (e->place - FAR_WORDS) % NEAR_WORDS * 4);
  return text;
}

static const char *space(const Event *e) {
  return e->place < FAR_WORDS ? "global" : "shared";
}

static void draw_place(Event *e) {
  if (draw(3))
    e->place = (int)draw(FAR_WORDS);
  else
    e->place = FAR_WORDS + e->cta * NEAR_WORDS + (int)draw(NEAR_WORDS);
}

// The first half of the words are flags.
static bool is_flag(const Event *e) {
  return e->place < FAR_WORDS ? e->place < FAR_WORDS / 2
                              : (e->place - FAR_WORDS) % NEAR_WORDS == 0;
}

static const char *draw_scope(Event *e) {
  e->scope = draw(5) ? SCOPE_GPU : SCOPE_CTA;
  return e->scope == SCOPE_CTA ? "cta" : draw(3) ? "gpu" : "sys";
}

// `.relaxed.gpu` and the like, or nothing, or `.volatile`.
static const char *draw_order(Event *e, bool is_load) {
  static char text[32];
  if (draw(8) < (is_flag(e) ? 1 : 6)) return "";
  if (!draw(6)) {
    e->scope = SCOPE_GPU;
    return ".volatile";
  }
  const bool synchronises = draw(2);
  e->acquires = synchronises && is_load;
  e->releases = synchronises && !is_load;
  const char *order = !synchronises ? "relaxed"
                      : is_load     ? "acquire"
                                    : "release";
  snprintf(text, sizeof text, ".%s.%s", order, draw_scope(e));
  return text;
}

static void say_log(const Event *e) {
  say("st.global.u32 [%%in+%d], %%r1;", (int)(e - program.run.events) * 4);
}

// Polls until it finds a value, or for some time: one event for all reads that
// find nothing, and one for the last read.
static void say_poll(Event *early, const char *order) {
  early->line += 2;
  Event *last = add_event(EVENT_LOAD, early->thread);
  *last = *early;
  early->is_early = true;
  say("mov.u32 %%r2, 0;");
  say("P%d:", last->line);
  say("ld%s.%s.u32 %%r1, %s;", order, space(last), address(last));
  say("add.u32 %%r2, %%r2, 1; setp.lt.u32 %%p2, %%r2, 40;");
  say("setp.eq.and.u32 %%p2, %%r1, 0, %%p2;");
  say("@%%p2 bra P%d;", last->line);
  say("st.global.u32 [%%in+%d], %%r2;", (int)(early - program.run.events) * 4);
  say_log(last);
}

static void say_load(int thread) {
  Event *e = add_event(EVENT_LOAD, thread);
  draw_place(e);
  const char *order = draw_order(e, true);
  if (e->scope && draw(2)) {
    say_poll(e, order);
    return;
  }
  say("ld%s.%s.u32 %%r1, %s;", order, space(e), address(e));
  say_log(e);
}

static void say_store(int thread) {
  Event *e = add_event(EVENT_STORE, thread);
  draw_place(e);
  e->value = ++program.numbers << ADD_BITS;
  say("st%s.%s.u32 %s, %u;", draw_order(e, false), space(e), address(e),
      e->value);
}

static const char *draw_atomic_order(Event *e, bool is_red) {
  static char text[32];
  static const char *const orders[] = {"relaxed", "release", "acquire",
                                       "acq_rel"};
  const uint32_t order = draw(2) ? 0 : draw(is_red ? 2 : 4);
  e->releases = order & 1;
  e->acquires = order & 2;
  snprintf(text, sizeof text, ".%s.%s", orders[order], draw_scope(e));
  return text;
}

static void say_atomic(int thread) {
  const bool may_add = program.bits < ADD_BITS;
  const EventKind kind = !may_add || !draw(3) ? EVENT_EXCHANGE
                         : draw(2)            ? EVENT_ADD
                                              : EVENT_REDUCTION;
  Event *e = add_event(kind, thread);
  draw_place(e);
  e->value = kind == EVENT_EXCHANGE ? ++program.numbers << ADD_BITS
                                    : 1u << program.bits++;
  const char *order = draw_atomic_order(e, kind == EVENT_REDUCTION);
  if (kind == EVENT_REDUCTION) {
    say("red%s.%s.add.u32 %s, %u;", order, space(e), address(e), e->value);
    return;
  }
  say("atom%s.%s.%s %%r1, %s, %u;", order, space(e),
      kind == EVENT_ADD ? "add.u32" : "exch.b32", address(e), e->value);
  say_log(e);
}

static void say_fence(int thread) {
  Event *e = add_event(EVENT_FENCE, thread);
  e->is_sc = !draw(3);
  say("fence.%s.%s;", e->is_sc ? "sc" : "acq_rel", draw_scope(e));
}

// Prints a loop that takes some time, in which other threads have turns.
static void say_pause(void) {
  say("mov.u32 %%r2, 0;");
  say("P%d: ld.volatile.global.u32 %%r1, [%%in+%d];", program.line,
      MAX_EVENTS * 4);
  say("add.u32 %%r2, %%r2, 1; setp.lt.u32 %%p2, %%r2, 10;");
  say("@%%p2 bra P%d;", program.line - 2);
}

static void say_something(int thread) {
  switch (draw(9)) {
  case 0:
  case 1:
  case 2: say_load(thread); break;
  case 3:
  case 4: say_store(thread); break;
  case 5:
  case 6: say_atomic(thread); break;
  case 7: say_fence(thread); break;
  default: say_pause(); break;
  }
}

// -- Programs ----------------------------------------------------------------

// The step of each CTA, or else each warp, at the end of a round.
typedef struct {
  bool cta_waits[CTAS], warp_waits[CTAS * WARPS];
  int number;
} Round;

static void say_wait(int thread, const Round *round) {
  const int warp = thread / LANES_USED, cta = warp / WARPS;
  const bool by_cta = round->cta_waits[cta];
  if (!by_cta && !round->warp_waits[warp]) return;
  Event *e = add_event(EVENT_BARRIER, thread);
  e->place = 100 * round->number + (by_cta ? cta : CTAS + warp);
  say(by_cta ? "barrier.sync 0;" : "bar.warp.sync 3;");
}

static void say_thread(int thread, const Round *rounds, int num_rounds) {
  say("T%d:", thread);
  for (int i = 0; i < num_rounds; i++) {
    for (uint32_t j = draw(4); j; j--) say_something(thread);
    say_wait(thread, &rounds[i]);
  }
  say("bra E;");
}

static void say_head(void) {
  say(".version 7.8\n.target sm_80\n.address_size 64");
  program.line += 2;
  say(".visible .entry k(.param .u64 a, .param .u64 b) {");
  say(".reg .b32 %%r<9>; .reg .b64 %%out, %%in; .reg .pred %%p<4>;");
  say(".shared .align 4 .b32 s[%d];", NEAR_WORDS);
  say("ld.param.u64 %%out, [a]; ld.param.u64 %%in, [b];");
  say("mov.u32 %%r3, %%tid.x; setp.eq.u32 %%p1, %%r3, 0;");
  for (int i = 0; i < NEAR_WORDS; i++)
    say("@%%p1 st.shared.u32 [s+%d], 0;", i * 4);
  say("bar.sync 0;");
  say("mov.u32 %%r4, %%ctaid.x; shl.b32 %%r4, %%r4, 6; or.b32 %%r4, %%r4, "
      "%%r3;");
  for (int i = 0; i < THREADS; i++) {
    const int cta = i / (WARPS * LANES_USED), warp = i / LANES_USED % WARPS;
    say("setp.eq.u32 %%p1, %%r4, %d; @%%p1 bra T%d;",
        cta * 64 + warp * 32 + i % LANES_USED, i);
  }
  say("exit;");
}

static void make_program(uint32_t seed) {
  Round rounds[4];
  program.seed = seed * 2654435761u + 1;
  program.length = program.numbers = program.bits = 0;
  program.line = program.run.count = 0;
  for (int i = 0; i < FAR_WORDS; i++) program.run.is_known[i] = true;
  const int num_rounds = 1 + (int)draw(4);
  for (int i = 0; i < num_rounds; i++) {
    rounds[i].number = i;
    for (int j = 0; j < CTAS; j++) rounds[i].cta_waits[j] = !draw(3);
    for (int j = 0; j < CTAS * WARPS; j++) rounds[i].warp_waits[j] = !draw(3);
  }
  say_head();
  for (int i = 0; i < THREADS; i++) say_thread(i, rounds, num_rounds);
  say("E: ret; }");
}

static void run_program(uint32_t seed) {
  static const uint32_t zeros[MAX_EVENTS + 1];
  uint32_t log[MAX_EVENTS];
  char schedule[16];
  snprintf(schedule, sizeof schedule, "%u", seed % 1000 + 1);
  setenv("TILE_SIM_SCHEDULE", seed % 8 ? schedule : "late", 1);
  CUmodule module = kit_load_text(program.text);
  CUdeviceptr out = kit_upload(zeros, FAR_WORDS * 4);
  CUdeviceptr in = kit_upload(zeros, sizeof zeros);
  void *params[] = {&out, &in};
  kit_run(module, "k", (KitShape){{CTAS}, {WARPS * 32}, 0}, params);
  assert_int_equal(cuMemcpyDtoH_v2(log, in, sizeof log), 0);
  kit_download(program.run.final, out, FAR_WORDS * 4);
  assert_int_equal(cuMemFree_v2(in), 0);
  assert_int_equal(cuModuleUnload(module), 0);
  for (int i = 0; i < program.run.count; i++) {
    Event *e = &program.run.events[i];
    e->found = e->is_early ? 0 : log[i];
    if (e->is_early && log[i] < 2) e->kind = EVENT_NONE;
  }
}

// -- Reports -----------------------------------------------------------------

// The last event of a line of the PTX; -1: none.
static int event_at(int line) {
  int event = -1;
  for (int i = 0; i < program.run.count; i++)
    if (program.run.events[i].line == line) event = i;
  return event;
}

// Prints to standard output, since the simulator's output is dropped.
static void fail_at(uint32_t seed, const char *what, const char *more) {
  printf("TILE_TEST_SEED=%u: %s: %s\n%s\n", seed, what, more, program.text);
  for (int i = 0; i < program.run.count; i++)
    if (program.run.events[i].found)
      printf("line %d has found %u\n", program.run.events[i].line,
             program.run.events[i].found);
  fail();
}

// Atomics with the CTA's scope at a word that other CTAs use, too, may be
// reported as races with accesses that come after them only because a read has
// found a write.
static bool is_mixed(const Event *a, const Event *b) {
  return a->place == b->place && a->cta != b->cta &&
         (a->scope == SCOPE_CTA || b->scope == SCOPE_CTA);
}

// If there is a race, the report may name another access that takes part in it.
static bool races(int now) {
  const Event *events = program.run.events;
  if (now && events[now - 1].line == events[now].line && races(now - 1))
    return true;
  for (int i = 0; i < program.run.count; i++)
    if (found.may[i][now] || is_mixed(&events[i], &events[now])) return true;
  return false;
}

// Checks one report; returns the place that it is about.
static int check_report(uint32_t seed, const char *line) {
  const char *at = strstr(line, "\"ptx_line\":");
  const int now = at ? event_at(atoi(at + 11)) : -1;
  if (strncmp(line, "{\"kind\":\"race\"", 14) != 0 || now < 0)
    fail_at(seed, "an unexpected report", line);
  if (!races(now)) fail_at(seed, "this does not race", line);
  return program.run.events[now].place;
}

static int check_reports(uint32_t seed, bool told[]) {
  static char text[1 << 16];
  snprintf(text, sizeof text, "%s", kit_report_text());
  int count = 0;
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    told[check_report(seed, line)] = true;
    count++;
  }
  return count;
}

static void check(uint32_t seed) {
  bool told[FAR_WORDS + CTAS * NEAR_WORDS] = {false};
  find_races(&program.run, &found);
  if (check_reports(seed, told) >= MOST_REPORTS) return;
  for (int i = 0; i < program.run.count; i++) {
    for (int j = 0; j < i; j++) {
      if (!found.sure[j][i] || told[program.run.events[i].place]) continue;
      char pair[80];
      snprintf(pair, sizeof pair, "lines %d and %d race",
               program.run.events[j].line, program.run.events[i].line);
      fail_at(seed, "a race is missed", pair);
    }
  }
}

static void test_random(void **state) {
  (void)state;
  const int count = getenv("TILE_TEST_FULL") ? 70 * PROGRAMS : PROGRAMS;
  const char *given = getenv("TILE_TEST_SEED");
  const uint32_t first = given ? (uint32_t)strtoul(given, NULL, 0) : 1;
  for (uint32_t seed = first; seed < first + (uint32_t)count; seed++) {
    make_program(seed);
    run_program(seed);
    check(seed);
    kit_reports();
  }
}

static int open_quietly(void **state) {
  setenv("TILE_SIM_THREADS", "1", 1);
  return kit_setup(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
  if (!getenv("SHOW") && !freopen("/dev/null", "w", stderr)) return 1;
  return cmocka_run_group_tests(tests, open_quietly, kit_teardown);
}
