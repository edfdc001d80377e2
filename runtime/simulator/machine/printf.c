// printf.c -- functions that the driver provides to kernels: vprintf and
// __assertfail.
#include <stdio.h>
#include <stdlib.h>

#include "runtime/simulator/memory/lanes.h"
#include "runtime/simulator/memory/memory.h"

// Copies a string of the kernel, up to the end of its memory.
static void copy_text(Warp *warp, uint64_t address, char *out, size_t room) {
  size_t length = 0;
  const Memory *memory = warp->cta->launch->memory;
  while (length + 1 < room && memory_holds(memory, address + length, 1)) {
    const char c = *(const char *)(uintptr_t)(address + length);
    if (!c) break;
    out[length++] = c;
  }
  out[length] = '\0';
}

static uint64_t local_word(const Warp *warp, int lane, uint64_t offset,
                           uint32_t size) {
  uint64_t value = 0;
  const uint8_t *from = memory_local(warp, lane, offset, size);
  if (from) memcpy(&value, from, size);
  return value;
}

// An argument in local memory, at the operand's address.
static uint64_t argument(const Warp *warp, const Inst *inst, int i, int lane,
                         uint32_t size) {
  const uint32_t *offset = reg(warp, inst->op[i]);
  return local_word(warp, lane, offset[lane], size);
}

// A lane's list of arguments.
typedef struct {
  Warp *warp;
  int lane;
  uint64_t offset; // of the next one
} PrintArguments;

static uint64_t next_argument(PrintArguments *list, uint32_t size) {
  list->offset = (list->offset + size - 1) / size * size;
  const uint64_t bits = local_word(list->warp, list->lane, list->offset, size);
  list->offset += size;
  return bits;
}

// The integer, with the type given by the length modifier.
static long long integer_of(uint64_t bits, const char *size, bool is_signed) {
  const bool is_wide = strpbrk(size, "lLjzt");
  if (is_wide) return (long long)bits;
  const uint32_t unused = strncmp(size, "hh", 2) == 0 ? 56
                          : *size == 'h'              ? 48
                                                      : 32;
  const uint64_t high = bits << unused;
  return is_signed ? (int64_t)high >> unused : (long long)(high >> unused);
}

// A width or precision, from the text or from an argument; a huge one is cut.
static size_t copy_number(PrintArguments *list, const char **spec, char *out) {
  enum { MOST = 999 };
  long number;
  if (**spec == '*') {
    number = (int32_t)next_argument(list, 4);
    ++*spec;
  } else {
    char *end;
    number = strtol(*spec, &end, 10);
    *spec = end;
  }
  number = number > MOST ? MOST : number < -MOST ? -MOST : number;
  return (size_t)snprintf(out, 8, "%ld", number);
}

// Copies flags, width and precision, up to the length modifier or the
// conversion.
static const char *copy_head(PrintArguments *list, const char *spec, char *head,
                             size_t room) {
  size_t length = 0;
  while (strchr("-+ #0123456789.*%", *spec) && length + 8 < room) {
    if (strchr("123456789*", *spec))
      length += copy_number(list, &spec, head + length);
    else
      head[length++] = *spec++;
  }
  head[length] = '\0';
  return spec;
}

// Prints one conversion: flags, width, precision, length modifier, conversion.
static void print_one(PrintArguments *list, const char *spec, char kind) {
  char text[512], head[40], wide[48];
  const char *p = copy_head(list, spec, head, sizeof head);
  const bool is_integer = strchr("diouxX", kind);
  const bool is_wide = strchr("feEgGaAsp", kind) || strpbrk(p, "lLjzt");
  snprintf(wide, sizeof wide, "%s%s%c", head, is_integer ? "ll" : "", kind);
  const uint64_t bits = next_argument(list, is_wide ? 8 : 4);
  if (kind == 's') {
    copy_text(list->warp, bits, text, sizeof text);
    printf(wide, text);
  } else if (strchr("feEgGaA", kind)) {
    double value;
    memcpy(&value, &bits, 8);
    printf(wide, value);
  } else if (kind == 'c') {
    printf(wide, (int)bits);
  } else if (kind == 'p') {
    printf("0x%llx", (unsigned long long)bits);
  } else {
    printf(wide, integer_of(bits, p, kind == 'd' || kind == 'i'));
  }
}

static void print_lane(Warp *warp, int lane, const char *format,
                       uint64_t offset) {
  PrintArguments list = {warp, lane, offset};
  for (const char *p = format; *p; p++) {
    if (*p != '%') {
      putchar(*p);
      continue;
    }
    char spec[32];
    const size_t length = strcspn(p + 1, "diouxXfeEgGaAcsp%") + 2;
    if (length + 1 > sizeof spec || !p[length - 1]) return;
    memcpy(spec, p, length);
    spec[length] = '\0';
    p += length - 1;
    // Other characters there have a meaning only for the host's printf().
    if (strspn(spec + 1, "-+ #0123456789.*hlLqjzt") < length - 2)
      fputs(spec, stdout);
    else if (*p == '%')
      putchar('%');
    else
      print_one(&list, spec, *p);
  }
}

// vprintf(format, arguments): both generic addresses.
Step exec_vprintf(Warp *warp, const Inst *inst, uint32_t mask) {
  pthread_mutex_lock(&warp->cta->launch->lock);
  for (int lane = 0; lane < LANES; lane++) {
    if (!in_mask(mask, lane) || inst->num_ops < 2) continue;
    char format[1024];
    copy_text(warp, argument(warp, inst, 0, lane, 8), format, sizeof format);
    const uint64_t list = argument(warp, inst, 1, lane, 8);
    print_lane(warp, lane, format, list - LOCAL_WINDOW);
  }
  fflush(stdout);
  pthread_mutex_unlock(&warp->cta->launch->lock);
  return STEP_NEXT;
}

// __assertfail(message, file, line, function, size of a character)
Step exec_assertfail(Warp *warp, const Inst *inst, uint32_t mask) {
  const int lane = __builtin_ctz(mask);
  char message[128], file[100];
  if (inst->num_ops < 3)
    return report(warp, inst, lane, KIND_ASSERT, "assertion failed");
  copy_text(warp, argument(warp, inst, 0, lane, 8), message, sizeof message);
  copy_text(warp, argument(warp, inst, 1, lane, 8), file, sizeof file);
  return report(warp, inst, lane, KIND_ASSERT, "%s:%u: '%s' failed", file,
                (uint32_t)argument(warp, inst, 2, lane, 4), message);
}
