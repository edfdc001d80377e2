// target_table.c -- the tables of docs/targets.md.
//
//   target_table targets | missing
//   target_table --check FILE   0 if FILE contains both tables as printed
//
// A table stands between lines `<!-- targets -->` and `<!-- end -->`.
#include "ir/op.h"
#include "ir/target.h"
#include "tests/tools/doc_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  unsigned bit;
  const char *name;
} capabilities[] = {
    {CAP_MMA_F16, "mma f16"},
    {CAP_LDMATRIX, "ldmatrix"},
    {CAP_CP_ASYNC, "cp.async"},
    {CAP_MMA_BF16, "mma bf16"},
    {CAP_MMA_TF32, "mma tf32"},
    {CAP_MMA_F8, "mma f8"},
    {CAP_F8_CONVERT, "f8 convert"},
    {CAP_STMATRIX, "stmatrix"},
    {CAP_CLUSTER, "clusters"},
    {CAP_TMA, "TMA"},
    {CAP_WGMMA, "wgmma"},
    {CAP_MMA_WIDE, "mma of 256 bits"},
    {CAP_ATOMIC_BF16, "bf16 atomics"},
};

static void add_capabilities(unsigned bits, unsigned before, Str *out) {
  const char *separator = before ? "as above" : "";
  str_add(out, separator);
  for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++) {
    if (!(bits & ~before & capabilities[i].bit)) continue;
    str_addf(out, "%s%s", *separator ? ", " : "", capabilities[i].name);
    separator = ", ";
  }
}

// Each row has the features of the row before it, and more.
static void add_targets(Str *out) {
  str_add(out, "| target | PTX | shared memory of a block | of an SM | "
               "registers | warps | blocks | can |\n"
               "|---|---|---|---|---|---|---|---|\n");
  unsigned before = 0;
  for (int i = 0; i < target_count; i++) {
    const Target *t = &target_table[i];
    if (!t->is_gpu) continue;
    const int ptx = t->ptx_version;
    str_addf(out, "| `%s` | %d.%d | %d | %d | %d | %d | %d | ", t->name,
             ptx / 10, ptx % 10, t->max_shared_block, t->max_shared_sm,
             t->registers_sm, t->warps_sm, t->blocks_sm);
    add_capabilities(t->capabilities, before, out);
    before = t->capabilities;
    str_add(out, " |\n");
  }
}

static const bool emitted[OP_COUNT] = {
#define SIMT_OP(name) [OP_##name] = true,
#include "codegen/gpu/simt.def"
};

static bool is_missing(OpKind kind) {
  const unsigned traits = TRAIT_ELEMENTWISE | TRAIT_TERMINATOR;
  const bool lowered = kind == OP_hint || kind == OP_make_block_ptr ||
                       kind == OP_advance || kind == OP_load_block ||
                       kind == OP_store_block || kind == OP_make_desc ||
                       kind == OP_load_desc || kind == OP_store_desc;
  return !emitted[kind] && !lowered && !(op_info[kind].traits & traits);
}

static void add_missing(Str *out) {
  const char *separator = "";
  for (int kind = 0; kind < OP_COUNT; kind++) {
    if (!is_missing((OpKind)kind)) continue;
    str_addf(out, "%s`%s`", separator, op_info[kind].name);
    separator = " ";
  }
  str_add(out, "\n");
}

int main(int argc, char **argv) {
  static const DocTable tables[] = {{"targets", add_targets},
                                    {"missing", add_missing}};
  return doc_tables_main(argc, argv, tables, 2);
}
