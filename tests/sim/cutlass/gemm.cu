// gemm.cu -- products of CUTLASS's Hopper kernels, through its own host side.
//
// d = a b + c, of small integers, so that the loop of a CPU has the same bits.
// There are more tiles than multiprocessors, so that each CTA has several
// tiles. With SIZE, the size of each dimension, the program prints the time of
// the launch.
//
//   gemm MODULE.ptx [NAME [SIZE]]
#include "cutlass/epilogue/collective/collective_builder.hpp"
#include "cutlass/gemm/collective/collective_builder.hpp"
#include "cutlass/gemm/device/gemm_universal_adapter.h"
#include "cutlass/gemm/kernel/gemm_universal.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include "runtime.h"

using cute::_1, cute::_128, cute::_2, cute::_256, cute::_64, cute::Shape;

static int M = 512, N = 768, K = 320, multiprocessors = 4;

struct PingPong {
  using Mainloop = cutlass::gemm::KernelTmaWarpSpecializedPingpong;
  using Epilogue = cutlass::epilogue::TmaWarpSpecialized;
};

struct Cooperative {
  using Mainloop = cutlass::gemm::KernelTmaWarpSpecializedCooperative;
  using Epilogue = cutlass::epilogue::TmaWarpSpecializedCooperative;
};

template <class Element, class Schedule, class Tile, class Cluster>
struct Multiply {
  using Row = cutlass::layout::RowMajor;
  using Column = cutlass::layout::ColumnMajor;
  static constexpr int ALIGNMENT = 128 / cutlass::sizeof_bits<Element>::value;

  using Epilogue = typename cutlass::epilogue::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Tile, Cluster,
      cutlass::epilogue::collective::EpilogueTileAuto, float, float, float, Row,
      4, float, Row, 4, typename Schedule::Epilogue>::CollectiveOp;

  using Mainloop = typename cutlass::gemm::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Element, Row,
      ALIGNMENT, Element, Column, ALIGNMENT, float, Tile, Cluster,
      cutlass::gemm::collective::StageCountAutoCarveout<static_cast<int>(
          sizeof(typename Epilogue::SharedStorage))>,
      typename Schedule::Mainloop>::CollectiveOp;

  using Gemm = cutlass::gemm::device::GemmUniversalAdapter<
      cutlass::gemm::kernel::GemmUniversal<Shape<int, int, int, int>, Mainloop,
                                           Epilogue>>;

  static bool run(const char *name);
};

static int small(int i, int j) {
  return (7 * i + 5 * j + i * j % 11) % 5 - 2;
}

template <class T> static std::vector<T> filled(int rows, int columns) {
  std::vector<T> values(size_t(rows) * columns);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      values[size_t(i) * columns + j] = T(float(small(i, j)));
  return values;
}

// Counts the wrong elements of `d`.
static int count_wrong(const std::vector<float> &d) {
  int wrong = 0;
  for (int i = 0; i < M; i++) {
    for (int j = 0; j < N; j++) {
      int sum = small(i, j);
      for (int k = 0; k < K; k++) sum += small(i, k) * small(j, k);
      wrong += d[size_t(i) * N + j] != float(sum);
    }
  }
  return wrong;
}

template <class E, class S, class T, class C>
bool Multiply<E, S, T, C>::run(const char *name) {
  const std::vector<E> a = filled<E>(M, K), b = filled<E>(N, K);
  const std::vector<float> c = filled<float>(M, N);
  std::vector<float> d(c.size());
  const size_t bytes = d.size() * sizeof(float);
  E *da = (E *)device_copy(a.data(), a.size() * sizeof(E));
  E *db = (E *)device_copy(b.data(), b.size() * sizeof(E));
  float *dc = (float *)device_copy(c.data(), bytes);
  float *dd = (float *)device_copy(NULL, bytes);

  cutlass::KernelHardwareInfo chip;
  chip.sm_count = multiprocessors;
  typename Gemm::Arguments arguments{
      cutlass::gemm::GemmUniversalMode::kGemm,
      {M, N, K, 1},
      {da, {K, {}, {}}, db, {K, {}, {}}},
      {{1.0f, 1.0f}, dc, {N, {}, {}}, dd, {N, {}, {}}},
      chip};
  Gemm gemm;
  void *workspace = device_copy(NULL, Gemm::get_workspace_size(arguments) + 1);
  const clock_t start = clock();
  const bool ran =
      gemm.can_implement(arguments) == cutlass::Status::kSuccess &&
      gemm.initialize(arguments, workspace) == cutlass::Status::kSuccess &&
      gemm.run() == cutlass::Status::kSuccess;
  const bool ended = device_read(d.data(), dd, bytes);
  const double seconds = double(clock() - start) / CLOCKS_PER_SEC;
  for (void *memory :
       {(void *)da, (void *)db, (void *)dc, (void *)dd, workspace})
    device_free(memory);
  const int wrong = ran && ended ? count_wrong(d) : -1;
  printf("%s: %s, %d wrong, %.2f s\n", name, ran && ended ? "ran" : "failed",
         wrong, seconds);
  return wrong == 0;
}

using Half = cutlass::half_t;
using Fp8 = cutlass::float_e4m3_t;
using Cluster21 = Shape<_2, _1, _1>;
using Cluster12 = Shape<_1, _2, _1>;
using Tile128 = Shape<_128, _128, _64>;
using Tile256 = Shape<_256, _128, _64>;
using Tile8 = Shape<_128, _256, _128>;

static const struct {
  const char *name;
  bool (*run)(const char *name);
} products[] = {
    {"f16-pingpong-2x1", Multiply<Half, PingPong, Tile128, Cluster21>::run},
    {"f16-pingpong-1x2", Multiply<Half, PingPong, Tile128, Cluster12>::run},
    {"f16-cooperative-2x1",
     Multiply<Half, Cooperative, Tile256, Cluster21>::run},
    {"f16-cooperative-1x2",
     Multiply<Half, Cooperative, Tile256, Cluster12>::run},
    {"e4m3-cooperative-2x1", Multiply<Fp8, Cooperative, Tile8, Cluster21>::run},
    {"e4m3-cooperative-1x2", Multiply<Fp8, Cooperative, Tile8, Cluster12>::run},
};

int main(int argc, char **argv) {
  if (argc < 2 || !runtime_start(argv[1])) return 1;
  if (argc > 3) M = N = K = atoi(argv[3]), multiprocessors = 132;
  int failures = 0;
  for (const auto &product : products)
    if (argc < 3 || !strcmp(argv[2], product.name))
      failures += !product.run(product.name);
  return failures != 0;
}
