// help.c -- finds the command, and prints the output of --help.
#include "runtime/tools/errors.h"
#include "runtime/tools/tilec.h"

#include <string.h>
#include <unistd.h>

// -- Commands ----------------------------------------------------------------

const CommandInfo command_table[NUM_COMMANDS] = {
    {COMPILE, "", "[options] FILE", "compile a kernel",
     "\n'tilec COMMAND --help' shows the help of one command.\n"},
#define COMMAND(id, name, takes, help, about) {id, name, takes, help, about},
#define OPTION(...)
#define HEADING(...)
#define CONTINUED(...)
#include "runtime/tools/options.def"
};

static const CommandInfo *command_info(Commands command) {
  int i = 0;
  while (command_table[i].id != command) i++;
  return &command_table[i];
}

const char *command_name(Commands command) {
  return command_info(command)->name;
}

Commands command_find(const char *name) {
  for (int i = 0; i < NUM_COMMANDS; i++)
    if (!strcmp(command_table[i].name, name)) return command_table[i].id;
  return COMPILE;
}

// The first name that begins like `text`, else the nearest one, or NULL.
static const char *find_near(const char *text, const char *const *names,
                             size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (!strncmp(names[i], text, strlen(text))) return names[i];
  }
  return diag_nearest(text, names, count);
}

int command_check_file(Tool *tool, const char *file) {
  const bool is_path = *file == '-' || strpbrk(file, "./");
  if (!*file || is_path || !access(file, F_OK)) return EXIT_FINE;
  const char *names[NUM_COMMANDS];
  size_t count = 0;
  Str all = str_in(&tool->arena);
  for (int i = 0; i < NUM_COMMANDS; i++) {
    const char *name = command_table[i].name;
    if (!*name) continue;
    str_addf(&all, "%s%s", count ? ", " : "", name);
    names[count++] = name;
  }
  const char *near = find_near(file, names, count);
  if (near)
    return tool_fail(tool, EXIT_USAGE, ERROR_no_such_command_near, file, near);
  return tool_fail(tool, EXIT_USAGE, ERROR_no_such_command, file,
                   str_text(&all));
}

// -- Help --------------------------------------------------------------------

typedef struct {
  Commands commands;
  const char *shown, *help; // shown NULL: a heading; "": continues the line
                            // above
} HelpLine;

static const HelpLine help_lines[] = {
#define OPTION(id, name, argument, commands, shown, help)                      \
  {commands, shown, help},
#define HEADING(commands, text)   {commands, NULL, text},
#define CONTINUED(commands, text) {commands, "", text},
#include "runtime/tools/options.def"
};

// Writes a line such as "usage: tilec run [options] FILE".
static void print_usage(const CommandInfo *info, const char *before, FILE *to) {
  fprintf(to, "%stilec %s%s%s\n", before, info->name, *info->name ? " " : "",
          info->takes);
}

static void print_all_usages(FILE *to) {
  for (int i = 0; i < NUM_COMMANDS; i++) {
    const CommandInfo *info = &command_table[i];
    print_usage(info, i ? "       " : "usage: ", to);
    fprintf(to, "             %s\n", info->help);
  }
}

static const char help_end[] =
    "\nExit codes: 0 fine, 1 errors in the source, 2 usage, 3 files, 4 "
    "device,\n"
    "5 results differ or are missing, 70 a bug of ours (a file that reproduces "
    "it is written).\n";

void print_help(Commands command, FILE *to) {
  if (command == COMPILE)
    print_all_usages(to);
  else
    print_usage(command_info(command), "usage: ", to);
  fputs(command_info(command)->about, to);
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
