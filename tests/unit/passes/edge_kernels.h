// edge_kernels.h -- kernels with loops, and arguments at the edges of their
// trips.
//
// Pointers come first, then integers.  All values are small integers, so that
// sums of floats are exact in any order.
#ifndef TILE_TESTS_EDGE_KERNELS_H
#define TILE_TESTS_EDGE_KERNELS_H

#include "ir/number.h"
#include "ir/op.h"

#include <string.h>

enum { EDGE_INTS = 4, EDGE_INPUTS = 24 };

typedef struct {
  const char *name, *signature, *text;
  int num_inputs;
  int64_t inputs[EDGE_INPUTS][EDGE_INTS];
} EdgeKernel;

#define LOW  INT32_MIN
#define HIGH INT32_MAX

// -- Texts -------------------------------------------------------------------

// Loops with any bounds and step; the tiles of pointers are carried, so that
// each trip reads other elements.
static const char edge_walk[] =
    "@jit\n"
    "def k(x, y, out, lo, hi, step, B: tl.constexpr, W: tl.constexpr):\n"
    "    m, n, d = tl.arange(0, B), tl.arange(0, 16), tl.arange(0, 16)\n"
    "    px = x + m[:, None] * 16 + d[None, :]\n"
    "    py = y + d[:, None] * 16 + n[None, :]\n"
    "    acc = tl.zeros((B, 16), tl.float32)\n"
    "    for i in range(lo, hi, step):\n"
    "        acc = tl.dot(tl.load(px), tl.load(py), acc)\n"
    "        acc += i & 7\n"
    "        px += B * 16 * W\n"
    "        py += 256 * W\n"
    "    tl.store(out + m[:, None] * 16 + n[None, :], acc)\n";

// The counter is the address, from either end.
static const char edge_count[] =
    "@jit\n"
    "def k(x, out, lo, hi, STEP: tl.constexpr):\n"
    "    m, d = tl.arange(0, 16), tl.arange(0, 16)\n"
    "    s = tl.zeros((16,), tl.float32)\n"
    "    acc = tl.zeros((16, 16), tl.float32)\n"
    "    for i in range(lo, hi, STEP):\n"
    "        a = tl.load(x + i * 64 + m[:, None] * 16 + d[None, :])\n"
    "        acc = tl.dot(a, tl.trans(a), acc)\n"
    "        s += tl.sum(a.to(tl.float32), 1)\n"
    "    acc += s[:, None]\n"
    "    tl.store(out + m[:, None] * 16 + d[None, :], acc)\n";

// Rows, columns and depth that fit no tile, by masks.
static const char edge_masks[] =
    "@jit\n"
    "def k(x, y, out, M, N, K, B: tl.constexpr):\n"
    "    m, n = tl.arange(0, B), tl.arange(0, 16)\n"
    "    d = tl.arange(0, 16)\n"
    "    acc = tl.zeros((B, 16), tl.float32)\n"
    "    for i in range(0, K, 16):\n"
    "        a = tl.load(x + m[:, None] * K + (i + d)[None, :], "
    "mask=(m[:, None] < M) & ((i + d)[None, :] < K), other=0)\n"
    "        b = tl.load(y + (i + d)[:, None] * N + n[None, :], "
    "mask=((i + d)[:, None] < K) & (n[None, :] < N), other=0)\n"
    "        acc = tl.dot(a, b, acc)\n"
    "    tl.store(out + m[:, None] * N + n[None, :], acc, "
    "mask=(m[:, None] < M) & (n[None, :] < N))\n";

static const char edge_descriptors[] =
    "@jit\n"
    "def k(x, y, out, M, N, K, B: tl.constexpr):\n"
    "    dx = tl.make_tensor_descriptor(x, [M, K], [K, 1], [B, 16])\n"
    "    dy = tl.make_tensor_descriptor(y, [K, N], [N, 1], [16, 16])\n"
    "    dz = tl.make_tensor_descriptor(out, [M, N], [N, 1], [B, 16])\n"
    "    acc = tl.zeros((B, 16), tl.float32)\n"
    "    for i in range(0, K, 16):\n"
    "        acc = tl.dot(dx.load([0, i]), dy.load([i, 0]), acc)\n"
    "    dz.store([0, 0], acc.to(tl.float16))\n";

