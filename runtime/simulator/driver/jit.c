// jit.c -- the options of cuModuleLoadDataEx.
//
// A result replaces the value of its option, in the caller's array.
#include "runtime/simulator/driver/jit.h"

#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <time.h>

typedef enum {
  JIT_ANY,
  JIT_NUMBER,
  JIT_MAX_REGISTERS,
  JIT_THREADS,
  JIT_WALL_TIME,
  JIT_INFO_LOG,
  JIT_INFO_SIZE,
  JIT_ERROR_LOG,
  JIT_ERROR_SIZE,
  JIT_TARGET,
  JIT_VERBOSE,
} JitKind;

typedef struct {
  int number;
  JitKind kind;
  unsigned most;
} JitInfo;

static const JitInfo infos[] = {
#define JIT(number, kind, most) {number, JIT_##kind, most},
#include "runtime/simulator/driver/jit_options.def"
};

static const JitInfo *find_info(int option) {
  for (size_t i = 0; i < sizeof infos / sizeof *infos; i++) {
    if (infos[i].number == option) return &infos[i];
  }
  return NULL;
}

static double now_ms(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void set_size(JitLog *log, unsigned size, void **value) {
  log->size = size;
  log->used_out = value;
}

// A number is an unsigned int: the low half of the pointer.
static void read_one(JitOptions *jit, JitKind kind, void **value) {
  const unsigned number = (unsigned)(uintptr_t)*value;
  switch (kind) {
  case JIT_ANY:
  case JIT_NUMBER: break;
  case JIT_MAX_REGISTERS: jit->max_registers = number; break;
  case JIT_THREADS: jit->has_threads = true; break;
  case JIT_WALL_TIME: jit->time_out = value; break;
  case JIT_INFO_LOG: jit->info.text = *value; break;
  case JIT_INFO_SIZE: set_size(&jit->info, number, value); break;
  case JIT_ERROR_LOG: jit->error.text = *value; break;
  case JIT_ERROR_SIZE: set_size(&jit->error, number, value); break;
  case JIT_TARGET: jit->has_target = true; break;
  case JIT_VERBOSE: jit->verbose = number; break;
  }
}

static void start_log(JitLog *log) {
  if (!log->text) log->size = 0;
  if (log->size) *log->text = '\0';
}

CUresult jit_read(JitOptions *jit, unsigned count, const int *options,
                  void **values) {
  *jit = (JitOptions){.started = now_ms()};
  if (count && (!options || !values)) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; i++) {
    const JitInfo *info = find_info(options[i]);
    const bool is_number = info && info->kind == JIT_NUMBER;
    if (!info || (is_number && (unsigned)(uintptr_t)values[i] > info->most))
      return CUDA_ERROR_INVALID_VALUE;
    read_one(jit, info->kind, &values[i]);
  }
  if (jit->has_target && jit->has_threads) return CUDA_ERROR_INVALID_VALUE;
  start_log(&jit->info);
  start_log(&jit->error);
  return CUDA_SUCCESS;
}

void jit_write(JitLog *log, const char *format, ...) {
  const size_t room = log->size - log->used;
  va_list args;
  if (!log->size) return;
  va_start(args, format);
  const int length = vsnprintf(log->text + log->used, room, format, args);
  va_end(args);
  log->used += length < 0               ? 0
               : (size_t)length >= room ? room - 1
                                        : (size_t)length;
}

void jit_apply(JitOptions *jit, const PtxProgram *program) {
  for (Code *code = program->kernels; code; code = code->next) {
    if (jit->max_registers && code->registers > (int)jit->max_registers &&
        jit->max_registers <= INT_MAX)
      code->registers = (int)jit->max_registers;
    if (!jit->verbose) continue;
    jit_write(&jit->info,
              "ptxas info    : Compiling entry function '%s' for '%s'\n",
              code->name, sim_driver.device.chip->name);
    jit_write(&jit->info,
              "ptxas info    : Used %d registers, %u bytes smem, %u bytes "
              "lmem\n",
              code->registers, code->shared_size, code->local_size);
  }
}

static void give_length(const JitLog *log) {
  if (log->used_out) *log->used_out = (void *)(uintptr_t)log->used;
}

void jit_finish(const JitOptions *jit) {
  give_length(&jit->info);
  give_length(&jit->error);
  if (!jit->time_out) return;
  const float time = (float)(now_ms() - jit->started);
  *jit->time_out = NULL;
  memcpy(jit->time_out, &time, sizeof time);
}
