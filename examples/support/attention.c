// attention.c -- the textbook loops, one row of scores at a time.
#include "attention.h"
#include "example.h"

#include <math.h>
#include <stdlib.h>

static double dot(const float *x, const float *y, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += (double)x[i] * y[i];
  return sum;
}

// Softmax weights of a row; returns how many there are.
static size_t weigh(const AttentionShape *s, const float *q, const float *k,
                    size_t row, double *p) {
  const size_t count = s->causal ? row + 1 : s->length;
  double largest = -INFINITY, sum = 0;
  for (size_t j = 0; j < count; j++) {
    p[j] = s->scale * dot(q + row * s->dim, k + j * s->dim, s->dim);
    largest = fmax(largest, p[j]);
  }
  for (size_t j = 0; j < count; j++) sum += p[j] = exp(p[j] - largest);
  for (size_t j = 0; j < count; j++) p[j] /= sum;
  return count;
}

static void attend_row(const AttentionShape *s, const float *q, const float *k,
                       const float *v, size_t row, double *p, double *out) {
  const size_t count = weigh(s, q, k, row, p);
  for (size_t d = 0; d < s->dim; d++) out[d] = 0;
  for (size_t j = 0; j < count; j++) {
    for (size_t d = 0; d < s->dim; d++) out[d] += p[j] * v[j * s->dim + d];
  }
}

static void attend(const AttentionShape *s, const float *q, const float *k,
                   const float *v, double *out) {
  double *p = example_alloc(s->length * sizeof *p);
  for (size_t i = 0; i < s->length; i++) {
    attend_row(s, q, k, v, i, p, out + i * s->dim);
  }
  free(p);
}

void attention_last_row(const AttentionShape *s, const float *q, const float *k,
                        const float *v, double *out) {
  double *p = example_alloc(s->length * sizeof *p);
  attend_row(s, q, k, v, s->length - 1, p, out);
  free(p);
}

void attention_reference(const AttentionShape *s, const float *q,
                         const float *k, const float *v, double *out) {
  const size_t size = s->length * s->dim;
  for (size_t at = 0; at < s->heads * size; at += size) {
    attend(s, q + at, k + at, v + at, out + at);
  }
}

static void differentiate(const AttentionShape *s, const float *q,
                          const float *k, const float *v, const float *d_out,
                          double *dq, double *dk, double *dv) {
  const size_t dim = s->dim;
  double *p = example_alloc(2 * s->length * sizeof *p), *dp = p + s->length;
  for (size_t i = 0; i < s->length * dim; i++) dq[i] = dk[i] = dv[i] = 0;
  for (size_t i = 0; i < s->length; i++) {
    const float *g = d_out + i * dim;
    const size_t count = weigh(s, q, k, i, p);
    double delta = 0;
    for (size_t j = 0; j < count; j++) {
      delta += p[j] * (dp[j] = dot(g, v + j * dim, dim));
    }
    for (size_t j = 0; j < count; j++) {
      const double ds = p[j] * (dp[j] - delta) * s->scale;
      for (size_t d = 0; d < dim; d++) {
        dv[j * dim + d] += p[j] * g[d];
        dk[j * dim + d] += ds * q[i * dim + d];
        dq[i * dim + d] += ds * k[j * dim + d];
      }
    }
  }
  free(p);
}

void attention_gradients(const AttentionShape *s, const float *q,
                         const float *k, const float *v, const float *d_out,
                         double *dq, double *dk, double *dv) {
  const size_t size = s->length * s->dim;
  for (size_t at = 0; at < s->heads * size; at += size) {
    differentiate(s, q + at, k + at, v + at, d_out + at, dq + at, dk + at,
                  dv + at);
  }
}
