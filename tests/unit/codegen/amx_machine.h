// amx_machine.h -- executes the instructions of AMX on a machine without it.
//
// The machine raises SIGILL at each of them.  The handler decodes the
// instruction, does what Intel's manual says (volume 2 of the Software
// Developer's Manual), and goes on behind it.  The handler also checks the
// conditions that the processor checks.  One thread at a time may run such
// code.
#ifndef TILE_TESTS_AMX_MACHINE_H
#define TILE_TESTS_AMX_MACHINE_H

#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { AMX_REGISTERS = 8, AMX_ROWS = 16, AMX_ROW_BYTES = 64 };

typedef struct {
  int rows, bytes; // of a row
  uint8_t row[AMX_ROWS][AMX_ROW_BYTES];
} AmxRegister;

typedef struct {
  bool is_configured;
  AmxRegister reg[AMX_REGISTERS];
  unsigned long num_products; // instructions that multiply
} AmxMachine;

static AmxMachine amx;

static _Noreturn void amx_refuse(const char *why) {
  fprintf(stderr, "AMX: %s\n", why);
  abort();
}

// -- Decoding ----------------------------------------------------------------

typedef struct {
  unsigned prefix, opcode, mod, reg, rm, vvvv; // prefix: 0, 66, F3, F2
  uint8_t const *end;                          // behind the instruction
  uint64_t address, stride;                    // of its memory
} AmxInstruction;

