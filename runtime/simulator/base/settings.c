// settings.c -- the variables $TILE_SIM_*.
//
// An empty variable counts as not set.  An invalid one is an error, since the
// user meant something by it.
#include "runtime/simulator/base/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/threads.h"
#include "runtime/simulator/base/chips.h"

static bool read_number(const char *text, uint64_t least, uint64_t most,
                        uint64_t *out) {
  char *end;
  errno = 0;
  if (*text < '0' || *text > '9') return false;
  *out = strtoull(text, &end, 10);
  return !*end && !errno && *out >= least && *out <= most;
}

static bool read_chip(Settings *settings, const char *text) {
  settings->chip = text;
  return chip_find(text) != NULL;
}

static bool read_report(Settings *settings, const char *text) {
  settings->report = text;
  return true;
}

static bool read_ptx(Settings *settings, const char *text) {
  settings->ptx = text;
  return true;
}

// `7` and `random:7` are the same schedule.
static bool read_schedule(Settings *settings, const char *text) {
  static const char prefix[] = "random:";
  const size_t length = sizeof prefix - 1;
  const char *seed = strncmp(text, prefix, length) ? text : text + length;
  uint64_t number = 0;
  settings->early = strcmp(text, "early") == 0;
  const bool ok = settings->early || strcmp(text, "late") == 0 ||
                  read_number(seed, 0, UINT32_MAX, &number);
  settings->seed = (uint32_t)number;
  return ok;
}

static bool read_threads(Settings *settings, const char *text) {
  uint64_t number = 0;
  const bool ok = read_number(text, 1, MAX_RUN_THREADS, &number);
  settings->threads = (int)number;
  return ok;
}

static bool read_processors(Settings *settings, const char *text) {
  uint64_t number = 0;
  const bool ok = read_number(text, 1, 1024, &number);
  settings->processors = (int)number;
  return ok;
}

static bool read_checks(Settings *settings, const char *text) {
  static const struct {
    const char *text;
    unsigned kept, added; // checks
  } rows[] = {
      {"none", 0, 0},
      {"usual", ~0u, 0},
      {"all", ~0u, CHECK_GLOBAL},
      {"strict", ~0u, CHECK_GLOBAL | CHECK_STRICT},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (strcmp(rows[i].text, text) != 0) continue;
    settings->checks = (settings->checks & rows[i].kept) | rows[i].added;
    return true;
  }
  return false;
}

static bool read_budget(Settings *settings, const char *text) {
  return read_number(text, 1, UINT64_C(1) << 63, &settings->budget);
}

static bool read_stats(Settings *settings, const char *text) {
  settings->stats = text;
  return (strncmp(text, "text:", 5) == 0 || strncmp(text, "json:", 5) == 0) &&
         text[5];
}

static bool read_sum(Settings *settings, const char *text) {
  settings->cuts_sums = strcmp(text, "hardware") == 0;
  return settings->cuts_sums || strcmp(text, "fma") == 0;
}

typedef struct {
  const char *name;
  bool (*read)(Settings *settings, const char *text);
  const char *wanted;
} SettingInfo;

#define PREFIX "TILE_SIM_"

static const SettingInfo infos[] = {
#define SETTING(name, read, wanted) {PREFIX #name, read, wanted},
#include "runtime/simulator/base/settings.def"
};

enum { NUM_SETTINGS = sizeof infos / sizeof *infos };

static bool complain(const char *name, const char *value, const char *wanted) {
  fprintf(stderr, "tilesim: %s is '%s'; it wants %s\n", name, value, wanted);
  return false;
}

bool settings_read(Settings *settings) {
  static const uint64_t usual_budget = UINT64_C(1) << 28; // for one CTA
  bool ok = true;
  *settings =
      (Settings){.budget = usual_budget, .checks = CHECK_SHARED | CHECK_RACES};
  for (int i = 0; i < NUM_SETTINGS; i++) {
    const char *text = getenv(infos[i].name);
    if (text && *text && !infos[i].read(settings, text))
      ok = complain(infos[i].name, text, infos[i].wanted);
  }
  return ok;
}

// -- When the driver starts --------------------------------------------------

FILE *settings_open(const char *name, const char *path) {
  if (strcmp(path, "-") == 0)
    return strcmp(name, PREFIX "STATS") == 0 ? stdout : stderr;
  FILE *file = fopen(path, "a");
  if (!file)
    fprintf(stderr, "tilesim: %s: cannot write '%s': %s\n", name, path,
            strerror(errno));
  return file;
}

// Whether the file can be opened for appending; a new file is removed again.
static bool can_append(const char *name, const char *path) {
  const bool is_new = access(path, F_OK) != 0;
  FILE *file = settings_open(name, path);
  if (!file) return false;
  if (file == stdout || file == stderr) return true;
  fclose(file);
  if (is_new) remove(path);
  return true;
}

static bool can_fill(const char *name, const char *path) {
  struct stat about;
  const bool ok = stat(path, &about) == 0 && S_ISDIR(about.st_mode) &&
                  access(path, W_OK | X_OK) == 0;
  return ok || complain(name, path, "a directory that can be written to");
}

static bool is_known(const char *variable) {
  for (int i = 0; i < NUM_SETTINGS; i++) {
    const size_t length = strlen(infos[i].name);
    if (strncmp(variable, infos[i].name, length) == 0 &&
        variable[length] == '=')
      return true;
  }
  return false;
}

extern char **environ;

static bool check_names(void) {
  bool ok = true;
  for (char **variable = environ; variable && *variable; variable++) {
    if (strncmp(*variable, PREFIX, strlen(PREFIX)) != 0 || is_known(*variable))
      continue;
    fprintf(stderr, "tilesim: there is no setting '%.*s'\n",
            (int)strcspn(*variable, "="), *variable);
    ok = false;
  }
  return ok;
}

bool settings_check(void) {
  Settings settings;
  bool ok = check_names();
  if (!settings_read(&settings)) return false;
  if (settings.report) ok &= can_append(PREFIX "REPORT", settings.report);
  if (settings.stats) ok &= can_append(PREFIX "STATS", settings.stats + 5);
  if (settings.ptx) ok &= can_fill(PREFIX "PTX", settings.ptx);
  return ok;
}
