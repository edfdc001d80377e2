// reverse.cu -- a planted race: the barrier between write and read is missing.
extern "C" __global__ void reverse(const float *x, float *y) {
  __shared__ float tile[256];
  int i = threadIdx.x;
  tile[i] = x[i];
  y[i] = tile[255 - i];
}
