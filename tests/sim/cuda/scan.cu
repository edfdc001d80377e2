// Sums: of a block by a tree, of a grid by atomics, running ones of both.

extern "C" __global__ void reduce(const int *in, int n, int *total) {
  __shared__ int part[256];
  int sum = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
    sum += in[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 128; half >= 32; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x < 32) {
    sum = __reduce_add_sync(~0u, part[threadIdx.x]);
    if (threadIdx.x == 0) atomicAdd(total, sum);
  }
}

// Inclusive, by shuffles within a warp and shared memory between them.
__device__ int block_scan(int value, int *warps) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int step = 1; step < 32; step *= 2) {
    int other = __shfl_up_sync(~0u, value, step);
    if (lane >= step) value += other;
  }
  if (lane == 31) warps[warp] = value;
  __syncthreads();
  if (warp == 0) {
    int sum = lane < blockDim.x / 32 ? warps[lane] : 0;
    for (int step = 1; step < 32; step *= 2) {
      int other = __shfl_up_sync(~0u, sum, step);
      if (lane >= step) sum += other;
    }
    if (lane < blockDim.x / 32) warps[lane] = sum;
  }
  __syncthreads();
  return warp ? value + warps[warp - 1] : value;
}

extern "C" __global__ void scan(const int *in, int *out) {
  __shared__ int warps[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = block_scan(in[i], warps);
}

// One pass: a block takes its number from a counter, waits for the sum of the
// one before it, and passes its own on.
extern "C" __global__ void chained_scan(const int *in, int *out, int *counter,
                                        volatile int *sums,
                                        volatile int *ready) {
  __shared__ int warps[32], number, before;
  if (threadIdx.x == 0) number = atomicAdd(counter, 1);
  __syncthreads();
  int i = number * blockDim.x + threadIdx.x;
  int value = block_scan(in[i], warps);
  if (threadIdx.x == blockDim.x - 1) {
    int sum = 0;
    if (number) {
      while (!ready[number - 1]) {
      }
      __threadfence();
      sum = sums[number - 1];
    }
    before = sum;
    sums[number] = sum + value;
    __threadfence();
    ready[number] = 1;
  }
  __syncthreads();
  out[i] = value + before;
}

// A jump through a table, and loops of different lengths side by side.
extern "C" __global__ void choose(const int *in, int *out) {
  int x = in[threadIdx.x], y = 0;
  switch (x & 7) {
  case 0: y = x * 3; break;
  case 1: y = x - 7; break;
  case 2: y = x ^ 0x55; break;
  case 3:
    for (int i = 0; i < (x >> 3); i++) y += i * i;
    break;
  case 4: y = -x; break;
  case 5: y = x / 3; break;
  case 6: y = x % 5; break;
  case 7:
    while (x > 1) {
      x = x & 1 ? 3 * x + 1 : x / 2;
      y++;
    }
    break;
  }
  out[threadIdx.x] = y;
}
