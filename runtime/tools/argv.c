// argv.c -- reads Options from argv.
#include "runtime/tools/errors.h"
#include "runtime/tools/tilec.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define NO  no_argument
#define YES required_argument
#define OPT optional_argument

static const struct option long_options[] = {
#define OPTION(id, name, argument, commands, shown, help)                      \
  {name, argument, NULL, OPTION_##id},
#define HEADING(...)
#define CONTINUED(...)
#include "runtime/tools/options.def"
    {NULL, 0, NULL, 0},
};

enum { NUM_OPTIONS = sizeof long_options / sizeof *long_options - 1 };

static const Commands option_commands[] = {
#define OPTION(id, name, argument, commands, shown, help) commands,
#define HEADING(...)
#define CONTINUED(...)
#include "runtime/tools/options.def"
};

static const char *const shown_options[] = {
#define OPTION(id, name, argument, commands, shown, help) shown,
#define HEADING(...)
#define CONTINUED(...)
#include "runtime/tools/options.def"
};

// Whether the option's name has one dash, as in "-MF FILE".
static bool has_one_dash(int i) {
  const char *name = long_options[i].name;
  return !strncmp(shown_options[i] + 1, name, strlen(name));
}

const char *option_with_dashes(Tool *tool, const char *name) {
  bool one_dash = !name[1];
  for (int i = 0; i < NUM_OPTIONS && !one_dash; i++)
    one_dash = has_one_dash(i) && !strcmp(long_options[i].name, name);
  return arena_printf(&tool->arena, one_dash ? "-%s" : "--%s", name);
}

// getopt_long takes one dash for options of one letter: so "-MD" becomes
// "--MD".
static char *with_two_dashes(Tool *tool, char *argument) {
  for (int i = 0; i < NUM_OPTIONS; i++) {
    const char *name = long_options[i].name;
    const size_t length = strlen(name);
    if (*argument != '-' || !has_one_dash(i) ||
        strncmp(argument + 1, name, length))
      continue;
    const char *rest = argument + 1 + length;
    if (*rest && long_options[i].has_arg == NO) continue;
    return arena_printf(&tool->arena, *rest ? "--%s=%s" : "--%s%s", name, rest);
  }
  return argument;
}

static bool is_long_option(const char *name) {
  for (int i = 0; i < NUM_OPTIONS; i++) {
    if (!strcmp(long_options[i].name, name)) return true;
  }
  return false;
}

// The option of this command whose name is nearest, or NULL.
static const char *nearest_option(const Tool *tool, const char *name) {
  const char *names[NUM_OPTIONS];
  size_t count = 0;
  const unsigned command = tool->options.command;
  for (int i = 0; i < NUM_OPTIONS; i++) {
    if (option_commands[i] & command) names[count++] = long_options[i].name;
  }
  return diag_nearest(name, names, count);
}

// `-target=sm_80` lacks a dash; `-x` is no option.
static int unknown_option(Tool *tool, const char *argument) {
  const size_t dashes = argument[1] == '-' ? 2 : 1;
  const size_t length = strcspn(argument, "=");
  const char *shown = arena_strndup(&tool->arena, argument, length);
  const char *name = shown + dashes;
  if (dashes == 2 && argument[length] && is_long_option(name))
    return tool_fail(tool, EXIT_USAGE, ERROR_option_takes_no_value, shown);
  const char *near = nearest_option(tool, name);
  if (near)
    return tool_fail(tool, EXIT_USAGE, ERROR_no_such_option_near, shown,
                     option_with_dashes(tool, near));
  return tool_fail(tool, EXIT_USAGE, ERROR_no_such_option, shown);
}

static int short_id(int c) {
  switch (c) {
  case 'o': return OPTION_OUTPUT;
  case 'D': return OPTION_DEFINE;
  case 'I': return OPTION_INCLUDE;
  case 'v': return OPTION_VERBOSE;
  case 'h': return OPTION_HELP;
  default: return c;
  }
}

// The commands that have an option, and the one that was called: "'tilec run'
// and 'tilec tune', not 'tilec cache'".
static const char *owner_of(Tool *tool, Commands owners) {
  Str out = str_in(&tool->arena);
  const char *own = "";
  for (int i = 0; i < NUM_COMMANDS; i++) {
    const char *space = i ? " " : "", *name = command_table[i].name;
    if (command_table[i].id == tool->options.command)
      own = arena_printf(&tool->arena, "'tilec%s%s'", space, name);
    if (command_table[i].id & owners)
      str_addf(&out, "%s'tilec%s%s'", out.length ? " and " : "", space, name);
  }
  str_addf(&out, ", not %s", own);
  return str_text(&out);
}

static int take_option(Tool *tool, int c, const char *argument) {
  if (c == '?') return unknown_option(tool, argument);
  if (c == ':')
    return tool_fail(tool, EXIT_USAGE, ERROR_option_wants_value,
                     argument[1] == '-' ? option_with_dashes(tool, argument + 2)
                                        : argument);
  const int id = short_id(c);
  tool->options.name = argument[1] == '-' ? "define" : "D";
  const Commands allowed = option_commands[id - FIRST_ID - 1];
  if (allowed & tool->options.command) return option_apply(tool, id, optarg);
  return tool_fail(tool, EXIT_USAGE, ERROR_option_of_other_command, argument,
                   owner_of(tool, allowed));
}

static int take_file(Tool *tool, const char *file) {
  if (tool->options.command == PACK)
    vec_push(&tool->arena, &tool->options.files, file);
  else if (tool->options.file)
    return tool_fail(tool, EXIT_USAGE, ERROR_two_files, tool->options.file,
                     file);
  tool->options.file = file;
  return EXIT_FINE;
}

static int parse_all(Tool *tool, int argc, char **argv) {
  opterr = 0;
  int code = EXIT_FINE;
  while (code == EXIT_FINE) {
    const char *argument = argv[optind];
    const int c = getopt_long(argc, argv, "-:o:D:I:vh", long_options, NULL);
    if (c < 0) break;
    code = c == 1 ? take_file(tool, optarg) : take_option(tool, c, argument);
  }
  for (; code == EXIT_FINE && optind < argc; optind++)
    code = take_file(tool, argv[optind]); // after "--"
  return code;
}

static Commands command_of(const Tool *tool) {
  return tool->argc > 1 ? command_find(tool->argv[1]) : COMPILE;
}

static int check_file(Tool *tool) {
  const Options *options = &tool->options;
  const char *name = command_name(options->command);
  if (!options->file && options->command == CACHE)
    return tool_fail(tool, EXIT_USAGE, ERROR_no_command_of_cache);
  if (!options->file && (options->merges.count || options->record))
    return EXIT_FINE;
  if (!options->file)
    return tool_fail(tool, EXIT_USAGE, ERROR_no_file, *name ? name : "compile",
                     *name ? " " : "", name);
  if ((options->command & LAUNCH) && !options->grid)
    return tool_fail(tool, EXIT_USAGE, ERROR_no_grid);
  return EXIT_FINE;
}

int options_parse(Tool *tool) {
  Options *options = &tool->options;
  options->color = tool_wants_color();
  options->tolerance = -1;
  options->cache_dir = "";
  options->command = command_of(tool);
  const int skipped = options->command != COMPILE, argc = tool->argc - skipped;
  char **argv = arena_array(&tool->arena, char *, argc + 1);
  for (int i = 0; i < argc; i++) {
    argv[i] = with_two_dashes(tool, tool->argv[i + skipped]);
    // Errors of earlier options are written as JSON, too.
    options->json |= !strcmp(argv[i], "--diagnostics-format=json");
  }
  int code = options->command == COMPILE && argc > 1
                 ? command_check_file(tool, argv[1])
                 : EXIT_FINE;
  if (!code) code = parse_all(tool, argc, argv);
  if (code || options->help || options->version || options->print_targets)
    return code;
  return check_file(tool);
}
