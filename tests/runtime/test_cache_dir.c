// test_cache_dir -- contexts with a cache on disk: code of another process is
// loaded, code with other inputs is not, and broken files are made anew.
//
// Backs I3 of runtime/disk.
#define _GNU_SOURCE // mkdtemp, nftw
#include "tile/tile.h"

#include "tests/runtime/programs.h"
#include "tests/tools/open_files.h"

#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64], cache[80];
static int num_compiled, num_loaded, num_files;
static char files[64][256]; // of the cache

static int remove_one(const char *path, const struct stat *info, int type,
                      struct FTW *at) {
  (void)info, (void)type, (void)at;
  return remove(path);
}

static int set_up(void **state) {
  (void)state;
  strcpy(folder, "/tmp/test_cache_dir.XXXXXX");
  if (!mkdtemp(folder)) return 1;
  snprintf(cache, sizeof cache, "%s/cache", folder);
  num_compiled = num_loaded = 0;
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  return nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static int note_file(const char *path, const struct stat *info, int type,
                     struct FTW *at) {
  (void)info, (void)at;
  if (type == FTW_F && num_files < 64)
    snprintf(files[num_files++], sizeof *files, "%s", path);
  return 0;
}

static int count_files(void) {
  num_files = 0;
  nftw(cache, note_file, 16, FTW_PHYS);
  return num_files;
}

static void count_lines(void *ctx, const char *line) {
  (void)ctx;
  num_compiled += !strncmp(line, "compiled ", 9);
  num_loaded += !strncmp(line, "loaded ", 7);
}

// -- A launch by a context of its own ----------------------------------------

typedef struct {
  TileSource source;
  const char *device; // NULL: the CPU
  const char *kernel; // NULL: the only one
  TileLaunch launch;
  TileArg args[4]; // behind two buffers of 64 floats
  bool read_only;
} Job;

static Job copy_job(void) {
  return (Job){.source = {.size = sizeof(TileSource),
                          .file = "copy.tile",
                          .text = copy_text},
               .launch = {.size = sizeof(TileLaunch), .num_args = 1},
               .args = {tile_int_arg(64)}};
}

typedef struct {
  TileContext *context;
  TileDevice *device;
  TileProgram *program;
  TileBuffer *x, *y;
} Rig;

static void open_rig(const Job *job, Rig *r, TileDiagnostics **why) {
  const TileContextOptions options = {.size = sizeof options,
                                      .log = count_lines,
                                      .cache_dir = cache,
                                      .cache_read_only = job->read_only};
  const char *device = job->device ? job->device : "cpu";
  *r = (Rig){NULL};
  assert_int_equal(tile_context_create(&options, &r->context), TILE_OK);
  assert_int_equal(tile_device_open(r->context, device, &r->device, why),
                   TILE_OK);
  if (tile_program_create(r->context, &job->source, &r->program, why))
    fail_msg("%s", tile_diagnostics_text(*why));
  assert_int_equal(tile_buffer_create(r->device, 256, &r->x), TILE_OK);
  assert_int_equal(tile_buffer_create(r->device, 256, &r->y), TILE_OK);
}

static void close_rig(const Rig *r) {
  tile_buffer_destroy(r->x);
  tile_buffer_destroy(r->y);
  tile_program_destroy(r->program);
  tile_device_destroy(r->device);
  tile_context_destroy(r->context);
}

static TileStatus launch_with(const Job *job, const Rig *r, float *y,
                              TileDiagnostics **why) {
  float x[64];
  TileArg args[6] = {tile_buffer_arg(r->x, TILE_FP32),
                     tile_buffer_arg(r->y, TILE_FP32)};
  memcpy(args + 2, job->args, sizeof job->args);
  TileLaunch launch = job->launch;
  launch.grid[0] = 4;
  launch.args = args;
  launch.num_args += 2;
  for (int i = 0; i < 64; i++) x[i] = (float)(i + 1);
  TileStatus status =
      tile_program_kernel(r->program, job->kernel, &launch.kernel, why);
  if (!status) status = tile_buffer_write(r->x, 0, x, sizeof x);
  if (!status) status = tile_launch(r->device, &launch, why);
  if (!status) status = tile_device_sync(r->device, why);
  if (!status) status = tile_buffer_read(r->y, 0, y, sizeof x);
  return status;
}

static char said[4096]; // by the last launch

// y[0] of a launch by a new context, which stands for a new process, but takes
// less time.
static float run(const Job *job) {
  Rig r;
  float y[64];
  TileDiagnostics *why = NULL;
  open_rig(job, &r, &why);
  const TileStatus status = launch_with(job, &r, y, &why);
  snprintf(said, sizeof said, "%s", tile_diagnostics_text(why));
  if (status) fail_msg("status %d: %s", status, said);
  tile_diagnostics_destroy(why);
  close_rig(&r);
  return y[0];
}

// Was the kernel compiled, and not loaded?
static bool compiles(const Job *job) {
  const int before = num_compiled, loaded = num_loaded;
  run(job);
  assert_int_equal(num_compiled - before + num_loaded - loaded, 1);
  return num_compiled != before;
}

// -- Tests -------------------------------------------------------------------

static void test_it_is_compiled_once(void **state) {
  (void)state;
  const Job job = copy_job();
  assert_true(run(&job) == 2.0f);
  assert_int_equal(num_compiled, 1);
  assert_int_equal(count_files(), 1);
  assert_true(run(&job) == 2.0f);
  assert_int_equal(num_compiled, 1);
  assert_int_equal(num_loaded, 1);
}

static void expect_child(pid_t child) {
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  if (!WIFEXITED(status)) fail_msg("signal %d", WTERMSIG(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

// In a process of its own: a simulator reads the name of its chip once.
static void expect_sim(const char *chip, bool compiled) {
  const pid_t child = fork();
  assert_true(child >= 0);
  if (!child) {
    Job job = copy_job();
    job.device = "sim";
    setenv("TILE_SIM_CHIP", chip, 1);
    _exit(compiles(&job) == compiled ? 0 : 1);
  }
  expect_child(child);
}

static void test_devices(void **state) {
  (void)state;
  Job job = copy_job();
  job.device = "null";
  assert_true(compiles(&job));
  job.device = "cpu"; // the same code
  assert_false(compiles(&job));
  expect_sim("sm_80", true);
  expect_sim("sm_80", false);
  expect_sim("sm_90", true);
  expect_sim("sm_90", false);
  expect_sim("sm_80", false);
  assert_int_equal(count_files(), 3);
}

static const char wide_text[] =
    "@triton.autotune(configs=[triton.Config({'BLOCK': b}) for b in [16, 8]],\n"
    "                 key=['n'])\n"
    "@triton.jit\n"
    "def wide(x, y, n, s, MORE: tl.constexpr = 1, BLOCK: tl.constexpr = 16):\n"
    "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    "    tl.device_assert(n > 0)\n"
    "    v = tl.load(x + i, mask=i < n)\n"
    "    tl.store(y + i, v * s + v + MORE, mask=i < n)\n";

static Job wide_job(void) {
  Job job = copy_job();
  job.source.text = wide_text;
  job.args[1] = tile_float_arg(2);
  job.launch.num_args = 2;
  return job;
}

static void expect_compiled(const char *what, const Job *job) {
  if (!compiles(job)) fail_msg("%s makes no difference", what);
  if (compiles(job)) fail_msg("%s is not kept", what);
}

// Every field of a launch that may change the code makes another entry.
static void test_what_a_launch_says(void **state) {
  (void)state;
  const Job plain = wide_job();
  expect_compiled("nothing", &plain);
  Job job = plain;
  job.launch.num_warps = 8;
  expect_compiled("num_warps", &job);
  job = plain;
  job.launch.num_stages = 5;
  expect_compiled("num_stages", &job);
  job = plain;
  job.launch.size = sizeof job.launch, job.launch.num_ctas = 2;
  expect_compiled("num_ctas", &job);
  job = plain;
  job.launch.config = 1;
  expect_compiled("config", &job);
  job = plain;
  job.launch.no_fp_fusion = true;
  expect_compiled("no_fp_fusion", &job);
  job = plain;
  job.launch.debug = 1;
  expect_compiled("debug", &job);
  job.launch.debug = -1;
  expect_compiled("debug off", &job);
  job = plain;
  job.args[0] = tile_int_arg(63);
  expect_compiled("divisibility", &job);
  job.args[0].dtype = TILE_INT64;
  expect_compiled("a type", &job);
  job = plain;
  job.args[0] = tile_int_arg(1);
  expect_compiled("a constant that is 1", &job);
  job = plain;
  const TileConstant more[] = {{"MORE", tile_int_arg(2)}};
  job.launch.constants = more;
  job.launch.num_constants = 1;
  expect_compiled("a constant", &job);
  const TileConstant real[] = {{"MORE", tile_float_arg(2)}};
  job.launch.constants = real;
  expect_compiled("a constant of another kind", &job);
  assert_false(compiles(&plain));
}

static const char defined_text[] = "from host import WIDTH\n"
                                   "@triton.jit\n"
                                   "def defined(x, y, n):\n"
                                   "    tl.store(y, tl.load(x) * WIDTH)\n";

static void test_what_a_source_says(void **state) {
  (void)state;
  const TileDefine one[] = {{"WIDTH", "3"}}, other[] = {{"WIDTH", "4"}};
  Job job = copy_job();
  expect_compiled("nothing", &job);
  job.source.file = "other.tile";
  expect_compiled("the file's name", &job);
  job.source.triton = 38;
  expect_compiled("the release", &job);
  const char *const paths[] = {"/nowhere"};
  job.source.include_paths = paths;
  job.source.num_include_paths = 1;
  expect_compiled("where imports are", &job);
  job = copy_job();
  job.source.text = defined_text;
  job.source.defines = one;
  job.source.num_defines = 1;
  expect_compiled("the text", &job);
  assert_true(run(&job) == 3.0f);
  job.source.defines = other;
  expect_compiled("a definition", &job);
  assert_true(run(&job) == 4.0f);
}

// Two kernels of one name; each is found by the name by which it was requested.
static const char made_text[] = "def make(k):\n"
                                "    @triton.jit\n"
                                "    def made(x, y, n):\n"
                                "        tl.store(y, tl.load(x) * k)\n"
                                "    return made\n"
                                "kernels = [make(5.0), make(7.0)]\n";

static void test_kernels_of_one_name(void **state) {
  (void)state;
  Job job = copy_job();
  job.source.text = made_text;
  job.kernel = "kernels[0]";
  assert_true(run(&job) == 5.0f);
  job.kernel = "kernels[1]";
  assert_true(run(&job) == 7.0f);
  assert_true(run(&job) == 7.0f);
  assert_int_equal(num_loaded, 1);
}

// -- Imports -----------------------------------------------------------------

static void write_file(const char *name, const char *text) {
  char path[160];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void test_imports(void **state) {
  (void)state;
  char path[160];
  snprintf(path, sizeof path, "%s/main.py", folder);
  Job job = copy_job();
  job.source.file = path;
  job.source.text = "import triton\n"
                    "import triton.language as tl\n"
                    "from parts import scale\n"
                    "@triton.jit\n"
                    "def k(x, y, n):\n"
                    "    tl.store(y, scale(tl.load(x)))\n";
  write_file("parts.py", "import triton\n"
                         "@triton.jit\n"
                         "def scale(v):\n"
                         "    return v * 3\n");
  assert_true(run(&job) == 3.0f);
  assert_true(run(&job) == 3.0f);
  assert_int_equal(num_loaded, 1);
  write_file("parts.py", "import triton\n"
                         "@triton.jit\n"
                         "def scale(v):\n"
                         "    return v * 4\n");
  assert_true(run(&job) == 4.0f);
  assert_int_equal(num_loaded, 1);
  // A package of that name goes before the file.
  snprintf(path, sizeof path, "%s/parts", folder);
  assert_int_equal(mkdir(path, 0700), 0);
  snprintf(path, sizeof path, "%s/main.py", folder);
  write_file("parts/__init__.py", "import triton\n"
                                  "@triton.jit\n"
                                  "def scale(v):\n"
                                  "    return v * 5\n");
  assert_true(run(&job) == 5.0f);
  snprintf(path, sizeof path, "%s/parts/__init__.py", folder);
  assert_int_equal(unlink(path), 0); // as it was before
  snprintf(path, sizeof path, "%s/main.py", folder);
  assert_true(run(&job) == 4.0f);
  assert_int_equal(num_loaded, 2);
}

static void test_warnings_are_told_again(void **state) {
  (void)state;
  char first[sizeof said];
  Job job = copy_job();
  job.source.file = "warns.tile";
  job.source.text = "@triton.jit\n"
                    "def warns(x, y, n, MORE: tl.constexpr = 1):\n"
                    "    if MORE is 1:\n"
                    "        tl.store(y, tl.load(x))\n"
                    "    tl.static_print('here', MORE)\n";
  run(&job);
  strcpy(first, said);
  run(&job);
  assert_int_equal(num_loaded, 1);
  assert_string_equal(first, said);
  assert_int_not_equal(first[0], '\0');
}

// -- Broken entries ----------------------------------------------------------

static void flip(const char *path, long at) {
  FILE *file = fopen(path, "r+");
  assert_non_null(file);
  fseek(file, at, SEEK_SET);
  const int byte = fgetc(file);
  fseek(file, at, SEEK_SET);
  fputc(byte ^ 0x10, file);
  fclose(file);
}

static void test_broken_entries_are_made_anew(void **state) {
  (void)state;
  struct stat info;
  const Job job = copy_job();
  run(&job);
  assert_int_equal(count_files(), 1);
  assert_int_equal(stat(files[0], &info), 0);
  const long size = (long)info.st_size;
  for (long at = 3; at < size; at += size / 12) {
    flip(files[0], at);
    const int before = num_compiled;
    assert_true(run(&job) == 2.0f);
    assert_int_equal(num_compiled, before + 1);
    assert_true(run(&job) == 2.0f);
    assert_int_equal(num_compiled, before + 1);
  }
  for (long left = 0; left < size; left += size / 3) {
    assert_int_equal(truncate(files[0], left), 0);
    const int before = num_compiled;
    assert_true(run(&job) == 2.0f);
    assert_int_equal(num_compiled, before + 1);
  }
  assert_int_equal(count_files(), 1);
}

static void test_a_folder_that_is_not_trusted(void **state) {
  (void)state;
  const Job job = copy_job();
  run(&job);
  assert_int_equal(chmod(cache, 0777), 0);
  assert_true(run(&job) == 2.0f);
  assert_int_equal(num_loaded, 0);
  assert_non_null(strstr(said, "warning: the folder '"));
  assert_int_equal(chmod(cache, 0700), 0);
  assert_true(run(&job) == 2.0f);
  assert_int_equal(num_loaded, 1);
  assert_string_equal(said, "");
}

static void test_read_only(void **state) {
  (void)state;
  Job job = copy_job();
  job.read_only = true;
  run(&job);
  assert_int_equal(count_files(), 0);
  job.read_only = false;
  run(&job);
  job.read_only = true;
  assert_false(compiles(&job));
}

// -- Processes ---------------------------------------------------------------

// All compile, or load the code that another one has written.
static void test_processes_that_race(void **state) {
  (void)state;
  enum { MOST = 200 };
  pid_t children[MOST];
  const int count = getenv("TILE_TEST_FULL") ? MOST : 20;
  const Job job = copy_job();
  for (int i = 0; i < count; i++) {
    children[i] = fork();
    assert_true(children[i] >= 0);
    if (!children[i]) _exit(run(&job) == 2.0f ? 0 : 1);
  }
  for (int i = 0; i < count; i++) expect_child(children[i]);
  assert_int_equal(count_files(), 1); // nothing was left aside
  assert_true(run(&job) == 2.0f);
  assert_int_equal(num_loaded, 1);
}

#define TEST(function)                                                         \
  cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
  setenv("TILE_NUM_THREADS", "1", 1);
  const struct CMUnitTest tests[] = {
      TEST(test_it_is_compiled_once),
      TEST(test_devices),
      TEST(test_what_a_launch_says),
      TEST(test_what_a_source_says),
      TEST(test_kernels_of_one_name),
      TEST(test_imports),
      TEST(test_warnings_are_told_again),
      TEST(test_broken_entries_are_made_anew),
      TEST(test_a_folder_that_is_not_trusted),
      TEST(test_read_only),
      TEST(test_processes_that_race),
  };
  return RUN_TESTS_WITH_FILES(tests);
}
