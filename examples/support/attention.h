// attention.h -- attention and its gradients in double.
#ifndef EXAMPLE_ATTENTION_H
#define EXAMPLE_ATTENTION_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  size_t heads, length, dim; // q, k, v, out: [heads, length, dim], row-major
  double scale;
  bool causal;
} AttentionShape;

// out = softmax(q @ k^T * scale) @ v.
void attention_reference(const AttentionShape *shape, const float *q,
                         const float *k, const float *v, double *out);

// The last row of the output of one head, [dim].
void attention_last_row(const AttentionShape *shape, const float *q,
                        const float *k, const float *v, double *out);

// Gradients of sum(out * d_out).
void attention_gradients(const AttentionShape *shape, const float *q,
                         const float *k, const float *v, const float *d_out,
                         double *dq, double *dk, double *dv);

#endif
