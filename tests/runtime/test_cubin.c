// test_cubin -- machine code of a GPU that is not there, by ptxas.
//
// Scripts stand in for ptxas; the real one is asked where it is installed.
//
// Backs I2 of runtime/ptxas.
#define _GNU_SOURCE // mkdtemp
#include "tile/engine.h"
#include "tile/tile.h"

#include "tests/runtime/programs.h"

#include "tests/tools/open_files.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct {
  TileContext *context;
  TileDevice *device;
  TileProgram *program;
  TileArg args[3];
  TileLaunch launch;
} Rig;

static char home[] = "/tmp/test_cubin.XXXXXX", temp[PATH_MAX], script[PATH_MAX];
static long allocations, fail_at = -1, live;
static bool is_cancelled;

static void *count_alloc(void *ctx, size_t size) {
  (void)ctx;
  if (allocations++ == fail_at) return NULL;
  live++;
  return malloc(size);
}

static void count_free(void *ctx, void *block) {
  (void)ctx;
  live--;
  free(block);
}

static bool is_asked(void *ctx) {
  (void)ctx;
  return is_cancelled && !access("started", F_OK);
}

static void close_rig(const Rig *r) {
  tile_program_destroy(r->program);
  tile_device_destroy(r->device);
  tile_context_destroy(r->context);
}

static TileStatus cubin_of(const char *target, TileCode **out,
                           TileDiagnostics **why) {
  static float memory[64];
  const TileContextOptions options = {
      .size = sizeof options,
      .allocator = {count_alloc, count_free, NULL},
      .cancelled = is_asked};
  const TileSource source = {.file = "copy.tile", .text = copy_text};
  Rig r = {NULL};
  TileStatus status = tile_context_create(&options, &r.context);
  if (!status) status = tile_target_open(r.context, target, &r.device, NULL);
  if (!status)
    status = tile_program_create(r.context, &source, &r.program, NULL);
  r.args[0] = r.args[1] = tile_pointer_arg(memory, TILE_FP32);
  r.args[2] = tile_int_arg(16);
  r.launch = (TileLaunch){
      .size = sizeof r.launch, .grid = {1}, .args = r.args, .num_args = 3};
  if (!status)
    status = tile_program_kernel(r.program, NULL, &r.launch.kernel, NULL);
  if (!status)
    status = tile_kernel_code(r.device, &r.launch, TILE_CODE_CUBIN, out, why);
  close_rig(&r);
  return status;
}

static int num_files(void) {
  int count = -2; // . and ..
  DIR *stream = opendir(temp);
  while (readdir(stream)) count++;
  closedir(stream);
  return count;
}

static void expect_nothing_left(void) {
  assert_int_equal(num_files(), 0);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
  assert_int_equal(errno, ECHILD);
}

// Writes a script of this text, which stands in for ptxas.
static void write_script(const char *text) {
  FILE *out = fopen(script, "w");
  assert_non_null(out);
  fprintf(out, "#!/bin/sh\n%s\n", text);
  assert_int_equal(fclose(out), 0);
  assert_int_equal(chmod(script, 0700), 0);
  setenv("TILE_PTXAS", script, 1);
}

static void expect_failure(TileStatus wanted, const char *message) {
  TileCode *code = NULL;
  TileDiagnostics *why = NULL;
  assert_int_equal(cubin_of("sm_90a", &code, &why), wanted);
  assert_null(code);
  if (!strstr(tile_diagnostics_text(why), message))
    fail_msg("'%s' lacks '%s'", tile_diagnostics_text(why), message);
  tile_diagnostics_destroy(why);
  expect_nothing_left();
}

static void expect_cubin(const char *wanted) {
  TileCode *code = NULL;
  TileDiagnostics *why = NULL;
  if (cubin_of("sm_90a", &code, &why))
    fail_msg("%s", tile_diagnostics_text(why));
  assert_int_equal(tile_code_size(code), strlen(wanted));
  assert_memory_equal(tile_code_data(code), wanted, strlen(wanted));
  assert_string_equal(tile_code_symbol(code), "copy");
  tile_code_destroy(code);
  expect_nothing_left();
}

// -- Tests -------------------------------------------------------------------

// The assembler checks the PTX and its empty input, and writes its arguments
// into the cubin.
static void test_it_is_called_as_it_should_be(void **state) {
  (void)state;
  write_script("grep -q 'target sm_90a' kernel.ptx || exit 1\n"
               "read x && exit 2\n" // no input
               "printf '%s' \"$*\" >kernel.cubin");
  expect_cubin("-arch=sm_90a -v -o kernel.cubin kernel.ptx");
}

static void test_there_is_none(void **state) {
  (void)state;
  setenv("TILE_PTXAS", "/nowhere/ptxas", 1);
  expect_failure(TILE_UNAVAILABLE, "$TILE_PTXAS says is '/nowhere/ptxas'");
  if (!access("/usr/local/cuda/bin/ptxas", X_OK)) return;
  char *path = strdup(getenv("PATH"));
  unsetenv("TILE_PTXAS");
  setenv("PATH", home, 1);
  setenv("CUDA_HOME", "", 1);
  setenv("CUDA_PATH", "", 1);
  expect_failure(TILE_UNAVAILABLE, "which is neither on $PATH, nor below");
  setenv("PATH", path, 1);
  free(path);
}

