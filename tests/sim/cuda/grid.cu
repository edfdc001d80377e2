// grid.cu -- a barrier of the whole grid, by cooperative groups.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// Each thread takes its neighbour's number, and adds one.
extern "C" __global__ void ring(int *data, int rounds) {
  cg::grid_group grid = cg::this_grid();
  const int n = grid.size(), i = grid.thread_rank();
  for (int r = 0; r < rounds; r++) {
    const int v = data[(i + 1) % n];
    grid.sync();
    data[i] = v + 1;
    grid.sync();
  }
}
