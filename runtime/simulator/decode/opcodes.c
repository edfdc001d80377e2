// opcodes.c -- the lists of opcodes.def.
#include "runtime/simulator/decode/decode.h"
#include "runtime/simulator/ptx/parser.h"

#define OPCODES(list, ...)                                                     \
  static const char *const opcodes_##list[] = {__VA_ARGS__, NULL};
#include "runtime/simulator/decode/opcodes.def"

static const char *const *const lists[] = {
#define OPCODES(list, ...) opcodes_##list,
#include "runtime/simulator/decode/opcodes.def"
};

bool opcode_is_in(OpcodeList list, const char *name) {
  return ptx_is_one_of(name, lists[list]);
}
