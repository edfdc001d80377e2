// drop_barriers.c -- finds needless barriers: removes each barrier of a kernel
// in turn.
//
// The library is loaded as the driver (TILE_LIBCUDA), in front of the
// simulator, and forwards all functions but one.  When the first module with a
// barrier is loaded, the process forks once for each of its barriers; the child
// runs on without the barrier, in each schedule until one fails.  A line for
// each barrier goes to $TILE_DROPPED: the line of the PTX, and whether a run
// failed without it.  Then the parent goes on as usual.
#define _DEFAULT_SOURCE // setenv, strdup
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int LoadFn(void *module, const void *image, unsigned num_options,
                   int *options, void **values);
LoadFn cuModuleLoadDataEx;

static const char comment[] = "//      ", trap[] = "trap; //";
static const char *const schedules[] = {"late", "early", "3", "8", "21"};

// The first barrier of a program or a warp, or NULL.
static char *find_barrier(const char *text) {
  char *all = strstr(text, "bar.sync"), *warp = strstr(text, "bar.warp.sync");
  return !all || (warp && warp < all) ? warp : all;
}

static unsigned line_of(const char *text, const char *place) {
  unsigned line = 1;
  for (; text < place; text++) line += *text == '\n';
  return line;
}

// 0 in a child, which goes on without output.
static pid_t try_child(bool *failed) {
  const pid_t child = fork();
  int status = 0;
  if (!child) {
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
  }
  if (child > 0) waitpid(child, &status, 0);
  *failed = child <= 0 || status;
  return child;
}

static pid_t try_without(char *place, const char *schedule, bool *missed) {
  const pid_t child = try_child(missed);
  if (child) return child;
  setenv("TILE_SIM_SCHEDULE", schedule, 1);
  memcpy(place, comment, sizeof comment - 1);
  return child;
}

// Whether a launch reaches a barrier of the module.  The library may load a
// module with tensor maps, and launch another one if no map can be made.
static pid_t try_traps(char *text, bool *is_launched) {
  const pid_t child = try_child(is_launched);
  if (child) return child;
  for (char *place = find_barrier(text); place; place = find_barrier(place + 1))
    memcpy(place, trap, sizeof trap - 1);
  return child;
}

// Tries each barrier of the text; false in a child.
static bool try_all(char *text, int file) {
  for (char *place = find_barrier(text); place;
       place = find_barrier(place + 1)) {
    bool missed = false;
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules && !missed; i++)
      if (!try_without(place, schedules[i], &missed)) return false;
    dprintf(file, "%u %s\n", line_of(text, place),
            missed ? "missed" : "needless");
  }
  return true;
}

// In a child, returns with changed instructions in `text`, which the caller
// loads.
static void try_module(char *text, const char *name, bool *is_done) {
  if (!try_traps(text, is_done) || !*is_done) return;
  const int file = open(name, O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (file >= 0) try_all(text, file);
  close(file);
}

int cuModuleLoadDataEx(void *module, const void *image, unsigned num_options,
                       int *options, void **values) {
  static bool is_done;
  LoadFn *load = NULL;
  *(void **)&load = dlsym(RTLD_NEXT, "cuModuleLoadDataEx");
  const char *name = getenv("TILE_DROPPED");
  char *text = !is_done && name && find_barrier(image) ? strdup(image) : NULL;
  if (text) try_module(text, name, &is_done);
  const int result =
      load(module, text ? text : image, num_options, options, values);
  free(text);
  return result;
}
