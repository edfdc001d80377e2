// peers.h -- the same computations as a C programmer writes them, on `threads`
// threads.
#ifndef TESTS_BENCH_PEERS_H
#define TESTS_BENCH_PEERS_H

#include <stddef.h>

void peer_vector_add(const float *x, const float *y, float *out, size_t n,
                     int threads);
// Rows of softmax; exp through the compiler's vector library.
void peer_softmax(const float *x, float *out, size_t rows, size_t columns,
                  int threads);
// The plain triple loop, one head after the other, on one thread per head.
void peer_attention(const float *q, const float *k, const float *v, float *out,
                    size_t heads, size_t length, size_t dim, float scale,
                    int threads);

#endif