static const char edge_blocks[] =
    "@jit\n"
    "def k(x, y, out, M, N, K, B: tl.constexpr):\n"
    "    px = tl.make_block_ptr(x, (M, K), (K, 1), (0, 0), (B, 16), (1, 0))\n"
    "    py = tl.make_block_ptr(y, (K, N), (N, 1), (0, 0), (16, 16), (1, 0))\n"
    "    pz = tl.make_block_ptr(out, (M, N), (N, 1), (0, 0), (B, 16), (1, 0))\n"
    "    acc = tl.zeros((B, 16), tl.float32)\n"
    "    for i in range(0, K, 16):\n"
    "        acc = tl.dot(tl.load(px, boundary_check=(0, 1), "
    "padding_option='zero'), "
    "tl.load(py, boundary_check=(0, 1), padding_option='zero'), acc)\n"
    "        px = tl.advance(px, (0, 16))\n"
    "        py = tl.advance(py, (16, 0))\n"
    "    tl.store(pz, acc.to(tl.float16), boundary_check=(0, 1))\n";

// A loop within a loop, either of which may have no trip, and a third loop
// behind them.
static const char edge_nest[] =
    "@jit\n"
    "def k(x, y, out, tiles, depth, behind):\n"
    "    m, d = tl.arange(0, 16), tl.arange(0, 16)\n"
    "    at = m[:, None] * 16 + d[None, :]\n"
    "    last = tl.zeros((16, 16), tl.float32)\n"
    "    for t in range(0, tiles):\n"
    "        acc = tl.zeros((16, 16), tl.float32)\n"
    "        for i in range(0, depth):\n"
    "            acc = tl.dot(tl.load(x + (t * depth + i) * 256 + at), "
    "tl.load(y + i * 256 + at), acc)\n"
    "        tl.store(out + t * 256 + at, acc + last)\n"
    "        last = acc\n"
    "    for i in range(0, behind):\n"
    "        last = tl.dot(tl.load(y + i * 256 + at), "
    "tl.load(x + i * 256 + at), last)\n"
    "    tl.store(out + tiles * 256 + at, last)\n";

// Addresses and a number of rows that are loaded themselves.
static const char edge_chain[] =
    "@jit\n"
    "def k(table, x, out, n, skip):\n"
    "    m, d = tl.arange(0, 16), tl.arange(0, 16)\n"
    "    acc = tl.zeros((16, 16), tl.float32)\n"
    "    for i in range(0, n):\n"
    "        row = (tl.load(table + i) & 7) + i\n"
    "        if (i & 3) != skip:\n"
    "            a = tl.load(x + (row + m[:, None]) * 16 + d[None, :])\n"
    "            acc = tl.dot(a, tl.trans(a), acc)\n"
    "    tl.store(out + m[:, None] * 16 + d[None, :], acc)\n";

// Each trip reads the elements that the trip before wrote.
static const char edge_feedback[] =
    "@jit\n"
    "def k(x, out, n, far):\n"
    "    m, d = tl.arange(0, 16), tl.arange(0, 16)\n"
    "    at = m[:, None] * 16 + d[None, :]\n"
    "    acc = tl.zeros((16, 16), tl.float32)\n"
    "    for i in range(0, n):\n"
    "        a = tl.load(x + i * 256 + at)\n"
    "        acc = tl.dot(a, tl.trans(a), acc)\n"
    "        b = ((acc.to(tl.int32) + i) & 3).to(tl.float16)\n"
    "        tl.store(x + (i + far) * 256 + at, b)\n"
    "    tl.store(out + at, acc)\n";

// Sums along both axes and a running maximum, of ragged rows.
static const char edge_sums[] =
    "@jit\n"
    "def k(x, out, n, rows, B: tl.constexpr):\n"
    "    m, d = tl.arange(0, 16), tl.arange(0, B)\n"
    "    total = tl.zeros((16,), tl.float32)\n"
    "    along = tl.zeros((B,), tl.float32)\n"
    "    most = tl.full((16,), -8, tl.float32)\n"
    "    for i in range(0, n, B):\n"
    "        a = tl.load(x + m[:, None] * n + (i + d)[None, :], "
    "mask=(m[:, None] < rows) & ((i + d)[None, :] < n), other=-5)\n"
    "        total += tl.sum(a, 1)\n"
    "        along += tl.sum(a, 0)\n"
    "        most = tl.maximum(most, tl.max(a, 1))\n"
    "    tl.store(out + m, total + most)\n"
    "    tl.store(out + 16 + d, along)\n";

