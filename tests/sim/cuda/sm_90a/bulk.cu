// bulk.cu -- bulk copies and barriers that count bytes, by libcu++ and by hand.
#include <cstdint>
#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

// Each block adds 1 to its 1,024 numbers, in shared memory.
extern "C" __global__ void add_one(int *data) {
  __shared__ alignas(128) int part[1024];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier barrier;
  int *mine = data + blockIdx.x * 1024;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    cuda::device::experimental::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::device::experimental::cp_async_bulk_global_to_shared(
        part, mine, sizeof part, barrier);
    token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof part);
  } else {
    token = barrier.arrive();
  }
  barrier.wait(std::move(token));
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) part[i]++;
  cuda::device::experimental::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::device::experimental::cp_async_bulk_shared_to_global(mine, part,
                                                               sizeof part);
    cuda::device::experimental::cp_async_bulk_commit_group();
    cuda::device::experimental::cp_async_bulk_wait_group_read<0>();
  }
}

__device__ uint32_t place_of(const void *p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ void wait_for(uint64_t *barrier, uint32_t parity) {
  asm volatile(
      "{ .reg .pred p;\n"
      "again: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%0], "
      "%1;\n@p bra done;\nbra again;\ndone: }" ::"r"(place_of(barrier)),
      "r"(parity)
      : "memory");
}

__device__ void arrive(uint64_t *barrier) {
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(
                   place_of(barrier))
               : "memory");
}

// One warp group loads numbers, another adds them up, through four stages.
constexpr int STAGES = 4, SIZE = 512;
extern "C" __global__ void __launch_bounds__(256, 1)
    add_up(const int *in, int *out, int count, int frees) {
  __shared__ alignas(128) int stage[STAGES][SIZE];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; i++) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(
          place_of(&full[i])));
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 4;" ::"r"(
          place_of(&empty[i])));
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  const int warp = threadIdx.x / 32;
  if (warp < 4) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    uint32_t leads;
    asm volatile("{ .reg .pred p; elect.sync _|p, -1; selp.u32 %0, 1, 0, p; }"
                 : "=r"(leads));
    for (int i = 0; warp == 0 && leads && i < count; i++) {
      const int s = i % STAGES;
      if (frees) wait_for(&empty[s], i / STAGES % 2 ^ 1);
      asm volatile(
          "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], "
          "%1;" ::"r"(place_of(&full[s])),
          "r"(SIZE * 4)
          : "memory");
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
          "[%0], [%1], %2, [%3];" ::"r"(place_of(stage[s])),
          "l"(in + i * SIZE), "r"(SIZE * 4), "r"(place_of(&full[s]))
          : "memory");
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    int sum[4] = {0, 0, 0, 0};
    const int me = threadIdx.x - 128;
    for (int i = 0; i < count; i++) {
      const int s = i % STAGES;
      wait_for(&full[s], i / STAGES % 2);
      for (int j = 0; j < 4; j++) sum[j] += stage[s][me + 128 * j];
      __syncwarp();
      if (threadIdx.x % 32 == 0) arrive(&empty[s]);
    }
    for (int j = 0; j < 4; j++) out[me + 128 * j] = sum[j];
  }
}
