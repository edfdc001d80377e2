// test_tuned -- files of tuned configurations: written, read, joined, broken.
//
// Backs I1 and I2 of runtime/tuned.
#define _GNU_SOURCE // mkdtemp, flock, syscall
#include "runtime/base/base.h"
#include "runtime/tuned/tuned.h"
#include "tests/tools/open_files.h"
#include "tests/unit/arena_test.h"
#include "tests/unit/runtime/no_locks.h"

#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static TunedFile example(void) {
  TunedFile file = {.name = {"add", "00ff", "cpu, a \"fast\" one\\"}};
  tuned_set(&arena, &file,
            &(TunedEntry){"n=1, *fp32", "BLOCK=16", 2e-6, false});
  tuned_set(&arena, &file,
            &(TunedEntry){"n=2, *fp32", "BLOCK=32", 3.25e-5, true});
  return file;
}

static void what_is_written_is_read(void **state) {
  const TunedFile file = example();
  const char *text = tuned_write(&arena, &file);
  TunedFile found;
  (void)state;
  assert_true(tuned_read(&arena, text, strlen(text), &found));
  assert_string_equal(found.name.kernel, "add");
  assert_string_equal(found.name.source, "00ff");
  assert_string_equal(found.name.device, "cpu, a \"fast\" one\\");
  assert_int_equal(found.entries.count, 2);
  assert_string_equal(found.entries.items[1].key, "n=2, *fp32");
  assert_string_equal(found.entries.items[1].choice, "BLOCK=32");
  assert_true(found.entries.items[1].seconds == 3.25e-5);
  assert_false(found.entries.items[0].is_point);
  assert_true(found.entries.items[1].is_point);
  assert_string_equal(tuned_file_name(&arena, &found.name),
                      "add.cpu--a--fast--one-.00ff.json");
}

// The quicker of two entries stays; an entry that is set replaces another.
static void files_are_joined(void **state) {
  TunedFile to = example(), from = {.name = to.name};
  (void)state;
  tuned_set(&arena, &from,
            &(TunedEntry){"n=1, *fp32", "BLOCK=64", 1e-6, false});
  tuned_set(&arena, &from, &(TunedEntry){"n=2, *fp32", "BLOCK=64", 1, false});
  tuned_set(&arena, &from, &(TunedEntry){"n=3, *fp32", "BLOCK=64", 1, false});
  tuned_join(&arena, &to, &from);
  assert_int_equal(to.entries.count, 3);
  assert_string_equal(to.entries.items[0].choice, "BLOCK=64");
  assert_string_equal(to.entries.items[1].choice, "BLOCK=32");
  assert_string_equal(to.entries.items[2].choice, "BLOCK=64");
  tuned_set(&arena, &to, &(TunedEntry){"n=1, *fp32", "BLOCK=8", 9, false});
  assert_string_equal(to.entries.items[0].choice, "BLOCK=8");
}

// The bytes are in memory of their own, so that reads past the end are found.
static bool read_bytes(const char *bytes, size_t size) {
  TunedFile file;
  char *own = malloc(size + 1);
  memcpy(own, bytes, size);
  const bool ok = tuned_read(&arena, own, size, &file);
  free(own);
  return ok;
}

static void what_is_broken_is_refused(void **state) {
  const TunedFile file = example();
  const char *text = tuned_write(&arena, &file);
  const size_t size = strlen(text) - 1; // without the newline
  (void)state;
  assert_true(read_bytes(text, size));
  for (size_t i = 0; i < size; i++) assert_false(read_bytes(text, i));
  char *changed = arena_strdup(&arena, text);
  for (size_t i = 0; i < size; i++) {
    for (int bit = 0; bit < 8; bit++) {
      changed[i] = (char)(text[i] ^ 1 << bit);
      (void)read_bytes(changed, size); // a broken file is read, too
    }
    changed[i] = text[i];
  }
}

