// test_sim_cluster.c -- clusters: joint work of their CTAs, valid sizes, and
// planted bugs, under every schedule.
#include <stdio.h>

#include "sim_kit.h"

enum { THREADS = 64, BYTES = 4096, INVALID_VALUE = 1, CLUSTER_SIZE = 912 };

// CUlaunchConfig and CUlaunchAttribute, as cuda.h lays them out.
typedef struct {
  int id, pad, value[16];
} LaunchAttribute;

typedef struct {
  unsigned grid[3], block[3], shared;
  void *stream;
  const LaunchAttribute *attributes;
  unsigned num_attributes;
} LaunchConfig;

int cuLaunchKernelEx(const LaunchConfig *config, CUfunction f, void **params,
                     void **extra);
int cuOccupancyMaxActiveClusters(int *count, CUfunction f,
                                 const LaunchConfig *config);
int cuOccupancyMaxPotentialClusterSize(int *size, CUfunction f,
                                       const LaunchConfig *config);

static const char *const schedules[] = {"late", "early", "1", "2",
                                        "3",    "4",     "5", "6"};
enum { NUM_SCHEDULES = sizeof schedules / sizeof *schedules };

typedef struct {
  const char *kernel;
  unsigned grid[3], block, shared, cluster[3];
} Shape;

static int run(CUmodule module, const Shape *shape, void **params) {
  const LaunchAttribute attribute = {
      4,
      0,
      {(int)shape->cluster[0], (int)shape->cluster[1], (int)shape->cluster[2]}};
  LaunchConfig config = {.block = {shape->block, 1, 1},
                         .shared = shape->shared,
                         .attributes = &attribute,
                         .num_attributes = shape->cluster[0] > 0};
  memcpy(config.grid, shape->grid, sizeof config.grid);
  CUfunction f;
  assert_int_equal(cuModuleGetFunction(&f, module, shape->kernel), 0);
  assert_int_equal(cuFuncSetAttribute(f, 14, 1), 0); // to 16
  const int error = cuLaunchKernelEx(&config, f, params, NULL);
  return error ? error : cuCtxSynchronize();
}

// -- From CUDA ---------------------------------------------------------------

static void run_sums(unsigned size) {
  static int in[64 * 16], out[64 * 16];
  for (int i = 0; i < 64 * 16; i++) in[i] = i * 7 + i / 5;
  CUmodule module = kit_load("cluster.ptx");
  CUdeviceptr from = kit_upload(in, sizeof in);
  CUdeviceptr to = kit_upload(NULL, sizeof out);
  void *params[] = {&from, &to};
  const Shape shape = {"sums", {16, 1, 1}, 64, 0, {size, 1, 1}};
  char peers[80];
  kit_count("text");
  assert_int_equal(run(module, &shape, params), 0);
  assert_string_equal(kit_reports(), "");
  // Each of 16 reads the 256 bytes of the others.
  snprintf(peers, sizeof peers, "cluster: %u bytes of shared memory of other ",
           16 * (size - 1) * 256);
  const char *counted = kit_counted();
  assert_true(size == 1 ? !strstr(counted, "cluster: ")
                        : !!strstr(counted, peers));
  kit_download(out, to, sizeof out);
  for (unsigned i = 0; i < 64 * 16; i++) {
    int sum = 0;
    for (unsigned j = 0; j < size; j++)
      sum += in[(i / 64 / size * size + j) * 64 + i % 64];
    assert_int_equal(out[i], sum);
  }
  cuMemFree_v2(from);
  cuModuleUnload(module);
}

