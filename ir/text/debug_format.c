// debug_format.c -- printf for the output of kernels.
//
// This file uses nothing of the IR, as a loader without a compiler contains it,
// too.
#include "ir/debug_text.h"

#include "ir/number.h"

#include <stdio.h>
#include <string.h>

typedef struct {
  char *out;
  size_t size, used;
} Sink;

static void put(Sink *sink, const char *text, size_t length) {
  for (size_t i = 0; i < length; i++, sink->used++) {
    if (sink->used + 1 < sink->size) sink->out[sink->used] = text[i];
  }
}

// Prints one conversion, from its percent sign to its letter.
static void convert(Sink *sink, const char *spec, size_t length,
                    uint64_t slot) {
  char text[400], format[16];
  const bool is_long = length > 3 && spec[length - 2] == 'l';
  snprintf(format, sizeof format, "%.*s", (int)length, spec);
  int written = 0;
  switch (spec[length - 1]) {
  case 'a':
  case 'f':
    written = snprintf(text, sizeof text, format[1] == 'a' ? "%a" : "%f",
                       double_of_bits(slot));
    break;
  case 'p':
    written = snprintf(text, sizeof text, "0x%llx", (unsigned long long)slot);
    break;
  default:
    written = is_long
                  ? snprintf(text, sizeof text, format, (long long)slot)
                  : snprintf(text, sizeof text, format, (int)(uint32_t)slot);
  }
  put(sink, text, (size_t)written);
}

size_t debug_format(char *out, size_t size, const char *format,
                    const uint64_t *slots) {
  Sink sink = {out, size, 0};
  while (*format) {
    const size_t plain = strcspn(format, "%");
    put(&sink, format, plain);
    format += plain;
    if (!*format) break;
    const size_t length = 2 + strspn(format + 1, "0123456789l");
    if (format[1] == '%')
      put(&sink, "%", 1);
    else
      convert(&sink, format, length, *slots++);
    format += length;
  }
  if (size) out[sink.used < size ? sink.used : size - 1] = '\0';
  return sink.used;
}
