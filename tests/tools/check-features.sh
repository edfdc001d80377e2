#!/bin/sh
# check-features.sh ROOT -- clang knows each feature of processors that a source
# asks for; each release of a compiler has names of its own.
cd "$1" || exit 1
for clang in clang-14 clang; do
  command -v "$clang" > /dev/null || continue
  grep -rl __builtin_cpu_supports --include='*.c' ir frontend passes codegen runtime |
    xargs "$clang" -fsyntax-only -std=c11 -D_POSIX_C_SOURCE=200809L -I.
  exit
done
echo "SKIP: clang is not installed"
exit 77
