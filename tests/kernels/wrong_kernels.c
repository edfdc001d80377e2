// wrong_kernels -- kernels with mistakes: exact error messages, and kernels
// that still run.
#include "kernel_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect(Example *e, const char *what, TileStatus status,
                   TileDiagnostics *diagnostics, const char *const *words) {
  const char *text = diagnostics ? tile_diagnostics_text(diagnostics) : "";
  bool ok = status == TILE_COMPILE_ERROR;
  for (int i = 0; words[i]; i++) ok = ok && strstr(text, words[i]);
  printf("%-50s %s\n", what, ok ? "refused" : "WRONG");
  if (!ok) printf("status: %s\n%s\n", tile_status_text(status), text);
  e->failures += !ok;
  tile_diagnostics_destroy(diagnostics);
}

static void loads_from_integers(void) {
  Example e;
  kernel_open(&e, "flash_attention_bwd_preprocess_wrong.py");
  TileBuffer *buffer = example_buffer(&e, TILE_FP16, NULL, 64);
  Call call = {0};
  for (int i = 0; i < 3; i++) call_buffer(&call, buffer, TILE_FP16);
  for (int i = 0; i < 11; i++) call_int(&call, 64);
  call_constant(&call, "NUM_HEADS", 2);
  call_constant(&call, "SEQ_LEN", 64);
  call_constant(&call, "HEAD_DIM", 64);
  call_constant(&call, "BLOCK_SIZE_SEQ", 64);
  TileDiagnostics *diagnostics = NULL;
  const TileStatus status =
      call_try(&e, &call, "_attn_bwd_preprocess", &diagnostics);
  expect(&e, "load of integers", status, diagnostics,
         (const char *[]){":39:23:", "pointer", "int32", "offs_o)", NULL});
  tile_buffer_destroy(buffer);
  if (example_close(&e)) exit(EXIT_FAILURE);
}

static Call attention_call(TileBuffer *const *buffers, TileDtype dtype) {
  Call call = {0};
  for (int i = 0; i < 3; i++) call_buffer(&call, buffers[i], dtype);
  call_float(&call, 0.25);
  call_buffer(&call, buffers[3], dtype);
  for (int i = 0; i < 4; i++) call_ints(&call, (int64_t[]){0, 1, 16}, 3);
  call_constant(&call, "BLOCK_M", 16);
  call_constant(&call, "BLOCK_N", 16);
  call_constant(&call, "BLOCK_K", 16);
  return call;
}

static void mixed_operands(void) {
  Example e;
  kernel_open(&e, "simple_attention_wrong.py");
  TileBuffer *buffers[4];
  for (int i = 0; i < 4; i++) {
    buffers[i] = example_buffer(&e, TILE_FP32, NULL, 1024);
  }
  const Call call = attention_call(buffers, TILE_FP32);
  TileDiagnostics *diagnostics = NULL;
  const TileStatus status =
      call_try(&e, &call, "_attention_kernel", &diagnostics);
  expect(&e, "dot of fp16 and fp32", status, diagnostics,
         (const char *[]){":31:", "fp16", "fp32", NULL});
  for (int i = 0; i < 4; i++) tile_buffer_destroy(buffers[i]);
  if (example_close(&e)) exit(EXIT_FAILURE);
}

int main(void) {
  loads_from_integers();
  mixed_operands();
  return EXIT_SUCCESS;
}