static const int amx_gregs[] = {
    REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
    REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

static uint64_t amx_value(const greg_t *gregs, unsigned number) {
  return (uint64_t)gregs[amx_gregs[number]];
}

// Base, index and displacement, of which the index is the stride.
static void amx_decode_memory(AmxInstruction *in, const greg_t *gregs,
                              unsigned extend_index, unsigned extend_base) {
  uint64_t base = 0;
  in->stride = 0;
  if (in->rm == 4) {
    const unsigned sib = *in->end++;
    const unsigned index = (sib >> 3 & 7) | extend_index;
    if (index != 4) in->stride = amx_value(gregs, index) << (sib >> 6);
    in->rm = sib & 7;
  }
  const bool has_base = in->mod || in->rm != 5;
  if (has_base) base = amx_value(gregs, in->rm | extend_base);
  if (!has_base) amx_refuse("an address that is not decoded");
  int32_t by = 0;
  if (in->mod == 1) by = (int8_t)*in->end++;
  if (in->mod == 2) memcpy(&by, in->end, 4), in->end += 4;
  in->address = base + (uint64_t)(int64_t)by;
}

static AmxInstruction amx_decode(const greg_t *gregs) {
  uint8_t const *at = (uint8_t const *)(uintptr_t)gregs[REG_RIP];
  if (at[0] != 0xc4 || (at[1] & 0x1f) != 2)
    amx_refuse("SIGILL at an instruction of another kind");
  AmxInstruction in = {.prefix = at[2] & 3,
                       .opcode = at[3],
                       .mod = at[4] >> 6,
                       .reg = at[4] >> 3 & 7,
                       .rm = at[4] & 7,
                       .vvvv = ~(unsigned)at[2] >> 3 & 15,
                       .end = at + 5};
  const unsigned x = at[1] & 0x40 ? 0 : 8, b = at[1] & 0x20 ? 0 : 8;
  if (in.mod != 3) amx_decode_memory(&in, gregs, x, b);
  return in;
}

// -- Execution ---------------------------------------------------------------

static AmxRegister *amx_register(unsigned number) {
  if (!amx.is_configured) amx_refuse("no configuration");
  if (number >= AMX_REGISTERS || !amx.reg[number].rows)
    amx_refuse("a register that is not configured");
  return &amx.reg[number];
}

static void amx_configure(const AmxInstruction *in) {
  uint8_t config[64];
  memcpy(config, (void const *)(uintptr_t)in->address, sizeof config);
  if (config[0] != 1) amx_refuse("another palette");
  memset(amx.reg, 0, sizeof amx.reg);
  for (int i = 0; i < AMX_REGISTERS; i++) {
    amx.reg[i].rows = config[48 + i];
    amx.reg[i].bytes = config[16 + 2 * i] | config[17 + 2 * i] << 8;
    if (amx.reg[i].rows > AMX_ROWS || amx.reg[i].bytes > AMX_ROW_BYTES)
      amx_refuse("a register that is too large");
  }
  amx.is_configured = true;
}

static void amx_move(const AmxInstruction *in, bool stores) {
  AmxRegister *r = amx_register(in->reg);
  if (!stores) memset(r->row, 0, sizeof r->row);
  for (int i = 0; i < r->rows; i++) {
    char *at = (char *)(uintptr_t)(in->address + (uint64_t)i * in->stride);
    if (stores)
      memcpy(at, r->row[i], (size_t)r->bytes);
    else
      memcpy(r->row[i], at, (size_t)r->bytes);
  }
}

static float amx_flush(float x) {
  return fabsf(x) < 0x1p-126F ? copysignf(0, x) : x;
}

static float amx_bf16(const AmxRegister *r, int row, int i) {
  uint16_t half;
  memcpy(&half, &r->row[row][2 * i], 2);
  const uint32_t bits = (uint32_t)half << 16;
  float x;
  memcpy(&x, &bits, 4);
  return amx_flush(x);
}

// The even products and the odd ones along k are added up apart.
static void amx_pairs(AmxRegister *c, const AmxRegister *a,
                      const AmxRegister *b, int m, int n) {
  float sum[2] = {0, 0}, old;
  for (int k = 0; k < a->bytes / 4; k++) {
    for (int i = 0; i < 2; i++)
      sum[i] = amx_flush(
          fmaf(amx_bf16(a, m, 2 * k + i), amx_bf16(b, k, 2 * n + i), sum[i]));
  }
  memcpy(&old, &c->row[m][4 * n], 4);
  old = amx_flush(amx_flush(old) + amx_flush(sum[0] + sum[1]));
  memcpy(&c->row[m][4 * n], &old, 4);
}

static void amx_quads(AmxRegister *c, const AmxRegister *a,
                      const AmxRegister *b, int m, int n) {
  uint32_t sum;
  memcpy(&sum, &c->row[m][4 * n], 4);
  for (int k = 0; k < a->bytes; k++) {
    const int x = (int8_t)a->row[m][k];
    const int y = (int8_t)b->row[k / 4][4 * n + k % 4];
    sum += (uint32_t)(x * y);
  }
  memcpy(&c->row[m][4 * n], &sum, 4);
}

static void amx_multiply(const AmxInstruction *in, bool pairs) {
  AmxRegister *c = amx_register(in->reg);
  const AmxRegister *a = amx_register(in->rm), *b = amx_register(in->vvvv);
  if (c == a || c == b || a == b) amx_refuse("a register twice");
  if (c->rows != a->rows || c->bytes != b->bytes || a->bytes != 4 * b->rows)
    amx_refuse("registers of other shapes");
  for (int m = 0; m < c->rows; m++) {
    for (int n = 0; n < c->bytes / 4; n++)
      (pairs ? amx_pairs : amx_quads)(c, a, b, m, n);
  }
  amx.num_products++;
}

static void amx_execute(const AmxInstruction *in) {
  const bool memory = in->mod != 3;
  switch (in->opcode << 8 | in->prefix << 4 | memory) {
  case 0x4901: amx_configure(in); break;
  case 0x4900: amx.is_configured = false; break;
  case 0x4930: {
    AmxRegister *r = amx_register(in->reg);
    memset(r->row, 0, sizeof r->row);
    break;
  }
  case 0x4b31: amx_move(in, false); break;
  case 0x4b21: amx_move(in, true); break;
  case 0x5c20: amx_multiply(in, true); break;
  case 0x5e30: amx_multiply(in, false); break;
  default: amx_refuse("an instruction that is not known");
  }
}

static void amx_on_signal(int number, siginfo_t *info, void *data) {
  (void)number, (void)info;
  greg_t *gregs = ((ucontext_t *)data)->uc_mcontext.gregs;
  const AmxInstruction in = amx_decode(gregs);
  amx_execute(&in);
  gregs[REG_RIP] = (greg_t)(uintptr_t)in.end;
}

static inline void amx_machine_start(void) {
  const struct sigaction action = {.sa_sigaction = amx_on_signal,
                                   .sa_flags = SA_SIGINFO | SA_NODEFER};
  sigaction(SIGILL, &action, NULL);
}

#endif