static void run_histogram(unsigned size) {
  enum { COUNT = 3000, BINS = 96 };
  static int in[COUNT], bins[BINS], out[BINS];
  uint32_t random = 7;
  memset(bins, 0, sizeof bins);
  for (int i = 0; i < COUNT; i++)
    bins[in[i] = (int)(kit_random(&random) % BINS)]++;
  CUmodule module = kit_load("cluster.ptx");
  CUdeviceptr from = kit_upload(in, sizeof in);
  CUdeviceptr to = kit_upload(NULL, sizeof out);
  int count = COUNT, each = BINS / (int)size;
  void *params[] = {&from, &to, &count, &each};
  const Shape shape = {
      "histogram", {size, 1, 1}, 96, (unsigned)each * 4, {size, 1, 1}};
  assert_int_equal(run(module, &shape, params), 0);
  assert_string_equal(kit_reports(), "");
  kit_download(out, to, sizeof out);
  for (int i = 0; i < BINS; i++) assert_int_equal(out[i], bins[i]);
  cuMemFree_v2(from);
  cuModuleUnload(module);
}

static void run_ring(unsigned size) {
  enum { CTAS = 8, EACH = 128 };
  static int in[CTAS * EACH], out[CTAS * EACH];
  for (int i = 0; i < CTAS * EACH; i++) in[i] = i * 5;
  CUmodule module = kit_load("cluster.ptx");
  CUdeviceptr from = kit_upload(in, sizeof in);
  CUdeviceptr to = kit_upload(NULL, sizeof out);
  int rounds = 5;
  void *params[] = {&from, &to, &rounds};
  const Shape shape = {"ring", {CTAS, 1, 1}, 32, 0, {size, 1, 1}};
  assert_int_equal(run(module, &shape, params), 0);
  assert_string_equal(kit_reports(), "");
  kit_download(out, to, sizeof out);
  for (unsigned i = 0; i < CTAS * EACH; i++) {
    const unsigned cta = i / EACH, rank = cta % size;
    const unsigned origin = cta - rank + (rank + 7 * size - 5) % size;
    assert_int_equal(out[i],
                     in[origin * EACH + i % EACH] + (i % 4 ? 0 : rounds));
  }
  cuMemFree_v2(from);
  cuModuleUnload(module);
}

static void run_spread(unsigned size) {
  enum { CTAS = 16, SHARE = 16 };
  static int in[CTAS * SHARE], out[CTAS * 32];
  for (int i = 0; i < CTAS * SHARE; i++) in[i] = i * i;
  CUmodule module = kit_load("cluster.ptx");
  CUdeviceptr from = kit_upload(in, sizeof in);
  CUdeviceptr to = kit_upload(NULL, sizeof out);
  unsigned share = SHARE;
  void *params[] = {&from, &to, &share};
  const Shape shape = {"spread", {CTAS, 1, 1}, 32, 0, {size, 1, 1}};
  assert_int_equal(run(module, &shape, params), 0);
  assert_string_equal(kit_reports(), "");
  kit_download(out, to, sizeof out);
  for (unsigned i = 0; i < CTAS * 32; i++) {
    const unsigned cta = i / 32, first = cta / size * size;
    int sum = 1000 * (int)((cta - first + size - 1) % size);
    for (unsigned j = i % 32; j < SHARE * size; j += 32)
      sum += in[first * SHARE + j];
    assert_int_equal(out[i], sum);
  }
  cuMemFree_v2(from);
  cuModuleUnload(module);
}

static void expect_tally(uint64_t n, uint64_t sums[8]) {
  const uint64_t all[8] = {0, 0, 0, UINT32_MAX, 0, UINT32_MAX, 0, 0};
  memcpy(sums, all, sizeof all);
  int32_t sum = 0;
  for (uint64_t i = 0; i < n; i++) {
    sums[0] += i << 30;
    sum += (int32_t)i - 5;
    if (i < 3) sums[2] = 3;
    if (i + 9 < sums[3]) sums[3] = i + 9;
    sums[4] = (sums[4] + 1) % 10;
    sums[5] &= ~(UINT64_C(1) << i % 32);
    sums[6] |= UINT64_C(1) << i % 31;
    sums[7] ^= i;
  }
  sums[1] = (uint32_t)sum;
}

