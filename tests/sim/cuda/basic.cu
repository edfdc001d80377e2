// basic.cu -- the everyday instructions: indices, loops, shared memory, votes,
// atomics, calls, printf.
extern "C" __global__ void vector_add(const float *x, const float *y, float *z,
                                      int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

// One CTA a row; any number of columns.
extern "C" __global__ void softmax(const float *x, float *y, int n) {
  __shared__ float part[32];
  const float *row = x + blockIdx.x * (long)n;
  float *out = y + blockIdx.x * (long)n;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int warps = blockDim.x / 32;
  float most = -INFINITY;
  for (int i = threadIdx.x; i < n; i += blockDim.x) most = fmaxf(most, row[i]);
  for (int d = 16; d; d /= 2)
    most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
  if (lane == 0) part[warp] = most;
  __syncthreads();
  most = part[0];
  for (int i = 1; i < warps; i++) most = fmaxf(most, part[i]);
  __syncthreads();
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += expf(row[i] - most);
  for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (lane == 0) part[warp] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < warps; i++) sum += part[i];
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[i] = expf(row[i] - most) / sum;
}

extern "C" __global__ void transpose(const int *in, int *out, int n) {
  __shared__ int tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < n && y + j < n) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < n && y + j < n) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void histogram(const unsigned char *in, int *bins,
                                     int n) {
  __shared__ int own[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) own[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    atomicAdd(&own[in[i]], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    atomicAdd(&bins[i], own[i]);
}

__device__ int lock = 0;
__device__ int counter = 0;

// Every thread takes one lock, lanes of one warp included.
extern "C" __global__ void spin_lock(int *out) {
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      __threadfence();
      *(volatile int *)&counter = *(volatile int *)&counter + 1;
      __threadfence();
      atomicExch(&lock, 0);
      done = true;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(out, *(volatile int *)&counter);
}

// All CTAs wait for each other.
extern "C" __global__ void grid_barrier(int *arrived, int *out) {
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (*(volatile int *)arrived < gridDim.x) {
    }
    out[blockIdx.x] = *(volatile int *)arrived;
  }
}

extern "C" __global__ void votes(const int *in, unsigned *out) {
  int v = in[threadIdx.x];
  unsigned ballot = __ballot_sync(~0u, v > 0);
  int any = __any_sync(~0u, v > 5), all = __all_sync(~0u, v > -100);
  unsigned same = __match_any_sync(~0u, v);
  unsigned sum = __reduce_add_sync(~0u, (unsigned)v);
  int up = __shfl_up_sync(~0u, v, 3, 16), down = __shfl_down_sync(~0u, v, 5);
  int idx = __shfl_sync(~0u, v, threadIdx.x * 7, 8);
  unsigned *o = out + threadIdx.x * 8;
  o[0] = ballot;
  o[1] = any;
  o[2] = all;
  o[3] = same;
  o[4] = sum;
  o[5] = up;
  o[6] = down;
  o[7] = idx;
}

__noinline__ __device__ long mix(long a, int b) {
  return b % 3 ? a * 31 + b : a ^ (long)b << 7;
}

extern "C" __global__ void calls(long *out) {
  long a = threadIdx.x;
  for (int i = 0; i < 5; i++) a = mix(a, i + (int)threadIdx.x);
  int local[8];
  for (int i = 0; i < 8; i++) local[(i * 3 + threadIdx.x) & 7] = (int)a + i;
  out[threadIdx.x] = a + local[threadIdx.x & 7];
}

extern "C" __global__ void integers(const unsigned *in, unsigned long long *out) {
  unsigned a = in[threadIdx.x * 2], b = in[threadIdx.x * 2 + 1];
  unsigned long long wide = (unsigned long long)a << 32 | b, w = wide;
  unsigned long long *o = out + threadIdx.x * 12;
  o[0] = __umulhi(a, b);
  o[1] = (unsigned)__mulhi((int)a, (int)b);
  o[2] = __popc(a) | __clz(b) << 8 | __ffs(a) << 16;
  o[3] = __brev(a);
  o[4] = __byte_perm(a, b, 0x5a31);
  o[5] = __funnelshift_l(a, b, a & 63);
  o[6] = __funnelshift_rc(a, b, b & 63);
  o[7] = b ? a / b + (a % b) * 7ull : 0;
  o[8] = (long long)w / ((int)b | 1);
  o[9] = __umul64hi(w, w + 12345);
  o[10] = __dp4a((int)a, (int)b, 77);
  o[11] = (unsigned)((int)a >> (b & 31)) + ((wide * 3) >> 17);
}

extern "C" __global__ void swizzled(const float4 *in, float4 *out) {
  __shared__ float4 tile[32][8];
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    tile[i / 8][(i % 8) ^ (i / 8 % 8)] = in[i];
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    int row = i % 32, col = i / 32;
    out[i] = tile[row][col ^ row % 8];
  }
}

#include <stdio.h>
extern "C" __global__ void prints(int n) {
  if (threadIdx.x == 1) printf("n=%d x=%.2f %s 100%%\n", n, 1.5 * n, "text");
}

extern "C" __global__ void dynamic(const int *in, int *out) {
  extern __shared__ int buffer[];
  __shared__ int fixed[4];
  if (threadIdx.x < 4) fixed[threadIdx.x] = threadIdx.x * 100;
  buffer[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] =
      buffer[blockDim.x - 1 - threadIdx.x] + fixed[threadIdx.x % 4];
}
