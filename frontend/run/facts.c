// facts.c -- what is known of Python's names, and of modules that are no files.
#include "frontend/run/machine.h"

#include <string.h>

// Names of Python's that are none of builtin_row()'s.
static const char *const others[] = {
    "ascii",
    "bytearray",
    "bytes",
    "compile",
    "complex",
    "delattr",
    "dir",
    "format",
    "hash",
    "help",
    "id",
    "input",
    "memoryview",
    "open",
    "NotImplemented",
    "Ellipsis",
    "__debug__",
    "__build_class__",
    "breakpoint",
    "aiter",
    "anext",
    "exit",
    "quit",
    "copyright",
    "credits",
    "license",
    "BaseExceptionGroup",
    "ExceptionGroup",
    "EnvironmentError",
    "IOError",
    "BlockingIOError",
    "ChildProcessError",
    "ConnectionError",
    "BrokenPipeError",
    "ConnectionAbortedError",
    "ConnectionRefusedError",
    "ConnectionResetError",
    "FileExistsError",
    "InterruptedError",
    "IsADirectoryError",
    "NotADirectoryError",
    "ProcessLookupError",
    "StopAsyncIteration",
    "IndentationError",
    "TabError",
    "SystemError",
    "UnicodeDecodeError",
    "UnicodeEncodeError",
    "UnicodeTranslateError",
    "PendingDeprecationWarning",
    "SyntaxWarning",
    "UnicodeWarning",
    "BytesWarning",
    "ResourceWarning",
    "EncodingWarning",
    "PythonFinalizationError",
    "__builtins__",
    "__loader__",
};

static bool has(const char *const *words, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (!strcmp(words[i], name)) return true;
  return false;
}

const BuiltinRow *row_named(const BuiltinRow *rows, const char *name) {
  for (; rows->name; rows++)
    if (!strcmp(rows->name, name)) return rows;
  return NULL;
}

Thing *builtin_thing(Machine *m, const char *name) {
  const size_t length = strlen(name);
  Thing *x = map_get_text(&m->builtins, name, length);
  if (x) return x;
  const BuiltinRow *row = builtin_row(name);
  if (row) {
    x = thing_new(m, THING_BUILTIN);
    x->as.builtin = row;
  } else {
    x = exception_class(m, name);
  }
  if (!x && has(others, sizeof others / sizeof *others, name))
    x = &thing_unknown;
  if (x) map_put_text(&m->builtins, m->arena, name, length, x);
  return x;
}

static bool begins(const char *dotted, const char *module) {
  const size_t length = strlen(module);
  return !strncmp(dotted, module, length) &&
         (!dotted[length] || dotted[length] == '.');
}

bool foreign_is_pure(const char *dotted) {
  static const char *const modules[] = {
      "torch", "triton",  "numpy",    "math",   "os",          "sys",
      "re",    "logging", "warnings", "typing", "itertools",   "functools",
      "enum",  "time",    "json",     "abc",    "dataclasses", "collections",
      "copy",  "inspect", "platform", "string",
  };
  // Their functions change lists: numpy.random.shuffle, broadcast_object_list.
  if (begins(dotted, "numpy.random") || begins(dotted, "torch.distributed"))
    return false;
  for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
    if (begins(dotted, modules[i])) return true;
  return false;
}

bool foreign_only_marks(const char *dotted) {
  if (begins(dotted, "triton.testing")) return false; // do_bench calls it
  return begins(dotted, "triton") || begins(dotted, "torch.jit.ignore") ||
         begins(dotted, "typing");
}

bool foreign_reaches_modules(const char *dotted, const char *member) {
  static const char *const members[] = {
      "sys._getframe",         "importlib.import_module", "importlib.reload",
      "inspect.stack",         "inspect.currentframe",    "gc.get_objects",
      "gc.get_referrers",      "builtins.globals",        "builtins.exec",
      "builtins.setattr",      "inspect.getmodule",       "importlib.util",
      "pkgutil.walk_packages",
  };
  const size_t length = strlen(dotted);
  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    if (!strncmp(members[i], dotted, length) && members[i][length] == '.' &&
        !strcmp(members[i] + length + 1, member))
      return true;
  return begins(dotted, "builtins") || begins(dotted, "gc");
}