static void run_tally(unsigned size) {
  uint64_t sums[8], out[8];
  CUmodule module = kit_load("cluster.ptx");
  CUdeviceptr to = kit_upload(NULL, sizeof out);
  void *params[] = {&to};
  const Shape shape = {"tally", {size, 1, 1}, 32, 0, {size, 1, 1}};
  assert_int_equal(run(module, &shape, params), 0);
  assert_string_equal(kit_reports(), "");
  kit_download(out, to, sizeof out);
  expect_tally(size * 32, sums);
  for (int i = 0; i < 8; i++)
    if (out[i] != sums[i])
      fail_msg("sum %d of %u CTAs: %llx, not %llx", i, size,
               (unsigned long long)out[i], (unsigned long long)sums[i]);
  cuModuleUnload(module);
}

static void test_shared(void **state) {
  (void)state;
  for (size_t i = 0; i < NUM_SCHEDULES; i++) {
    setenv("TILE_SIM_SCHEDULE", schedules[i], 1);
    for (unsigned size = 1; size <= 16; size *= 2) {
      run_sums(size);
      run_histogram(size);
      if (size <= 8) run_ring(size);
      run_tally(size);
      run_spread(size);
    }
  }
  unsetenv("TILE_SIM_SCHEDULE");
}

static void test_places(void **state) {
  (void)state;
  int out[4 * 6 * 2][8];
  CUmodule module = kit_load("cluster.ptx");
  CUdeviceptr to = kit_upload(NULL, sizeof out);
  void *params[] = {&to};
  const Shape shape = {"places", {4, 6, 2}, 1, 0, {2, 3, 1}};
  assert_int_equal(run(module, &shape, params), 0);
  kit_download(out, to, sizeof out);
  for (int i = 0; i < 4 * 6 * 2; i++) {
    const int x = i % 4, y = i / 4 % 6, z = i / 24;
    const int expected[8] = {x % 2 + 2 * (y % 3),
                             6,
                             x % 2 + 100 * (y % 3),
                             2 + 100 * 3 + 10000,
                             x / 2 + 100 * (y / 3) + 10000 * z,
                             2,
                             1,
                             1};
    for (int j = 0; j < 8; j++)
      if (out[i][j] != expected[j])
        fail_msg("CTA %d,%d,%d: %d is %d, not %d", x, y, z, j, out[i][j],
                 expected[j]);
  }
  cuModuleUnload(module);
}

// .reqnctapercluster, with and without an attribute
static void test_required(void **state) {
  (void)state;
  int out[6];
  CUmodule module = kit_load("cluster.ptx");
  CUdeviceptr to = kit_upload(NULL, sizeof out);
  void *params[] = {&to};
  const Shape none = {"pair", {6, 1, 1}, 32, 0, {0}};
  const Shape same = {"pair", {6, 1, 1}, 32, 0, {2, 1, 1}};
  const Shape other = {"pair", {6, 1, 1}, 32, 0, {3, 1, 1}};
  const Shape odd = {"pair", {5, 1, 1}, 32, 0, {0}};
  assert_int_equal(run(module, &none, params), 0);
  assert_int_equal(run(module, &same, params), 0);
  assert_int_equal(run(module, &other, params), CLUSTER_SIZE);
  assert_int_equal(run(module, &odd, params), INVALID_VALUE);
  kit_download(out, to, sizeof out);
  for (int i = 0; i < 6; i++) assert_int_equal(out[i], 10 + (i ^ 1));
  CUfunction f;
  int width = 0;
  assert_int_equal(cuModuleGetFunction(&f, module, "pair"), 0);
  assert_int_equal(cuFuncGetAttribute(&width, 11, f), 0);
  assert_int_equal(width, 2);
  assert_int_equal(cuFuncSetAttribute(f, 11, 4), 800);
  cuModuleUnload(module);
  kit_reports();
}

// -- Sizes -------------------------------------------------------------------

