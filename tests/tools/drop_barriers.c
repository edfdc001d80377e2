// drop_barriers.c -- is each barrier of a kernel missed when it is not there?
//
// Loaded as the driver (TILE_LIBCUDA), it stands before the simulator, whose
// functions it has but for one: when the first module with a barrier is loaded,
// the process goes on once for each of its barriers, without it, in each
// schedule until it fails.  A line a barrier goes to $TILE_DROPPED: the line of
// the PTX, and whether somebody missed it.  Then all goes on as it was.
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

static const char comment[] = "//      ";
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

// The child has what it says to itself.
static void go_on_without(char *place, const char *schedule) {
  const int null = open("/dev/null", O_WRONLY);
  dup2(null, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
  setenv("TILE_SIM_SCHEDULE", schedule, 1);
  memcpy(place, comment, sizeof comment - 1);
}

// 0 in a child, which goes on.
static pid_t try_without(char *place, const char *schedule, bool *missed) {
  const pid_t child = fork();
  int status = 0;
  if (!child) go_on_without(place, schedule);
  if (child > 0) waitpid(child, &status, 0);
  *missed = child < 0 || status;
  return child;
}

// False in a child.
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

int cuModuleLoadDataEx(void *module, const void *image, unsigned num_options,
                       int *options, void **values) {
  static bool is_done;
  LoadFn *load = NULL;
  *(void **)&load = dlsym(RTLD_NEXT, "cuModuleLoadDataEx");
  const char *name = getenv("TILE_DROPPED");
  if (is_done || !name || !find_barrier(image))
    return load(module, image, num_options, options, values);
  is_done = true;
  char *text = strdup(image);
  const int file = open(name, O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (text && file >= 0) try_all(text, file);
  close(file);
  const int result =
      load(module, text ? text : image, num_options, options, values);
  free(text);
  return result;
}
