// test_events -- counters of the system for a launch on the CPU, with a kernel
// of the test's own, and the reports about them.
//
// Backs I4 of runtime/counts.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "runtime/counts/events.h"
#include "runtime/counts/report.h"
#include "runtime/counts/thread_work.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// -- A kernel ----------------------------------------------------------------

static struct {
  bool refuses; // events of the hardware
  int error;    // errno then
  int starts, num_open, num_read, num_closed;
  uint64_t step; // counter i grows by (i + 1) * step
  uint64_t running;
  bool fails; // to read
} fake;

static int fake_open(struct perf_event_attr *about, int leader) {
  assert_int_equal(about->exclude_kernel, 1);
  assert_int_equal(about->disabled, leader < 0);
  if (about->type == PERF_TYPE_HARDWARE && fake.refuses) {
    errno = fake.error;
    return -1;
  }
  assert_int_equal(leader, fake.num_open ? 10 : -1);
  return 10 + fake.num_open++;
}

static int fake_start(int leader) {
  assert_int_equal(leader, 10);
  fake.starts++;
  return 0;
}

static ssize_t fake_read(int file, void *to, size_t size) {
  uint64_t *now = to;
  const size_t used = (size_t)(3 + fake.num_open) * sizeof *now;
  assert_int_equal(file, 10);
  assert_true(size >= used);
  if (fake.fails) return -1;
  fake.num_read++;
  now[0] = (uint64_t)fake.num_open;
  now[1] = 1000;
  now[2] = fake.running;
  for (int i = 0; i < fake.num_open; i++)
    now[3 + i] = (uint64_t)(i + 1) * fake.step * (uint64_t)fake.num_read;
  return (ssize_t)used;
}

static int fake_close(int file) {
  assert_in_range(file, 10, 9 + fake.num_open);
  fake.num_closed++;
  return 0;
}

static const EventDoor fake_door = {fake_open, fake_start, fake_read,
                                    fake_close};

static int set_up(void **state) {
  (void)state;
  memset(&fake, 0, sizeof fake);
  fake.step = 100;
  fake.running = 1000;
  return 0;
}

// -- Counting ----------------------------------------------------------------

static void test_all(void **state) {
  (void)state;
  ThreadEvents e;
  uint64_t before[WORK_EVENTS] = {0}, sums[WORK_EVENTS] = {7};
  events_open(&e, &fake_door);
  assert_int_equal(fake.starts, 1);
  events_read(&e, before);
  events_read(&e, sums);
  events_read(&e, sums);
  for (int i = 0; i < WORK_EVENTS; i++)
    assert_int_equal(sums[i], (i ? 0 : 7) + 200 * (i + 1));
  events_close(&e);
  assert_int_equal(fake.num_closed, WORK_EVENTS);
}

// A refused counter stays 0, and the others keep their places.
static void test_some(void **state) {
  (void)state;
  ThreadEvents e;
  uint64_t sums[WORK_EVENTS] = {0};
  fake.refuses = true;
  fake.error = EACCES;
  events_open(&e, &fake_door);
  events_read(&e, sums);
  const uint64_t wanted[WORK_EVENTS] = {100, 0, 0, 0, 200};
  assert_memory_equal(sums, wanted, sizeof wanted);
  assert_int_equal(e.refused[EVENT_cycles], EACCES);
  assert_int_equal(e.refused[EVENT_page_faults], 0);
  assert_string_equal(events_why(EACCES), "the system does not permit it");
  fake.fails = true;
  events_read(&e, sums);
  assert_memory_equal(sums, wanted, sizeof wanted);
  events_close(&e);
  assert_int_equal(fake.num_closed, 2);
}

static int refuse_all(struct perf_event_attr *about, int leader) {
  (void)about, (void)leader;
  errno = ENOSYS;
  return -1;
}

static void test_none(void **state) {
  (void)state;
  const EventDoor door = {refuse_all, fake_start, fake_read, fake_close};
  ThreadEvents e;
  uint64_t sums[WORK_EVENTS] = {0};
  events_open(&e, &door);
  events_read(&e, sums);
  events_close(&e);
  for (int i = 0; i < WORK_EVENTS; i++) {
    assert_int_equal(sums[i], 0);
    assert_int_equal(e.refused[i], ENOSYS);
  }
  assert_int_equal(fake.starts + fake.num_read + fake.num_closed, 0);
}

// The system's own counters, or a reason.
static void test_linux(void **state) {
  (void)state;
  ThreadEvents e;
  uint64_t sums[WORK_EVENTS] = {0};
  enum { PAGES = 64, PAGE = 4096 };
  char *memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(memory != MAP_FAILED);
  events_open(&e, &events_of_linux);
  for (int i = 0; i < PAGES; i++) ((volatile char *)memory)[i * PAGE] = 1;
  events_read(&e, sums);
  munmap(memory, PAGES * PAGE);
  for (int i = 0; i < WORK_EVENTS; i++) {
    if (e.files[i] < 0) {
      assert_true(e.refused[i] != 0);
      printf("without %s: %s\n", event_info[i].title, events_why(e.refused[i]));
    }
  }
  if (e.running) assert_true(sums[EVENT_processor_us] > 0);
  if (e.running && e.files[EVENT_page_faults] >= 0)
    assert_true(sums[EVENT_page_faults] > 0);
  events_close(&e);
}