static void test_sizes(void **state) {
  (void)state;
  CUfunction f;
  CUmodule module = kit_load_text(".version 8.7\n.target sm_90\n"
                                  ".address_size 64\n.entry k() { ret; }");
  assert_int_equal(cuModuleGetFunction(&f, module, "k"), 0);
  LaunchAttribute attribute = {.id = 4};
  LaunchConfig config = {.grid = {240, 1, 1},
                         .block = {1024, 1, 1},
                         .attributes = &attribute,
                         .num_attributes = 1};
  static const struct {
    int size[3], large, error, at_once; // of 132 multiprocessors, two CTAs each
  } rows[] = {
      {{1, 1, 1}, 0, 0, 264},
      {{2, 1, 1}, 0, 0, 132},
      {{8, 1, 1}, 0, 0, 32},
      {{16, 1, 1}, 0, CLUSTER_SIZE, 0},
      {{16, 1, 1}, 1, 0, 16},
      {{20, 1, 1}, 1, CLUSTER_SIZE, 0},
      {{7, 1, 1}, 0, INVALID_VALUE, 0},
      {{2, 2, 1}, 0, INVALID_VALUE, 0},
      {{-1, 1, 1}, 0, CLUSTER_SIZE, 0},
      {{2, 0, 1}, 0, CLUSTER_SIZE, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int count = 0;
    memcpy(attribute.value, rows[i].size, sizeof rows[i].size);
    assert_int_equal(cuFuncSetAttribute(f, 14, rows[i].large), 0);
    assert_int_equal(cuLaunchKernelEx(&config, f, NULL, NULL), rows[i].error);
    assert_int_equal(cuOccupancyMaxActiveClusters(&count, f, &config),
                     rows[i].error);
    assert_int_equal(count, rows[i].at_once);
    assert_int_equal(cuOccupancyMaxPotentialClusterSize(&count, f, &config), 0);
    assert_int_equal(count, rows[i].large ? 16 : 8);
  }
  assert_int_equal(cuOccupancyMaxActiveClusters(NULL, f, &config),
                   INVALID_VALUE);
  cuModuleUnload(module);
}

// -- Planted bugs ------------------------------------------------------------

typedef struct {
  const char *kinds;
  int error;
  const char *before, *right, *wrong, *after;
} Planted;

static const Planted planted[] = {
#define PLANTED(...) {__VA_ARGS__},
#include "tests/sim/planted_cluster.def"
};

static int run_text(const Planted *p, const char *line, char kinds[400]) {
  static char text[8192];
  snprintf(text, sizeof text, "%s\n%s\n%s", p->before, line, p->after);
  CUmodule module = kit_load_body(text);
  CUdeviceptr out = kit_upload(NULL, BYTES), in = kit_upload(NULL, BYTES);
  void *params[] = {&out, &in};
  const Shape shape = {"k", {4, 1, 1}, THREADS, 0, {2, 1, 1}};
  const int error = run(module, &shape, params);
  snprintf(kinds, 400, "%s", kit_reports());
  if (error) {
    kit_reopen();
    return error;
  }
  cuMemFree_v2(out);
  cuMemFree_v2(in);
  cuModuleUnload(module);
  return 0;
}

static void run_planted(const Planted *p, const char *schedule) {
  char kinds[400];
  const int clean = run_text(p, p->right, kinds);
  if (clean || *kinds)
    fail_msg("%s: error %d, '%s' of the right kernel:\n%s\n%s\n%s", schedule,
             clean, kinds, p->before, p->right, p->after);
  const int error = run_text(p, p->wrong, kinds);
  if (error != p->error || !kit_only_kinds(kinds, p->kinds))
    fail_msg("%s: error %d, '%s', not '%s':\n%s\n%s\n%s", schedule, error,
             kinds, p->kinds, p->before, p->wrong, p->after);
}

static void test_forms(void **state) {
  (void)state;
  uint32_t zero = 7;
  CUmodule module = kit_load("bulk_forms.ptx");
  CUdeviceptr out = kit_upload(&zero, sizeof zero);
  void *params[] = {&out};
  assert_int_equal(kit_run(module, "forms", (KitShape){{1}, {32}, 0}, params),
                   0);
  kit_download(&zero, out, sizeof zero);
  assert_int_equal(zero, 0);
  assert_string_equal(kit_reports(), "");
  cuModuleUnload(module);
}

// Whether the kernel or the launch gives the size of clusters.
static void test_explicit(void **state) {
  (void)state;
  static const char *const heads[] = {"", ".reqnctapercluster 1, 1, 1"};
  for (int i = 0; i < 4; i++) {
    char text[1000];
    uint32_t out[2] = {9, 9};
    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_90a\n.address_size 64\n"
             ".visible .entry k(.param .u64 p) %s {\n"
             ".reg .pred %%p; .reg .b32 %%r; .reg .b64 %%d;\n"
             "ld.param.u64 %%d, [p]; mov.pred %%p, %%is_explicit_cluster;\n"
             "selp.u32 %%r, 1, 0, %%p; st.global.u32 [%%d], %%r;\n"
             "@!%%is_explicit_cluster st.global.u32 [%%d+4], 0;\n"
             "@%%is_explicit_cluster st.global.u32 [%%d+4], 1;\nret;\n}\n",
             heads[i / 2]);
    CUmodule module = kit_load_text(text);
    CUdeviceptr at = kit_upload(out, sizeof out);
    void *params[] = {&at};
    const unsigned asked = i % 2 ? 1 : 0;
    const Shape shape = {"k", {2, 1, 1}, 1, 0, {asked, asked, asked}};
    assert_int_equal(run(module, &shape, params), 0);
    kit_download(out, at, sizeof out);
    assert_int_equal(out[0], i > 0);
    assert_int_equal(out[1], i > 0);
    kit_reports(); // two CTAs write the same
    cuModuleUnload(module);
  }
}

