// fence.cu -- a tile that threads fill and a bulk copy stores, without a fence
// between the proxies and with one.
#include <cuda_runtime.h>

static __device__ void store(float *to, const float *tile, unsigned bytes) {
  const unsigned from = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
               "cp.async.bulk.commit_group;\n"
               "cp.async.bulk.wait_group 0;" ::"l"(to),
               "r"(from), "r"(bytes)
               : "memory");
}

extern "C" __global__ void twice(const float *x, float *y) {
  __shared__ alignas(128) float tile[256];
  const int i = threadIdx.x;
  tile[i] = 2 * x[i];
  __syncthreads();
  if (i == 0) store(y, tile, sizeof tile);
}

extern "C" __global__ void twice_fenced(const float *x, float *y) {
  __shared__ alignas(128) float tile[256];
  const int i = threadIdx.x;
  tile[i] = 2 * x[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (i == 0) store(y, tile, sizeof tile);
}
