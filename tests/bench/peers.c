// peers.c -- plain C at -O3 -march=native, one slice of the work a thread.
#include "peers.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

enum { MAX_THREADS = 256 };

typedef struct Slice Slice;
struct Slice {
  void (*run)(const Slice *slice);
  size_t begin, end; // of the work that is divided
  const float *x, *y, *z;
  float *out;
  size_t length, dim;
  float scale;
};

static void *start(void *slice) {
  const Slice *s = slice;
  s->run(s);
  return NULL;
}

static void divide(Slice whole, size_t count, int threads) {
  pthread_t ids[MAX_THREADS];
  Slice slices[MAX_THREADS];
  for (int i = 0; i < threads; i++) {
    slices[i] = whole;
    slices[i].begin = count * (size_t)i / (size_t)threads;
    slices[i].end = count * (size_t)(i + 1) / (size_t)threads;
    if (i) pthread_create(&ids[i], NULL, start, &slices[i]);
  }
  start(&slices[0]);
  for (int i = 1; i < threads; i++) pthread_join(ids[i], NULL);
}

static void add(const Slice *s) {
  const float *restrict x = s->x, *restrict y = s->y;
  float *restrict out = s->out;
  for (size_t i = s->begin; i < s->end; i++) out[i] = x[i] + y[i];
}

void peer_vector_add(const float *x, const float *y, float *out, size_t n,
                     int threads) {
  divide((Slice){.run = add, .x = x, .y = y, .out = out}, n, threads);
}

static void softmax_row(const float *restrict x, float *restrict out,
                        size_t columns) {
  float largest = -INFINITY, sum = 0;
  for (size_t c = 0; c < columns; c++)
    largest = x[c] > largest ? x[c] : largest;
  for (size_t c = 0; c < columns; c++) {
    out[c] = expf(x[c] - largest);
    sum += out[c];
  }
  const float factor = 1 / sum;
  for (size_t c = 0; c < columns; c++) out[c] *= factor;
}

static void softmax(const Slice *s) {
  for (size_t r = s->begin; r < s->end; r++) {
    softmax_row(s->x + r * s->length, s->out + r * s->length, s->length);
  }
}

void peer_softmax(const float *x, float *out, size_t rows, size_t columns,
                  int threads) {
  divide((Slice){.run = softmax, .x = x, .out = out, .length = columns}, rows,
         threads);
}

static void attend_row(const Slice *s, size_t head, size_t row, float *p) {
  const size_t dim = s->dim, base = head * s->length * dim;
  const float *q = s->x + base + row * dim;
  float *out = s->out + base + row * dim, largest = -INFINITY, sum = 0;
  for (size_t j = 0; j < s->length; j++) {
    float score = 0;
    for (size_t d = 0; d < dim; d++) score += q[d] * s->y[base + j * dim + d];
    p[j] = score * s->scale;
    largest = p[j] > largest ? p[j] : largest;
  }
  for (size_t j = 0; j < s->length; j++) sum += p[j] = expf(p[j] - largest);
  for (size_t d = 0; d < dim; d++) {
    float value = 0;
    for (size_t j = 0; j < s->length; j++) {
      value += p[j] * s->z[base + j * dim + d];
    }
    out[d] = value / sum;
  }
}

static void attend(const Slice *s) {
  float *p = malloc(s->length * sizeof *p);
  for (size_t i = s->begin; p && i < s->end; i++) {
    attend_row(s, i / s->length, i % s->length, p);
  }
  free(p);
}

void peer_attention(const float *q, const float *k, const float *v, float *out,
                    size_t heads, size_t length, size_t dim, float scale,
                    int threads) {
  const Slice whole = {.run = attend,
                       .x = q,
                       .y = k,
                       .z = v,
                       .out = out,
                       .length = length,
                       .dim = dim,
                       .scale = scale};
  divide(whole, heads * length, threads);
}
