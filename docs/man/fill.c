// fill.c -- prints a page, a completion or a grammar, with texts from tables.
//
//   fill FILE    prints the file; `fillings` has the text for each @NAME@
//
// So an option, a target, a pass or a builtin is written once, in its .def.
#include "ir/target.h"
#include "passes/pass.h"
#include "runtime/tools/tilec.h"

#include <stdio.h>
#include <string.h>

enum { NO, YES, OPT };

// -- Tables ------------------------------------------------------------------

static const struct {
  Commands id;
  const char *name, *takes, *help;
} commands[] = {
#define COMMAND(id, name, takes, help, about) {id, name, takes, help},
#define OPTION(...)
#define HEADING(...)
#define CONTINUED(...)
#include "runtime/tools/options.def"
};

// A row without a name is a heading, or where nothing is shown either, more of
// the help of the row above.
typedef struct {
  const char *id, *name;
  int argument;
  Commands commands;
  const char *shown, *help;
} Row;

static const Row rows[] = {
#define OPTION(id, name, argument, commands, shown, help)                      \
  {#id, name, argument, commands, shown, help},
#define HEADING(commands, text)   {NULL, NULL, NO, commands, text, NULL},
#define CONTINUED(commands, text) {NULL, NULL, NO, commands, NULL, text},
#include "runtime/tools/options.def"
};

#define COUNT(table) (int)(sizeof table / sizeof *table)

static const char *const kinds[] = {
#define OUTPUT(name, ...) #name,
#include "runtime/tools/outputs.def"
};

static const char *const cpus[] = {
    "native",
#define HOST_CPU(name, ...) name,
#include "codegen/llvm/host_cpus.def"
};

static const char *const device_kinds[] = {
#define DEVICE(kind) #kind,
#include "runtime/device/devices.def"
};

static const char *const builtins[] = {
#define GROUP(title)
#define BUILTIN(name, ...)     name,
#define UNSUPPORTED(name, ...) name,
#include "frontend/core/builtins.def"
};

static const char *const dtypes[] = {
#define DTYPE(id, name, ...) name,
#include "frontend/value/dtypes.def"
};

static void words(const char *const *names, int count, const char *between) {
  for (int i = 0; i < count; i++) {
    bool is_first = true;
    for (int k = 0; k < i; k++) is_first &= strcmp(names[k], names[i]) != 0;
    if (is_first) printf("%s%s", i ? between : "", names[i]);
  }
}

// -- Values of options -------------------------------------------------------

static void targets(void) {
  for (int i = 0; i < target_count; i++)
    printf("%s%s", i ? " " : "", target_table[i].name);
}

static void passes(void) {
  for (int i = 0; i < pass_count; i++)
    printf("%s%s", i ? " " : "", pass_table[i].name);
}

static void kinds_of_output(void) {
  words(kinds, COUNT(kinds), " ");
}

static void names_of_cpus(void) {
  words(cpus, COUNT(cpus), " ");
}

static void devices(void) {
  words(device_kinds, COUNT(device_kinds), " ");
}

static void formats(void) {
  fputs("text json", stdout);
}

static void times_of_color(void) {
  fputs("auto always never", stdout);
}

static void tiers(void) {
  fputs("0 1 auto", stdout);
}

typedef void (*PrintValues)(void);

static const struct {
  const char *id;
  PrintValues print;
} values[] = {{"EMIT", kinds_of_output}, {"TARGET", targets},
              {"CPU", names_of_cpus},    {"DEVICE", devices},
              {"STATS", formats},        {"FORMAT", formats},
              {"COLOR", times_of_color}, {"PRINT_BEFORE", passes},
              {"PRINT_AFTER", passes},   {"STOP_AFTER", passes},
              {"DISABLE_PASS", passes},  {"TIER", tiers}};

// NULL: its values are not a few words.
static PrintValues values_of(const Row *row) {
  for (int i = 0; i < COUNT(values); i++)
    if (!strcmp(row->id, values[i].id)) return values[i].print;
  return NULL;
}

// -- Options -----------------------------------------------------------------

typedef void (*TakeSpelling)(const Row *, const char *, int length);

// Calls `take` for each way to write an option, without its value.
static void each_spelling(const Row *row, TakeSpelling take) {
  for (const char *at = row->shown; *at == '-';) {
    const int length = (int)strcspn(at, " =[,");
    take(row, at, length);
    if (at[length] != ',') break;
    at += length + 2;
  }
}

// -- The manual --------------------------------------------------------------

// scdoc takes these for marks.
static void escape(const char *text) {
  for (; *text; text++) {
    if (strchr("\\*_[]#<>`~.-", *text)) putchar('\\');
    putchar(*text);
  }
}

static void man_commands(void) {
  for (int i = 0; i < COUNT(commands); i++) {
    printf("*tilec %s* ", commands[i].name);
    escape(commands[i].takes);
    printf("\n\t");
    escape(commands[i].help);
    printf("\n\n");
  }
}

// For which commands, where it is not for all.
static void man_users(const Row *row) {
  if ((row->commands & ALL) == ALL) return;
  printf(" (");
  const char *between = "";
  if (row->commands & COMPILE) {
    printf("compiling");
    between = ", ";
  }
  for (int i = 0; i < COUNT(commands); i++) {
    if (!(row->commands & commands[i].id)) continue;
    printf("%s%s", between, commands[i].name);
    between = ", ";
  }
  printf(")");
}

static void man_options(void) {
  for (int i = 0; i < COUNT(rows); i++) {
    const Row *row = &rows[i];
    if (row->name) {
      printf("*");
      escape(row->shown);
      printf("*\n\t");
      escape(row->help);
      for (; i + 1 < COUNT(rows) && !rows[i + 1].shown; i++) {
        putchar(' ');
        escape(rows[i + 1].help);
      }
      man_users(row);
      printf("\n\n");
    } else if (row->shown) {
      printf("## ");
      escape(row->shown);
      printf("\n\n");
    }
  }
}

// -- Completion --------------------------------------------------------------

static void print_spelling(const Row *row, const char *text, int length) {
  // Words with one dash are flags, or take their value behind a blank.
  const bool joined = row->argument == YES && text[1] == '-';
  printf(" %.*s%s", length, text, joined ? "=" : "");
}

static void options_of(Commands command, TakeSpelling take) {
  for (int i = 0; i < COUNT(rows); i++)
    if (rows[i].name && rows[i].commands & command)
      each_spelling(&rows[i], take);
}

// The cases of a shell: the options of each command, between `open` and
// `close`.
static void cases(const char *open, TakeSpelling take, const char *close) {
  for (int i = 0; i < COUNT(commands); i++) {
    printf("  %s) %s", commands[i].name, open);
    options_of(commands[i].id, take);
    printf("%s ;;\n", close);
  }
  printf("  *) %s", open);
  options_of(COMPILE, take);
  printf("%s ;;\n", close);
}

static void bash_options(void) {
  cases("options='", print_spelling, "'");
}

static void bash_values(void) {
  for (int i = 0; i < COUNT(rows); i++) {
    const PrintValues print = rows[i].name ? values_of(&rows[i]) : NULL;
    if (!print) continue;
    printf("  --%s) values='", rows[i].name);
    print();
    printf("' ;;\n");
  }
}

static void command_names(void) {
  for (int i = 0; i < COUNT(commands); i++)
    printf("%s%s", i ? " " : "", commands[i].name);
}

// The row of `tilec cache` takes its actions last, with bars between them.
static void cache_actions(void) {
  int i = 0;
  while (commands[i].id != CACHE) i++;
  const char *last = strrchr(commands[i].takes, ' ');
  for (last++; *last; last++) putchar(*last == '|' ? ' ' : *last);
}

// Escapes characters that mean something in a specification of _arguments.
static void zsh_text(const char *text) {
  for (; *text; text++) {
    if (*text == '\'') {
      fputs("'\\''", stdout);
      continue;
    }
    if (strchr("[]:\\", *text)) putchar('\\');
    putchar(*text);
  }
}

static void zsh_values(const Row *row) {
  const PrintValues print = values_of(row);
  if (print) {
    printf("(");
    print();
    printf(")");
    return;
  }
  fputs(strcmp(row->id, "CACHE_DIR") ? "_files" : "_files -/", stdout);
}

// `*`: it may be given again.
static void zsh_spelling(const Row *row, const char *text, int length) {
  const bool is_long = text[1] == '-';
  printf("    '*%.*s%s[", length, text,
         row->argument == NO    ? ""
         : !is_long             ? "+"
         : row->argument == OPT ? "=-"
                                : "=");
  zsh_text(row->help);
  printf("]");
  if (row->argument != NO) {
    printf("%s", row->argument == OPT ? "::" : ":");
    zsh_text(row->name);
    printf(":");
    zsh_values(row);
  }
  printf("'\n");
}

static void zsh_options(void) {
  cases("specs=(\n", zsh_spelling, "  )");
}

// -- Grammars ----------------------------------------------------------------

static void builtins_by_bars(void) {
  words(builtins, COUNT(builtins), "|");
}

static void builtins_by_vim_bars(void) {
  words(builtins, COUNT(builtins), "\\|");
}

static void dtypes_by_blanks(void) {
  words(dtypes, COUNT(dtypes), " ");
}

static void dtypes_by_bars(void) {
  words(dtypes, COUNT(dtypes), "|");
}

static void version(void) {
  fputs(TILE_VERSION, stdout);
}

// -- Files -------------------------------------------------------------------

static const struct {
  const char *name;
  void (*print)(void);
} fillings[] = {{"VERSION", version},
                {"MAN_COMMANDS", man_commands},
                {"MAN_OPTIONS", man_options},
                {"COMMANDS", command_names},
                {"CACHE_ACTIONS", cache_actions},
                {"BASH_OPTIONS", bash_options},
                {"BASH_VALUES", bash_values},
                {"ZSH_OPTIONS", zsh_options},
                {"BUILTINS_OR", builtins_by_bars},
                {"BUILTINS_VIM", builtins_by_vim_bars},
                {"DTYPES", dtypes_by_blanks},
                {"DTYPES_OR", dtypes_by_bars}};

// Prints the beginning of `text`, a filling or one character.  Returns the text
// behind it.
static const char *print_next(const char *text) {
  for (int i = 0; *text == '@' && i < COUNT(fillings); i++) {
    const size_t length = strlen(fillings[i].name);
    if (strncmp(text + 1, fillings[i].name, length) || text[length + 1] != '@')
      continue;
    fillings[i].print();
    return text + length + 2;
  }
  putchar(*text);
  return text + 1;
}

int main(int argc, char **argv) {
  static char text[1 << 16];
  FILE *in = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (!in || fread(text, 1, sizeof text - 1, in) == sizeof text - 1) {
    fputs("usage: fill FILE, of less than 64 KiB\n", stderr);
    return 2;
  }
  fclose(in);
  for (const char *at = text; *at;) at = print_next(at);
  return fflush(stdout) || ferror(stdout);
}