// A changed text of the point must not be run: the checksum refuses the file.
static void a_point_that_was_changed_is_refused(void **state) {
  const TunedFile file = example();
  char *text = arena_strdup(&arena, tuned_write(&arena, &file));
  (void)state;
  strstr(text, "BLOCK=32")[6] = '6'; // 62
  assert_false(read_bytes(text, strlen(text)));
  strstr(text, "BLOCK=62")[6] = '3';
  assert_true(read_bytes(text, strlen(text)));
}

static bool is_json(const char *text) {
  return json_parse(&arena, text, strlen(text)) != NULL;
}

static void what_is_json(void **state) {
  (void)state;
  assert_true(is_json(" {\"a\": [1, -2.5e3, true, false, null, {}, []]} "));
  assert_false(is_json(""));
  assert_false(is_json("[1,]"));
  assert_false(is_json("[1 2]"));
  assert_false(is_json("{\"a\" 1}"));
  assert_false(is_json("{1: 1}"));
  assert_false(is_json("\"a"));
  assert_false(is_json("\"\\x\""));
  assert_false(is_json("\"\\u00g0\""));
  assert_false(is_json("\"\\u0000\"")); // a text ends there
  assert_false(is_json("nan"));
  assert_false(is_json("1 1"));
  assert_false(is_json("0x10"));
  assert_false(is_json("-inf"));
  assert_true(is_json("[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]"));
  assert_false(is_json("[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]"));
  assert_false(is_json("\"\\ud83d\"")); // half a character
  assert_false(is_json("\"\\ude00\""));
  assert_false(is_json("\"\\ud83d\\u0041\""));
  const char *text = "{\"a\": \"\\u00e9\\u20ac\\ud83d\\ude00\\n\", \"b\": 7}";
  const JsonValue *value = json_parse(&arena, text, strlen(text));
  assert_string_equal(json_text(value, "a"),
                      "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\n");
  assert_true(json_number(value, "b") == 7);
  assert_string_equal(json_text(value, "b"), "");
  assert_null(json_member(value, "c"));
}

// The name in a file may be forged: the file stays in its folder.
static void a_name_is_no_path(void **state) {
  const TunedName name = {"", "/../../up", ""};
  (void)state;
  assert_null(strchr(tuned_file_name(&arena, &name), '/'));
}

// A locale with a comma in its numbers, if the machine has one.
static bool use_comma(void) {
  static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"};
  bool found = false;
  for (size_t i = 0; !found && i < sizeof names / sizeof *names; i++)
    found = setlocale(LC_NUMERIC, names[i]) != NULL;
  return found;
}

static void numbers_have_a_point_in_every_locale(void **state) {
  const TunedFile file = example();
  const char *text = tuned_write(&arena, &file);
  TunedFile found;
  (void)state;
  if (!use_comma()) skip();
  assert_string_equal(tuned_write(&arena, &file), text);
  const bool ok = tuned_read(&arena, text, strlen(text), &found);
  setlocale(LC_NUMERIC, "C");
  assert_true(ok);
  assert_true(found.entries.items[1].seconds == 3.25e-5);
}

static void keep_one(const char *folder, const char *key) {
  const TunedName name = {"add", "00ff", "cpu"};
  const TunedEntry entry = {key, "BLOCK=16", 1e-6, false};
  TunedStore *store;
  char why[256];
  assert_true(tuned_open(&system_allocator, folder, &store));
  assert_int_equal(tuned_keep(store, &name, &entry, why, sizeof why),
                   TUNED_KEPT);
  tuned_close(store);
}

static void expect_kept(const char *folder, const char *key) {
  const TunedName name = {"add", "00ff", "cpu"};
  TunedStore *store;
  assert_true(tuned_open(&system_allocator, folder, &store));
  bool is_point;
  assert_non_null(tuned_find(store, &name, key, &arena, &is_point));
  tuned_close(store);
}

