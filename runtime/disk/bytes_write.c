// bytes_write.c -- writes numbers and blocks of bytes, one behind the other.
//
// libtilert, which only reads, is smaller without it.
#include "runtime/disk/bytes.h"

void bytes_add_number(Str *out, uint64_t number) {
  str_add_bytes(out, &number, sizeof number);
}

void bytes_add_block(Str *out, Bytes block) {
  bytes_add_number(out, block.size);
  str_add_bytes(out, block.data, block.size);
  str_add_char(out, '\0');
}

void bytes_add_text(Str *out, const char *text) {
  bytes_add_number(out, text != NULL);
  if (text) bytes_add_block(out, bytes_of_text(text));
}