// -- Table -------------------------------------------------------------------

#define BOUNDS                                                                 \
  {0, 0, 1}, {0, 1, 1}, {0, 2, 1}, {0, 3, 1}, {0, 5, 1}, {5, 0, -1},           \
      {1, 0, -1}, {2, 0, -1}, {0, 5, 2}, {0, 4, 2}, {7, -2, -3}, {0, 5, 0},    \
      {5, 0, 0}, {5, 0, 1}, {0, 5, -1}, {HIGH - 3, HIGH, 1},                   \
      {HIGH - 4, HIGH, 3}, {LOW + 4, LOW, -1}, {LOW + 4, LOW, -3},             \
      {LOW, HIGH, HIGH}, {HIGH, LOW, LOW}, {LOW, HIGH, 1 << 30},               \
      {HIGH - 1, HIGH, HIGH}, {                                                \
    LOW + 1, LOW, LOW                                                          \
  }
#define WINDOWS                                                                \
  {64, 16, 48}, {64, 16, 16}, {64, 16, 32}, {16, 16, 64}, {17, 8, 40},         \
      {1, 16, 8}, {63, 8, 24}, {                                               \
    64, 16, 0                                                                  \
  }

static const EdgeKernel edge_kernels[] = {
    {"walk",
     "*fp16:16, *fp16:16, *fp32:16, i32, i32, i32, 16, 1",
     edge_walk,
     24,
     {BOUNDS}},
    {"walk in i64",
     "*fp16:16, *fp16:16, *fp32:16, i64, i64, i64, 16, 1",
     edge_walk,
     24,
     {BOUNDS}},
    {"walk, large",
     "*fp16:16, *fp16:16, *fp32:16, i32, i32, i32, 64, 1",
     edge_walk,
     6,
     {BOUNDS}},
    {"walk, 8 bits",
     "*i8:16, *i8:16, *i32:16, i32, i32, 1, 32, 1",
     "@jit\n"
     "def k(x, y, out, lo, hi, step: tl.constexpr, B: tl.constexpr, "
     "W: tl.constexpr):\n"
     "    m, n, d = tl.arange(0, B), tl.arange(0, 16), tl.arange(0, 32)\n"
     "    px = x + m[:, None] * 32 + d[None, :]\n"
     "    py = y + n[None, :] * 32 + d[:, None]\n"
     "    acc = tl.zeros((B, 16), tl.int32)\n"
     "    for i in range(lo, hi, step):\n"
     "        acc += tl.dot(tl.load(px), tl.load(py))\n"
     "        px += B * 32\n"
     "        py += 512\n"
     "    tl.store(out + m[:, None] * 16 + n[None, :], acc)\n",
     7,
     {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {-2, 3}, {3, -3}, {HIGH - 2, HIGH}}},
    {"walk in strides",
     "*fp16:16, *fp16:16, *fp32:16, i32, i32, 268435456, "
     "16, 1",
     edge_walk,
     6,
     {{LOW, HIGH},
      {LOW, 0},
      {0, HIGH},
      {-5, HIGH},
      {LOW, LOW + 1},
      {HIGH, LOW}}},
    {"walk back in strides",
     "*fp16:16, *fp16:16, *fp32:16, i32, i32, "
     "-268435456, 16, 1",
     edge_walk,
     6,
     {{HIGH, LOW},
      {0, LOW},
      {HIGH, 0},
      {5, LOW},
      {HIGH, HIGH - 1},
      {LOW, HIGH}}},
    {"walk back",
     "*fp16:16, *fp16:16, *fp32:16, i32, i32, i32, 16, 0",
     edge_walk,
     6,
     {BOUNDS}},
    {"count",
     "*fp16:16, *fp32:16, i32, i32, 1",
     edge_count,
     7,
     {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {3, 8}, {4, 3}, {9, 11}}},
    {"count by 3",
     "*fp16:16, *fp32:16, i32, i32, 3",
     edge_count,
     7,
     {{0, 0}, {0, 1}, {0, 3}, {0, 4}, {0, 10}, {4, 13}, {5, 2}}},
    {"count down",
     "*fp16:16, *fp32:16, i32, i32, -1",
     edge_count,
     6,
     {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {9, 3}, {3, 9}}},
    {"count down by 3",
     "*fp16:16, *fp32:16, i32, i32, -3",
     edge_count,
     6,
     {{2, 2}, {2, 1}, {5, 1}, {11, 0}, {12, 0}, {3, 9}}},
    {"masks",
     "*fp16:16, *fp16:16, *fp32:16, i32, i32, i32, 16",
     edge_masks,
     10,
     {{16, 16, 48},
      {16, 16, 0},
      {16, 16, 1},
      {16, 16, 15},
      {16, 16, 17},
      {15, 16, 33},
      {1, 1, 31},
      {7, 9, 32},
      {16, 15, 49},
      {0, 16, 20}}},
    {"masks, aligned",
     "*fp16:16, *fp16:16, *fp32:16, i32, i32:8, i32:8, 64",
     edge_masks,
     8,
     {WINDOWS}},
    {"descriptors",
     "*fp16:16, *fp16:16, *fp16:16, i32, i32:8, i32:8, 64",
     edge_descriptors,
     8,
     {WINDOWS}},
    {"blocks",
     "*fp16:16, *fp16:16, *fp16:16, i32, i32:8, i32:8, 64",
     edge_blocks,
     8,
     {WINDOWS}},
    {"blocks, ragged",
     "*fp16:16, *fp16:16, *fp16:16, i32, i32, i32, 16",
     edge_blocks,
     5,
     {{16, 16, 33}, {15, 15, 17}, {1, 3, 16}, {0, 4, 9}, {16, 16, -3}}},
    {"nest",
     "*fp16:16, *fp16:16, *fp32:16, i32, i32, i32",
     edge_nest,
     8,
     {{0, 0, 0},
      {1, 1, 1},
      {2, 0, 1},
      {3, 1, 0},
      {2, 2, 2},
      {1, 4, 3},
      {0, 3, 1},
      {3, 3, 0}}},
    {"chain",
     "*i32, *fp16:16, *fp32:16, i32, i32",
     edge_chain,
     8,
     {{0, 0}, {1, 0}, {2, 0}, {3, 1}, {5, 3}, {9, 2}, {4, 9}, {-1, 0}}},
    {"feedback",
     "*fp16:16, *fp32:16, i32, i32",
     edge_feedback,
     8,
     {{0, 1}, {1, 1}, {2, 1}, {4, 1}, {5, 2}, {5, 3}, {5, 0}, {6, 4}}},
    {"sums",
     "*fp32:16, *fp32:16, i32, i32, 32",
     edge_sums,
     8,
     {{0, 16},
      {1, 16},
      {32, 16},
      {33, 16},
      {64, 15},
      {65, 1},
      {100, 0},
      {31, 8}}},
    {"sums, aligned",
     "*fp32:16, *fp32:16, i32:16, i32, 64",
     edge_sums,
     5,
     {{0, 16}, {16, 16}, {64, 9}, {80, 16}, {192, 16}}},
};

// Small integers in any type.
static inline void edge_fill(unsigned char *bytes, size_t length, Elem elem,
                             int seed) {
  const size_t size = (size_t)elem_info[elem].bits / 8;
  unsigned state = (unsigned)seed * 77u + 1;
  for (size_t at = 0; at < length; at += size) {
    state = state * 1664525u + 1013904223u;
    const int value = (int)(state >> 24) % 7 - 3;
    const uint64_t bits = elem_info[elem].is_float ? float_encode(value, elem)
                                                   : (uint64_t)(int64_t)value;
    memcpy(bytes + at, &bits, size);
  }
}

enum { NUM_EDGE_KERNELS = sizeof edge_kernels / sizeof *edge_kernels };

#endif
