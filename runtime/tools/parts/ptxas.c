// ptxas.c -- runs NVIDIA's assembler, and reads its output.
//
// ptxas works in a temporary folder, on files with fixed names, so that neither
// its messages nor the cubin depend on the place.
#include "runtime/tools/parts/ptxas.h"

#include "runtime/base/base.h"
#include "runtime/tools/parts/own_folder.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// -- Finding ptxas -----------------------------------------------------------

// The absolute path of ptxas, which will be run in another directory; NULL: not
// there.
static const char *if_there(Arena *arena, const char *folder, size_t length,
                            const char *rest) {
  char here[PATH_MAX];
  const char *path = arena_printf(arena, "%.*s%s", (int)length, folder, rest);
  if (access(path, X_OK)) return NULL;
  if (*path == '/') return path;
  return getcwd(here, sizeof here) ? arena_printf(arena, "%s/%s", here, path)
                                   : NULL;
}

static const char *find_on_path(Arena *arena) {
  const char *at = getenv("PATH");
  while (at && *at) {
    const size_t length = strcspn(at, ":");
    const char *found = length ? if_there(arena, at, length, "/ptxas") : NULL;
    if (found) return found;
    at += length + (at[length] == ':');
  }
  return NULL;
}

const char *ptxas_find(Arena *arena) {
  const char *named = getenv("TILE_PTXAS");
  if (named && *named) return if_there(arena, named, strlen(named), "");
  const char *found = find_on_path(arena);
  const char *const roots[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"),
                               "/usr/local/cuda"};
  for (int i = 0; !found && i < 3; i++) {
    if (roots[i] && *roots[i])
      found = if_there(arena, roots[i], strlen(roots[i]), "/bin/ptxas");
  }
  return found;
}

static const char input_name[] = "kernel.ptx", output_name[] = "kernel.cubin";

// -- Running -----------------------------------------------------------------

enum { NOT_RUN = 127 };

// Runs in the child process; returns only if ptxas could not be started.
static void become_ptxas(const char *ptxas, const PtxasInput *input,
                         const OwnFolder *folder, int output) {
  char arch[32];
  snprintf(arch, sizeof arch, "-arch=%s", input->arch);
  const char *const arguments[] = {
      ptxas,
      arch,
      "-v",
      "-o",
      output_name,
      input_name,
      input->line_info ? "-lineinfo" : NULL,
      NULL,
  };
  if (dup2(output, STDOUT_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0 &&
      !chdir(folder->path))
    execv(ptxas, (char *const *)(uintptr_t)arguments);
  dprintf(output, "cannot run '%s': %s", ptxas, strerror(errno));
  _exit(NOT_RUN);
}

typedef struct {
  int fds[2];
} Pipe;

static void close_pipe(void *data) {
  Pipe *pipe = data;
  for (int i = 0; i < 2; i++) {
    if (pipe->fds[i] >= 0) close(pipe->fds[i]);
    pipe->fds[i] = -1;
  }
}

static void read_all(int fd, Str *out) {
  char part[4096];
  for (;;) {
    const ssize_t got = read(fd, part, sizeof part);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    str_add_bytes(out, part, (size_t)got);
  }
}

// Runs ptxas: `log` gets its output; returns its exit status.
static int run(Arena *arena, const char *ptxas, const PtxasInput *input,
               const OwnFolder *folder, Str *log) {
  Pipe *both = arena_new(arena, Pipe);
  if (pipe(both->fds)) return -1;
  ArenaCleanup *cleanup = arena_defer(arena, close_pipe, both);
  const pid_t pid = own_folder_fork();
  if (pid == 0) become_ptxas(ptxas, input, folder, both->fds[1]);
  int status = -1;
  if (pid > 0) {
    close(both->fds[1]);
    both->fds[1] = -1;
    read_all(both->fds[0], log);
    status = own_folder_wait(pid);
  }
  arena_cleanup_now(cleanup);
  return status;
}

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

static PtxasResult fail(Arena *arena, PtxasOutput *out, const char *why) {
  out->log = arena_strdup(arena, why);
  return PTXAS_FAILED;
}

static PtxasResult assemble(Arena *arena, const char *ptxas,
                            const PtxasInput *input, const OwnFolder *folder,
                            PtxasOutput *out) {
  char why[PATH_MAX + 256];
  const char *made = arena_printf(arena, "%s/%s", folder->path, output_name);
  Str log = str_in(arena);
  if (!own_folder_write(folder, input_name, input->ptx, input->size)) {
    snprintf(why, sizeof why, "cannot write '%s/%s': %s", folder->path,
             input_name, strerror(errno));
    return fail(arena, out, why);
  }
  const int status = run(arena, ptxas, input, folder, &log);
  out->log = str_text(&log);
  if (status == -1 || !WIFEXITED(status) || WEXITSTATUS(status) == NOT_RUN) {
    return *out->log ? PTXAS_FAILED
                     : fail(arena, out, "ptxas came to a sudden end");
  }
  if (WEXITSTATUS(status)) return PTXAS_REFUSED;
  out->cubin = file_read(arena, made, &out->size, why, sizeof why);
  if (!out->cubin) return fail(arena, out, why);
  read_log(out);
  return PTXAS_FINE;
}

PtxasResult ptxas_run(Arena *arena, const char *ptxas, const PtxasInput *input,
                      PtxasOutput *out) {
  *out = (PtxasOutput){.log = ""};
  OwnFolder *folder = arena_new(arena, OwnFolder);
  if (!own_folder_open(arena, folder)) {
    out->log = arena_printf(arena, "cannot make a folder '%s': %s",
                            folder->path, strerror(errno));
    return PTXAS_FAILED;
  }
  const PtxasResult result = assemble(arena, ptxas, input, folder, out);
  own_folder_close(folder);
  assert(result != PTXAS_FINE || out->cubin);  // I1
  assert(result != PTXAS_FAILED || *out->log); // I1
  return result;
}
