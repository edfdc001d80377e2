// test_cache_dir -- contexts with a cache on disk: code of another process is
// loaded, and code with other inputs is not.
//
// Backs I3 of runtime/disk.
#define _GNU_SOURCE // mkdtemp, nftw
#include "tests/runtime/cache_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

int main(void) {
  setenv("TILE_NUM_THREADS", "1", 1);
  const struct CMUnitTest tests[] = {
      TEST(test_it_is_compiled_once),     TEST(test_devices),
      TEST(test_what_a_launch_says),      TEST(test_what_a_source_says),
      TEST(test_kernels_of_one_name),     TEST(test_imports),
      TEST(test_warnings_are_told_again),
  };
  return RUN_TESTS_WITH_FILES(tests);
}
