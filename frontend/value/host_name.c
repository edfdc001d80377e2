// host_name.c -- names of Python's own and of packages that files import.
#include "frontend/value/host_name.h"

#include "ir/base/names.h"

#include <string.h>

bool host_is_library(const char *dotted) {
  static const char *const names[] = {
      "argparse",  "collections", "copy",      "ctypes",   "datetime",
      "functools", "glob",        "importlib", "inspect",  "io",
      "itertools", "json",        "logging",   "os",       "pathlib",
      "pickle",    "platform",    "random",    "re",       "shutil",
      "string",    "subprocess",  "sys",       "tempfile", "threading",
      "time",      "traceback",   "warnings"};
  return names_have_span(names, sizeof names / sizeof *names, dotted,
                         strcspn(dotted, "."));
}

bool host_is_package(const char *dotted) {
  static const char *const names[] = {"cupy",  "jax",   "math",
                                      "numpy", "scipy", "torch"};
  return names_have_span(names, sizeof names / sizeof *names, dotted,
                         strcspn(dotted, "."));
}

bool host_has_builtin(const char *name) {
  static const char *const names[] = {
      "ascii",       "breakpoint", "bytearray", "bytes",      "callable",
      "compile",     "complex",    "delattr",   "dir",        "eval",
      "exec",        "exit",       "format",    "globals",    "hash",
      "help",        "id",         "input",     "issubclass", "locals",
      "map",         "memoryview", "object",    "open",       "quit",
      "setattr",     "slice",      "super",     "vars",       "property",
      "classmethod", "__import__"};
  return names_have(names, sizeof names / sizeof *names, name);
}

bool host_has_math(const char *name) {
  static const char *const names[] = {
      "acos",  "acosh",   "asin",    "asinh",    "atan",      "atan2",
      "atanh", "cbrt",    "ceil",    "comb",     "copysign",  "cos",
      "cosh",  "degrees", "dist",    "e",        "erf",       "erfc",
      "exp",   "exp2",    "expm1",   "fabs",     "factorial", "floor",
      "fma",   "fmod",    "frexp",   "fsum",     "gamma",     "gcd",
      "hypot", "inf",     "isclose", "isfinite", "isinf",     "isnan",
      "isqrt", "lcm",     "ldexp",   "lgamma",   "log",       "log10",
      "log1p", "log2",    "modf",    "nan",      "nextafter", "perm",
      "pi",    "pow",     "prod",    "radians",  "remainder", "sin",
      "sinh",  "sqrt",    "sumprod", "tan",      "tanh",      "tau",
      "trunc", "ulp"};
  return names_have(names, sizeof names / sizeof *names, name);
}
