// tilec_help.c -- which command is meant, and what its --help prints.
#include "runtime/tools/errors.h"
#include "runtime/tools/tilec.h"

#include <string.h>
#include <unistd.h>

// -- Commands ----------------------------------------------------------------

static const struct {
  Commands id;
  const char *name;
} commands[] = {
#define COMMAND(id, name, takes, help) {id, name},
#define OPTION(...)
#define HEADING(...)
#define CONTINUED(...)
#include "runtime/tools/options.def"
};
enum { NUM_COMMANDS = sizeof commands / sizeof *commands };

Commands command_find(const char *name) {
  for (int i = 0; i < NUM_COMMANDS; i++)
    if (!strcmp(commands[i].name, name)) return commands[i].id;
  return COMPILE;
}

int command_check_file(Tool *tool, const char *file) {
  const bool is_path = *file == '-' || strpbrk(file, "./");
  if (!*file || is_path || !access(file, F_OK)) return EXIT_FINE;
  const char *names[NUM_COMMANDS];
  Str all = str_in(&tool->arena);
  for (int i = 0; i < NUM_COMMANDS; i++) {
    names[i] = commands[i].name;
    str_addf(&all, "%s%s", i ? ", " : "", names[i]);
  }
  const char *near = diag_nearest(file, names, NUM_COMMANDS);
  if (near)
    return tool_fail(tool, EXIT_USAGE, ERROR_no_such_command_near, file, near);
  return tool_fail(tool, EXIT_USAGE, ERROR_no_such_command, file,
                   str_text(&all));
}

// -- Help --------------------------------------------------------------------

typedef struct {
  Commands commands;
  const char *shown, *help; // shown NULL: a heading; "": more of the above
} HelpLine;

static const HelpLine help_lines[] = {
#define OPTION(id, name, argument, commands, shown, help)                      \
  {commands, shown, help},
#define HEADING(commands, text)   {commands, NULL, text},
#define CONTINUED(commands, text) {commands, "", text},
#include "runtime/tools/options.def"
};

static const char compile_usage[] =
    "usage: tilec [options] FILE      compile a kernel\n"
    "       tilec run [options] FILE  launch one (tilec run --help)\n"
    "       tilec tune [options] FILE find its quickest configuration\n"
    "       tilec bench [options] FILE time it over sizes\n"
    "       tilec pack [options] FILES  compile ahead (tilec pack --help)\n"
    "       tilec cache COMMAND       what was compiled (tilec cache --help)\n";

static const char run_usage[] =
    "usage: tilec run [options] FILE\n"
    "Launches a kernel with files and generated data in and out.\n";

static const char cache_usage[] =
    "usage: tilec cache [options] COMMAND\n"
    "Looks at compiled kernels that are kept on disk:\n"
    "  list                     each entry, that which was used last first\n"
    "  stats                    how many there are, and how large\n"
    "  verify                   look for broken ones, and remove them\n"
    "  clear                    remove all\n";

static const char tune_usage[] =
    "usage: tilec tune [options] FILE\n"
    "       tilec tune --merge=DIR [options]\n"
    "Finds the quickest configuration of a kernel's @autotune for these "
    "arguments,\n"
    "and keeps it for 'tilec run --config=best' and "
    "TileContextOptions.tuned.\n";

static const char bench_usage[] =
    "usage: tilec bench [options] FILE\n"
    "Times kernels and configurations over sizes, by turns, beside peers.\n";

static const char pack_usage[] =
    "usage: tilec pack [options] --variants=FILE FILES\n"
    "Compiles kernels ahead of time into one file, which libtilert runs.\n";

static const char *usage_of(Commands command) {
  switch (command) {
  case CACHE: return cache_usage;
  case RUN: return run_usage;
  case TUNE: return tune_usage;
  case BENCH: return bench_usage;
  case PACK: return pack_usage;
  default: return compile_usage;
  }
}

static const char help_end[] =
    "\nExit codes: 0 fine, 1 errors in the source, 2 usage, 3 files, 4 "
    "device,\n"
    "5 results differ or are missing, 70 a bug of ours (a file that reproduces "
    "it is written).\n";

void print_help(Commands command, FILE *to) {
  fputs(usage_of(command), to);
  for (size_t i = 0; i < sizeof help_lines / sizeof *help_lines; i++) {
    const HelpLine *line = &help_lines[i];
    if (!(line->commands & command)) continue;
    if (line->shown)
      fprintf(to, "  %-24s %s\n", line->shown, line->help);
    else
      fprintf(to, "\n%s\n", line->help);
  }
  fputs(help_end, to);
}
