// barrier.cu -- cuda::barrier of a block and of a device, whose waiting reads
// clocks and sleeps longer each time.
#include <cuda/barrier>

using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;
using DeviceBarrier = cuda::barrier<cuda::thread_scope_device>;

// Each thread adds the number that its neighbour has written before the
// barrier.
extern "C" __global__ void in_block(int *out, int expected) {
  __shared__ alignas(BlockBarrier) char place[sizeof(BlockBarrier)];
  BlockBarrier *barrier = reinterpret_cast<BlockBarrier *>(place);
  __shared__ int part[64];
  const int i = threadIdx.x;
  if (i == 0) init(barrier, expected);
  __syncthreads();
  part[i] = i + 1;
  barrier->arrive_and_wait();
  out[i] = part[i] + part[i ^ 1];
}

// The first block initialises the barrier, and then sets a flag for the others.
extern "C" __global__ void in_grid(int *out, DeviceBarrier *barrier, int *flag,
                                   int expected) {
  const int blocks = gridDim.x, i = blockIdx.x;
  volatile int *is_there = flag;
  if (i == 0) {
    init(barrier, expected);
    __threadfence();
    *is_there = 1;
  }
  while (!*is_there) {}
  __threadfence();
  out[i] = i + 1;
  barrier->arrive_and_wait();
  out[blocks + i] = out[i] + out[(i + 1) % blocks];
}
