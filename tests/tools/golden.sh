#!/bin/bash
# golden.sh FILE BIN_DIR FILECHECK -- run the RUN lines of a golden file.
#
# `// RUN: command` or `# RUN: command`, continued by a trailing backslash; each
# must succeed, every command of its pipes too.  %s is the file, %S its folder,
# %t a fresh name for a temporary file.  `not` turns a polite failure into
# success; a crash, a sanitizer's report and a bug of ours (70) stay failures.
# The input of FileCheck is assembled if it is PTX.
# `REQUIRES: tool...` skips the file where one of them is missing.
set -u -o pipefail
file=$1 bin=$2 filecheck=$3
PATH=$bin:$PATH
export ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=exitcode=99:print_stacktrace=1

skip() {
  echo "SKIP: $1"
  exit 77
}

not() {
  "$@"
  local code=$?
  [ $code -gt 0 ] && [ $code -lt 64 ] && return 0
  echo "not: '$1' ended with $code" >&2
  return 1
}

# Assembles a file of PTX where ptxas is installed; a note of lost speed (C75xx)
# is a failure, too.
assembles() {
  local chip says
  grep -m 1 '^[^/]' "$1" | grep -q '^\.version' || return 0
  command -v ptxas >/dev/null || return 0
  chip=$(sed -n 's/^\.target \(sm_[0-9a]*\).*/\1/p' "$1" | head -n 1)
  says=$(ptxas -arch="$chip" "$1" -o /dev/null 2>&1) &&
    ! echo "$says" | grep -q '(C75' && return 0
  echo "ptxas for $chip: $says"
  return 1
}

FileCheck() {
  local code=0 input
  input=$(mktemp) || return 1
  cat >"$input"
  "$filecheck" --dump-input-context=20 "$@" <"$input" && assembles "$input" ||
    code=1
  rm -f "$input"
  return $code
}

comment='^[[:space:]]*(//|#)[[:space:]]*'
needed=$(sed -nE "s!${comment}REQUIRES:!!p" "$file")
runs=$(sed -nE "s!${comment}RUN:[[:space:]]*!!p" "$file" | sed -e :a \
  -e '/\\$/N; s/\\\n//; ta')
[ -n "$runs" ] || { echo "no RUN line in $file"; exit 1; }
for tool in $needed; do
  command -v "$tool" > /dev/null || skip "$tool is not installed"
done
case $runs in
  *FileCheck*)
    [ -x "$filecheck" ] ||
      skip "FileCheck is not installed (apt-get install llvm-19-tools, or the 22 of it)" ;;
esac

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
folder=$(dirname "$file")
while IFS= read -r run; do
  command=${run//%s/\"\$file\"}
  command=${command//%S/\"\$folder\"}
  command=${command//%t/\"\$tmp/out\"}
  if ! (eval "$command") < /dev/null; then
    echo "failed: $run"
    echo "with: export PATH=$bin:\$PATH; $file"
    exit 1
  fi
done <<< "$runs"