static void test_it_fails(void **state) {
  (void)state;
  write_script("echo 'kernel.ptx, line 3; error: no' >&2; exit 1");
  expect_failure(TILE_DEVICE_ERROR, "line 3; error: no");
  write_script("echo 'my last words'; kill -9 $$");
  expect_failure(TILE_DEVICE_ERROR, "my last words");
  expect_failure(TILE_DEVICE_ERROR, "a sudden end by signal 9");
  write_script("exit 0");
  expect_failure(TILE_DEVICE_ERROR, "kernel.cubin");
  write_script("mkfifo other; touch kernel.cubin; exit 127");
  expect_failure(TILE_DEVICE_ERROR, "ends with code 127");
  FILE *out = fopen(script, "w");
  fputs("#!/nowhere/sh\n", out);
  fclose(out);
  expect_failure(TILE_DEVICE_ERROR, "cannot run");
}

static void test_it_hangs(void **state) {
  (void)state;
  setenv("TILE_PTXAS_SECONDS", "0.3", 1);
  write_script("echo waiting; exec sleep 100");
  expect_failure(TILE_DEVICE_ERROR, "ptxas has not ended after 0.3 s\nwaiting");
  write_script("exec >/dev/null 2>&1 sleep 100");
  expect_failure(TILE_DEVICE_ERROR, "ptxas has not ended after 0.3 s");
  write_script("exec yes");
  expect_failure(TILE_DEVICE_ERROR, "ptxas has not ended after 0.3 s");
  unsetenv("TILE_PTXAS_SECONDS");
}

// A process started by the assembler holds the pipe open after the assembler's
// end.
static void test_it_leaves_a_child(void **state) {
  (void)state;
  const time_t begin = time(NULL);
  write_script("sleep 5 & printf CUBIN >kernel.cubin");
  expect_cubin("CUBIN");
  assert_true(time(NULL) - begin < 4);
}

static void test_it_is_cancelled(void **state) {
  (void)state;
  char text[PATH_MAX + 64];
  assert_int_equal(chdir(home), 0);
  snprintf(text, sizeof text, "touch '%s/started'; exec sleep 100", home);
  write_script(text);
  is_cancelled = true;
  expect_failure(TILE_CANCELLED, "cancelled");
  is_cancelled = false;
  unlink("started");
}

static void ignore(int number) {
  (void)number;
}

// The program's signals are its own, and the child does not inherit them.
static void test_signals_stay(void **state) {
  (void)state;
  sigset_t blocked, before, after;
  struct sigaction action = {.sa_handler = ignore}, found;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  sigaction(SIGCHLD, &action, NULL);
  signal(SIGPIPE, SIG_IGN);
  write_script("grep SigBlk /proc/self/status | tr -d '\\t\\n' >kernel.cubin");
  expect_cubin("SigBlk:0000000000000000");
  sigprocmask(SIG_BLOCK, NULL, &after);
  assert_int_equal(sigismember(&after, SIGTERM), 1);
  sigaction(SIGCHLD, NULL, &found);
  assert_ptr_equal(found.sa_handler, ignore);
  sigaction(SIGPIPE, NULL, &found);
  assert_ptr_equal(found.sa_handler, SIG_IGN);
  // The exit code of the child is lost.
  signal(SIGCHLD, SIG_IGN);
  expect_failure(TILE_DEVICE_ERROR, "has taken the exit code");
  signal(SIGCHLD, SIG_DFL);
  signal(SIGPIPE, SIG_DFL);
  sigprocmask(SIG_SETMASK, &before, NULL);
}

static void test_no_folder(void **state) {
  (void)state;
  write_script("exit 0");
  setenv("TMPDIR", "/nowhere", 1);
  expect_failure(TILE_DEVICE_ERROR, "cannot make a folder '/nowhere/");
  setenv("TMPDIR", temp, 1);
}

static void test_each_allocation_fails(void **state) {
  (void)state;
  write_script("printf CUBIN >kernel.cubin");
  for (bool done = false; !done;) {
    TileCode *code = NULL;
    allocations = 0;
    fail_at++;
    const TileStatus status = cubin_of("sm_80", &code, NULL);
    done = status == TILE_OK;
    if (!done) assert_int_equal(status, TILE_OUT_OF_MEMORY);
    assert_int_equal(code != NULL, done);
    tile_code_destroy(code);
    assert_int_equal(live, 0);
    expect_nothing_left();
  }
  fail_at = -1;
}

static void test_the_real_one(void **state) {
  (void)state;
  TileCode *code = NULL;
  TileDiagnostics *why = NULL;
  unsetenv("TILE_PTXAS");
  const TileStatus status = cubin_of("sm_90a", &code, &why);
  if (status == TILE_UNAVAILABLE) {
    puts("SKIP (part): ptxas is not installed");
  } else {
    assert_int_equal(status, TILE_OK);
    assert_memory_equal(tile_code_data(code), "\177ELF", 4);
    assert_true(tile_code_size(code) > 1000);
  }
  tile_code_destroy(code);
  tile_diagnostics_destroy(why);
  expect_nothing_left();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_it_is_called_as_it_should_be),
      cmocka_unit_test(test_there_is_none),
      cmocka_unit_test(test_it_fails),
      cmocka_unit_test(test_it_hangs),
      cmocka_unit_test(test_it_leaves_a_child),
      cmocka_unit_test(test_it_is_cancelled),
      cmocka_unit_test(test_signals_stay),
      cmocka_unit_test(test_no_folder),
      cmocka_unit_test(test_each_allocation_fails),
      cmocka_unit_test(test_the_real_one),
  };
  if (!mkdtemp(home)) return 1;
  snprintf(temp, sizeof temp, "%s/temp", home);
  snprintf(script, sizeof script, "%s/ptxas", home);
  mkdir(temp, 0700);
  setenv("TMPDIR", temp, 1);
  const int failed = RUN_TESTS_WITH_FILES(tests);
  unlink(script);
  rmdir(temp);
  rmdir(home);
  return failed;
}
