// order.cu -- lanes hand values to others: right where `bug` is zero, else
// without one of the fences or barriers.

// Warp 0 hands values to warp 1, by a flag that one lane of each warp writes or
// reads.
extern "C" __global__ void handoff(int *out, int bug) {
  __shared__ int part[32], flag;
  const int lane = threadIdx.x % 32, is_first = lane == 0;
  if (threadIdx.x == 0) flag = 0;
  if (threadIdx.x < 32) part[lane] = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    part[lane] = lane + 1;
    if (bug == 1 && is_first) __threadfence_block();
    if (bug != 2) __syncwarp();
    if (bug != 1 && is_first) __threadfence_block();
    if (is_first) atomicExch(&flag, 1);
  } else {
    if (is_first) {
      while (!atomicAdd(&flag, 0)) {
      }
      if (bug != 3) __threadfence_block();
    }
    if (bug != 4) __syncwarp();
    out[lane] = part[31 - lane];
  }
}

// Each warp adds to all words, under a lock that its first lane takes.
extern "C" __global__ void locked(int *out, int bug) {
  __shared__ int sums[32], lock;
  const int lane = threadIdx.x % 32, is_first = lane == 0;
  if (threadIdx.x == 0) lock = 0;
  if (threadIdx.x < 32) sums[lane] = 0;
  __syncthreads();
  if (is_first) {
    while (atomicCAS(&lock, 0, 1)) {
    }
    __threadfence_block();
  }
  if (bug != 1) __syncwarp();
  sums[lane] += lane + 1;
  if (bug != 2) __syncwarp();
  if (is_first) {
    if (bug != 3) __threadfence_block();
    atomicExch(&lock, 0);
  }
  __syncthreads();
  if (threadIdx.x < 32) out[lane] = sums[lane];
}

// The last block to finish adds the parts that the threads of each block have
// left.
extern "C" __global__ void last_block(int *out, int *parts, unsigned *ticket,
                                      int bug) {
  __shared__ bool is_last;
  const int i = threadIdx.x, n = blockDim.x;
  parts[blockIdx.x * n + i] = i + 1;
  if (bug == 1 && i == 0) __threadfence();
  if (bug != 2) __syncthreads();
  if (i == 0) {
    if (bug != 1) __threadfence();
    is_last = atomicAdd(ticket, 1) == gridDim.x - 1;
    if (bug != 3) __threadfence();
  }
  __syncthreads();
  if (!is_last) return;
  int sum = 0;
  for (int block = 0; block < gridDim.x; block++) sum += parts[block * n + i];
  out[i] = sum;
}

// A fence without the total order of fence.sc.
__device__ void weak_fence() {
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

// The same, but each thread executes fences around the atomic of the first
// thread.
extern "C" __global__ void all_fence(int *out, int *parts, unsigned *ticket,
                                     int bug) {
  __shared__ bool is_last;
  const int i = threadIdx.x, n = blockDim.x;
  parts[blockIdx.x * n + i] = i + 1;
  if (bug == 1) weak_fence();
  if (bug == 0 || bug > 2 || (bug == 2 && i == 0)) __threadfence();
  if (bug != 3) __syncthreads();
  if (i == 0) is_last = atomicAdd(ticket, 1) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  if (bug != 4) __threadfence();
  int sum = 0;
  for (int block = 0; block < gridDim.x; block++) sum += parts[block * n + i];
  out[i] = sum;
}

// The first of each block leaves a word, all of the last block read it.
extern "C" __global__ void first_leaves(int *out, int *parts, unsigned *ticket,
                                        int bug) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = blockIdx.x + 1;
    if (bug != 1) __threadfence();
    is_last = atomicAdd(ticket, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  if (bug == 2) weak_fence();
  if (bug < 2) __threadfence();
  int sum = 0;
  for (int block = 0; block < gridDim.x; block++) sum += parts[block];
  out[threadIdx.x] = sum;
}