// A umask that leaves files to the group, as many systems have it.
static void what_is_kept_is_found_with_any_umask(void **state) {
  char folder[] = "/tmp/tuned-XXXXXX", path[64];
  const mode_t mask = umask(002);
  (void)state;
  assert_non_null(mkdtemp(folder));
  keep_one(folder, "n=1");
  keep_one(folder, "n=2");
  umask(mask);
  expect_kept(folder, "n=1");
  expect_kept(folder, "n=2");
  snprintf(path, sizeof path, "%s/add.cpu.00ff.json", folder);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(folder), 0);
}

// -- Many writers ------------------------------------------------------------

enum { NUM_WRITERS = 20, NUM_KEYS = 5 };

static void keep_several(const char *folder, int writer) {
  for (int i = 0; i < NUM_KEYS; i++) {
    char key[32];
    snprintf(key, sizeof key, "n=%d", writer * NUM_KEYS + i);
    keep_one(folder, key);
  }
}

static void expect_all(const char *folder) {
  for (int i = 0; i < NUM_WRITERS * NUM_KEYS; i++) {
    char key[32];
    snprintf(key, sizeof key, "n=%d", i);
    expect_kept(folder, key);
  }
}

// A killed process leaves a lock that is free, and a temporary file.
static void writers_at_once_lose_nothing(void **state) {
  char folder[] = "/tmp/tuned-XXXXXX", path[64];
  pid_t writers[NUM_WRITERS];
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/writing", folder);
  fclose(fopen(path, "w"));
  snprintf(path, sizeof path, "%s/tile-tmp-1-2-3", folder);
  fclose(fopen(path, "w"));
  for (int i = 0; i < NUM_WRITERS; i++) {
    writers[i] = fork();
    assert_true(writers[i] >= 0);
    if (writers[i]) continue;
    keep_several(folder, i);
    _exit(0);
  }
  for (int i = 0; i < NUM_WRITERS; i++) {
    int status;
    assert_int_equal(waitpid(writers[i], &status, 0), writers[i]);
    assert_int_equal(status, 0);
  }
  expect_all(folder);
  snprintf(path, sizeof path, "%s/add.cpu.00ff.json", folder);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(folder), 0); // both are gone
}

// Files of killed processes are searched for once a store, not with each
// kernel.
static void a_store_lists_its_folder_once(void **state) {
  char folder[] = "/tmp/tuned-XXXXXX", path[64];
  const TunedName names[] = {{"add", "00ff", "cpu"}, {"mul", "00ff", "cpu"}};
  TunedStore *store;
  bool is_point;
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/tile-tmp-1-2-3", folder);
  assert_true(tuned_open(&system_allocator, folder, &store));
  for (int i = 0; i < 2; i++) {
    fclose(fopen(path, "w"));
    assert_null(tuned_find(store, &names[i], "n=1", &arena, &is_point));
    assert_int_equal(unlink(path), i ? 0 : -1);
  }
  tuned_close(store);
  assert_int_equal(rmdir(folder), 0);
}

// Without locks no file is left behind, either.
static void a_file_system_without_locks(void **state) {
  char folder[] = "/tmp/tuned-XXXXXX", path[64];
  (void)state;
  assert_non_null(mkdtemp(folder));
  has_no_locks = true;
  keep_one(folder, "n=1");
  expect_kept(folder, "n=1");
  has_no_locks = false;
  snprintf(path, sizeof path, "%s/add.cpu.00ff.json", folder);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(folder), 0);
}

// -- Threads -----------------------------------------------------------------

typedef struct {
  TunedStore *store;
  _Atomic bool is_over;
} Keeper;

static const TunedName shared_name = {"add", "00ff", "cpu"};

