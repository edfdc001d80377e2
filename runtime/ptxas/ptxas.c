// ptxas.c -- runs NVIDIA's assembler, and reads its output.
//
// ptxas works in a temporary folder, on files with fixed names, so that neither
// its messages nor the cubin depend on the place.
#include "runtime/ptxas/ptxas.h"

#include "runtime/base/base.h"
#include "runtime/ptxas/aside.h"
#include "runtime/ptxas/child.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static const char input_name[] = "kernel.ptx", output_name[] = "kernel.cubin";

// -- Output of ptxas ---------------------------------------------------------

// The number before `words`; 0 if they are missing, or it is too large.
static int number_before(const char *text, const char *words) {
  const char *end = strstr(text, words), *at = end;
  if (!end) return 0;
  while (at > text && at[-1] >= '0' && at[-1] <= '9') at--;
  const long number = strtol(at, NULL, 10);
  return number <= INT_MAX ? (int)number : 0;
}

static void read_log(PtxasOutput *out) {
  out->registers = number_before(out->log, " registers");
  out->stack_bytes = number_before(out->log, " bytes stack frame");
  out->spilled = number_before(out->log, " bytes spill stores") +
                 number_before(out->log, " bytes spill loads");
  out->static_shared_bytes = number_before(out->log, " bytes smem");
}

// -- Running -----------------------------------------------------------------

enum { NOT_RUN = 127, USUAL_SECONDS = 600 }; // 127 is a shell's

static double seconds_allowed(void) {
  const char *text = getenv("TILE_PTXAS_SECONDS");
  const double seconds = text ? strtod(text, NULL) : 0;
  return seconds > 0 ? seconds : USUAL_SECONDS;
}

// Puts the reason of the failure in front of the output of ptxas.
__attribute__((format(printf, 3, 4))) static PtxasResult
fail(Arena *arena, PtxasOutput *out, const char *format, ...) {
  char why[PATH_MAX + 256];
  va_list args;
  va_start(args, format);
  vsnprintf(why, sizeof why, format, args);
  va_end(args);
  const char *joint = *out->log ? "\n" : "";
  out->log = arena_printf(arena, "%s%s%s", why, joint, out->log);
  return PTXAS_FAILED;
}

static PtxasResult read_cubin(Arena *arena, const char *folder,
                              PtxasOutput *out) {
  char why[PATH_MAX + 256];
  const char *made = arena_printf(arena, "%s/%s", folder, output_name);
  out->cubin = file_read(arena, made, &out->size, why, sizeof why);
  if (!out->cubin) return fail(arena, out, "%s", why);
  read_log(out);
  return PTXAS_FINE;
}

static PtxasResult judge(Arena *arena, const char *folder, int status,
                         PtxasOutput *out) {
  if (WIFSIGNALED(status))
    return fail(arena, out, "ptxas came to a sudden end by signal %d",
                WTERMSIG(status));
  if (WEXITSTATUS(status) == NOT_RUN)
    return fail(arena, out, "ptxas ends with code %d", NOT_RUN);
  return WEXITSTATUS(status) ? PTXAS_REFUSED : read_cubin(arena, folder, out);
}

static PtxasResult run(Arena *arena, const char *ptxas, const PtxasInput *input,
                       const char *folder, PtxasOutput *out) {
  const char *const arguments[] = {
      ptxas,
      arena_printf(arena, "-arch=%s", input->arch),
      "-v",
      "-o",
      output_name,
      input_name,
      input->line_info ? "-lineinfo" : NULL,
      NULL,
  };
  const double seconds = seconds_allowed();
  Str log = str_in(arena);
  int status = 0;
  const ChildEnd how =
      child_run(arena, arguments, folder, input, seconds, &log, &status);
  const char *why = strerror(errno);
  out->log = str_text(&log);
  switch (how) {
  case CHILD_ENDED: return judge(arena, folder, status, out);
  case CHILD_CANCELLED: return PTXAS_CANCELLED;
  case CHILD_LATE:
    return fail(arena, out, "ptxas has not ended after %g s", seconds);
  case CHILD_UNKNOWN:
    return fail(arena, out, "the program has taken the exit code of ptxas");
  case CHILD_NOT_RUN: break;
  }
  return fail(arena, out, "cannot run '%s': %s", ptxas, why);
}

static PtxasResult assemble(Arena *arena, const char *ptxas,
                            const PtxasInput *input, const char *folder,
                            PtxasOutput *out) {
  if (!aside_write(folder, input_name, input->ptx, input->size))
    return fail(arena, out, "cannot write '%s/%s': %s", folder, input_name,
                strerror(errno));
  return run(arena, ptxas, input, folder, out);
}

static PtxasResult assemble_aside(Arena *arena, const char *ptxas,
                                  const PtxasInput *input, PtxasOutput *out) {
  AsideFolder *folder = aside_make(arena);
  if (!folder->is_made)
    return fail(arena, out, "cannot make a folder '%s': %s", folder->path,
                strerror(errno));
  const PtxasResult result = assemble(arena, ptxas, input, folder->path, out);
  arena_cleanup_now(folder->cleanup);
  return result;
}

PtxasResult ptxas_run(Arena *arena, const char *ptxas, const PtxasInput *input,
                      PtxasOutput *out) {
  *out = (PtxasOutput){.log = ""};
  const PtxasResult result =
      input->folder ? assemble(arena, ptxas, input, input->folder, out)
                    : assemble_aside(arena, ptxas, input, out);
  assert(result != PTXAS_FINE || out->cubin);  // I1
  assert(result != PTXAS_FAILED || *out->log); // I1
  return result;
}