// -- Reports -----------------------------------------------------------------

// A loop in a loop; a load of 4 bytes and a product of 8 operations in the
// inner one, and a store behind both.
enum { OUTER = 8, INNER = 14, COUNTERS = 32 };
static const char table[] = "32 5 k\n"
                            "-1 20 21 8 0 0 3\tloop\tk.tile\n"
                            "0 22 23 14 0 0 4\tloop\tk.tile\n"
                            "1 22 24 0 4 0 5\tglobal load\tk.tile\n"
                            "1 22 25 0 0 8 6\ttensor\tk.tile\n"
                            "-1 20 26 0 4 0 7\tglobal store\tk.tile\n";

static void report(char *text, size_t size, const char *form,
                   const ThreadWork *threads) {
  uint64_t sums[COUNTERS] = {
      [2] = 1000, [20] = 2, [22] = 10, [24] = 100, [25] = 300, [26] = 100};
  for (int i = 0; i < WORK_EVENTS; i++) {
    sums[OUTER + i] = 10000 * (uint64_t)(i + 1);
    sums[INNER + i] = 1000000 * (uint64_t)(i + 1);
  }
  const uint32_t grid[] = {2, 1, 1};
  const WorkReport about = {.grid = grid,
                            .threads = threads,
                            .num_threads = 2,
                            .num_programs = 2,
                            .seconds = 1,
                            .second_of_tick = 0.001};
  Arena arena;
  char request[] = "text:/tmp/test-events-XXXXXX";
  const int file = mkstemp(request + 5);
  assert_true(file >= 0);
  memcpy(request, form, 4);
  arena_init(&arena, &system_allocator);
  report_write(&arena, &about, table, sums, request);
  arena_free(&arena);
  const ssize_t length = read(file, text, size - 1);
  text[length < 0 ? 0 : length] = '\0';
  close(file);
  unlink(request + 5);
}

static void has(const char *text, const char *part) {
  if (!strstr(text, part)) fail_msg("no '%s' in\n%s", part, text);
}

static void open_threads(ThreadWork *threads) {
  for (int i = 0; i < 2; i++) {
    fake.num_open = 0;
    threads[i] = (ThreadWork){.counts = true, .num_programs = 1, .ticks = 250};
    events_open(&threads[i].events, &fake_door);
    threads[i].events.enabled = 1000;
    threads[i].events.running = fake.running;
    threads[i].sums[EVENT_cycles] = 505;
  }
}

static void test_text(void **state) {
  (void)state;
  char text[4096];
  ThreadWork threads[2];
  open_threads(threads);
  report(text, sizeof text, "text", threads);
  has(text, "k.tile:3                               25 %       75 %");
  has(text, "(all)                                  40 %       60 %");
  has(text,
      "  k.tile:3                                   1010        2020000 ");
  has(text,
      "  k.tile:4                                   1000        2000000 ");
  has(text,
      "  (all)                                      1011        2020000 ");
  has(text,
      "  1, 1                     250.000              0            505 ");
  assert_null(strstr(text, "without"));
  assert_null(strstr(text, "counters ran"));
}

static void test_json(void **state) {
  (void)state;
  char text[4096];
  ThreadWork threads[2];
  fake.running = 500;
  open_threads(threads);
  report(text, sizeof text, "json", threads);
  has(text, "\"memory_seconds\":0.100000000,\"product_seconds\":0.300000000,"
            "\"events\":{\"processor_us\":1010,\"cycles\":2020000,"
            "\"instructions\":3030000,\"cache_misses\":4040000,"
            "\"page_faults\":5050000}");
  has(text,
      "\"threads\":[{\"thread\":0,\"programs\":1,\"seconds\":0.250000000,");
  has(text, "\"refused\":{},\"running\":0.500");
}

static void test_refused(void **state) {
  (void)state;
  char text[4096];
  ThreadWork threads[2];
  fake.refuses = true;
  fake.error = ENOENT;
  fake.running = 500;
  open_threads(threads);
  report(text, sizeof text, "text", threads);
  has(text, "(without cycles, instructions, cache misses: this machine does "
            "not count them)\n");
  has(text, "(counters ran for 50 % of the time)\n");
  has(text, "counted in                         processor us    page faults\n");
  report(text, sizeof text, "text", NULL); // no memory for threads
  has(text, "(all)                                  40 %       60 %");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_all, set_up),
      cmocka_unit_test_setup(test_some, set_up),
      cmocka_unit_test_setup(test_none, set_up),
      cmocka_unit_test_setup(test_linux, set_up),
      cmocka_unit_test_setup(test_text, set_up),
      cmocka_unit_test_setup(test_json, set_up),
      cmocka_unit_test_setup(test_refused, set_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