// Writes a choice of a list and a point by turns.
static void *keep_by_turns(void *data) {
  enum { NUM_TURNS = 200 };
  Keeper *keeper = data;
  char why[256];
  for (int i = 0; i < NUM_TURNS; i++) {
    const bool is_point = i % 2;
    const TunedEntry entry = {"n=1", is_point ? "point" : "listed", 1e-6,
                              is_point};
    tuned_keep(keeper->store, &shared_name, &entry, why, sizeof why);
  }
  atomic_store(&keeper->is_over, true);
  return NULL;
}

// A choice is found with its own values, not with those of the next choice.
static void an_entry_is_found_whole(void **state) {
  char folder[] = "/tmp/tuned-XXXXXX", path[64];
  Keeper keeper = {.is_over = false};
  pthread_t thread;
  (void)state;
  assert_non_null(mkdtemp(folder));
  assert_true(tuned_open(&system_allocator, folder, &keeper.store));
  assert_int_equal(pthread_create(&thread, NULL, keep_by_turns, &keeper), 0);
  while (!atomic_load(&keeper.is_over)) {
    bool is_point;
    const char *choice =
        tuned_find(keeper.store, &shared_name, "n=1", &arena, &is_point);
    if (choice) assert_int_equal(is_point, *choice == 'p');
  }
  pthread_join(thread, NULL);
  tuned_close(keeper.store);
  snprintf(path, sizeof path, "%s/add.cpu.00ff.json", folder);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(folder), 0);
}

// Keeps an entry; NULL: it was kept.
static void *keep_once(void *data) {
  Keeper *keeper = data;
  const TunedEntry entry = {"n=1", "listed", 1e-6, false};
  char why[256];
  return tuned_keep(keeper->store, &shared_name, &entry, why, sizeof why) ==
                 TUNED_KEPT
             ? NULL
             : data;
}

// Holds the file's lock as another process that writes there would.
static int lock_file(const char *path) {
  const int file = open(path, O_RDWR | O_CREAT, 0600);
  assert_true(file >= 0);
  assert_int_equal(flock(file, LOCK_EX), 0);
  return file;
}

// The writer waits for ten seconds.
static void a_look_up_waits_for_no_writer(void **state) {
  char folder[] = "/tmp/tuned-XXXXXX", path[64];
  Keeper keeper = {.is_over = false};
  pthread_t thread;
  bool is_point;
  (void)state;
  assert_non_null(mkdtemp(folder));
  assert_true(tuned_open(&system_allocator, folder, &keeper.store));
  snprintf(path, sizeof path, "%s/writing", folder);
  const int file = lock_file(path);
  const double start = clock_seconds();
  assert_int_equal(pthread_create(&thread, NULL, keep_once, &keeper), 0);
  while (!tuned_find(keeper.store, &shared_name, "n=1", &arena, &is_point))
    sched_yield();
  assert_true(clock_seconds() - start < 5);
  assert_int_equal(unlink(path), 0);
  close(file);
  void *failed;
  pthread_join(thread, &failed);
  assert_null(failed);
  tuned_close(keeper.store);
  expect_kept(folder, "n=1");
  snprintf(path, sizeof path, "%s/add.cpu.00ff.json", folder);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(folder), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_is_read),
      cmocka_unit_test(files_are_joined),
      cmocka_unit_test(what_is_broken_is_refused),
      cmocka_unit_test(a_point_that_was_changed_is_refused),
      cmocka_unit_test(what_is_json),
      cmocka_unit_test(a_name_is_no_path),
      cmocka_unit_test(numbers_have_a_point_in_every_locale),
      cmocka_unit_test(what_is_kept_is_found_with_any_umask),
      cmocka_unit_test(writers_at_once_lose_nothing),
      cmocka_unit_test(a_store_lists_its_folder_once),
      cmocka_unit_test(a_file_system_without_locks),
      cmocka_unit_test(an_entry_is_found_whole),
      cmocka_unit_test(a_look_up_waits_for_no_writer),
  };
  count_open_files(NULL);
  return same_open_files(
      cmocka_run_group_tests(tests, arena_set_up, arena_tear_down));
}