static void test_planted(void **state) {
  (void)state;
  for (size_t i = 0; i < NUM_SCHEDULES; i++) {
    setenv("TILE_SIM_SCHEDULE", schedules[i], 1);
    for (size_t j = 0; j < sizeof planted / sizeof *planted; j++)
      run_planted(&planted[j], schedules[i]);
  }
  unsetenv("TILE_SIM_SCHEDULE");
}

// A report about the mbarrier of another CTA names the CTA.
static void test_peer(void **state) {
  (void)state;
  CUmodule module = kit_load_body(
      ".shared .align 8 .b64 b; mov.u32 %r1, b; mov.u32 %r2, %ctaid.x;"
      "or.b32 %r3, %r2, %t; setp.eq.u32 %p1, %r3, 0; setp.eq.u32 %p2, %t, 0;"
      "@%p2 mbarrier.init.shared.b64 [b], 3;"
      "fence.mbarrier_init.release.cluster;"
      "barrier.cluster.arrive.release.aligned;"
      "barrier.cluster.wait.acquire.aligned; mov.u32 %r4, 1;"
      "mapa.shared::cluster.u32 %r5, %r1, %r4;"
      "@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5], 5;"
      "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;");
  CUdeviceptr out = kit_upload(NULL, BYTES), in = kit_upload(NULL, BYTES);
  void *params[] = {&out, &in};
  const Shape shape = {"k", {4, 1, 1}, THREADS, 0, {2, 1, 1}};
  assert_int_equal(run(module, &shape, params), 719);
  assert_non_null(
      strstr(kit_report_text(),
             "5 arrivals at an mbarrier of CTA 1,0,0 that awaits 3"));
  kit_reopen();
}

int main(void) {
  setenv("TILE_SIM_CHIP", "sm_90", 1);
  setenv("TILE_SIM_BUDGET", "200000", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shared),   cmocka_unit_test(test_places),
      cmocka_unit_test(test_required), cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_forms),    cmocka_unit_test(test_explicit),
      cmocka_unit_test(test_planted),  cmocka_unit_test(test_peer),
  };
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
