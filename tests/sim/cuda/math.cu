// math.cu -- nvcc's own mathematics, which uses most of the instructions.
extern "C" __global__ void math_single(const float *in, float *out) {
  int i = threadIdx.x;
  float x = in[i], *o = out + i * 16;
  o[0] = sinf(x);
  o[1] = cosf(x);
  o[2] = tanf(x);
  o[3] = expf(x);
  o[4] = logf(fabsf(x));
  o[5] = powf(fabsf(x), 1.5f);
  o[6] = tanhf(x);
  o[7] = erff(x);
  o[8] = fmodf(x, 0.7f);
  o[9] = atan2f(x, 2);
  o[10] = cbrtf(x);
  o[11] = rsqrtf(fabsf(x));
  o[12] = floorf(x) + rintf(x);
  o[13] = x / 3.0f;
  o[14] = log1pf(fabsf(x));
  o[15] = ldexpf(x, 3);
}

extern "C" __global__ void math_double(const double *in, double *out) {
  int i = threadIdx.x;
  double x = in[i], *o = out + i * 8;
  o[0] = sin(x);
  o[1] = exp(x);
  o[2] = log(fabs(x));
  o[3] = pow(fabs(x), 1.5);
  o[4] = sqrt(fabs(x));
  o[5] = x / 3.0;
  o[6] = fmod(x, 0.7);
  o[7] = tanh(x);
}
