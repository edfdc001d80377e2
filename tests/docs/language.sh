#!/bin/sh
# language.sh TILEC FILE -- compile each ```python block of a document.
#
# Comments in a block say how: `# signature: TYPES`, `# options: FLAGS` (given
# to tilec instead of an output), `# skip: why` (not compiled at all).  An error
# with the text TEXT must point at a line with `# error: TEXT`.
set -u
tilec=$1 document=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

awk -v work="$work" '
  /^```python$/ { out = sprintf("%s/%04d.tile", work, NR); inside = 1; next }
  /^```$/ { inside = 0; next }
  inside { print > out }' "$document"

# said KEY BLOCK: the text of the comment `# KEY: ...` of the block.
said() {
  sed -n "s/^# $1: //p" "$2"
}

complain() {
  failed=$((failed + 1))
  echo "$document:$line: $1"
  sed 's/^/  /' "$work/err"
}

# An error with the text after `# error: `, at that line, and no crash.
check_errors() {
  grep -n '# error: ' "$1" | sed 's/:.*# error: /:/' >"$work/wanted"
  while IFS=: read -r at text; do
    grep -F "${1##*/}:$at:" "$work/err" | grep -F -q "error: $text" ||
      complain "no error '$text' at line $at of this block"
  done <"$work/wanted"
  [ $code = 1 ] || complain "exit code $code, not 1"
}

check() {
  line=$(basename "$1" .tile | sed 's/^0*//')
  options=$(said options "$1")
  signature=$(said signature "$1")
  # shellcheck disable=SC2086 # the options are words
  (cd "$work" && "$tilec" "${1##*/}" ${options:--o /dev/null} \
    ${signature:+--signature="$signature"}) >"$work/out" 2>"$work/err" </dev/null
  code=$?
  before=$failed
  if grep -q '# error: ' "$1"; then
    check_errors "$1"
  elif [ $code != 0 ] || [ -s "$work/err" ]; then
    complain "exit code $code"
  fi
  [ $failed != $before ] || passed=$((passed + 1))
}

for block in "$work"/*.tile; do
  grep -q '^# skip: ' "$block" || check "$block"
done
echo "$passed blocks passed, $failed complaints"
[ $passed -gt 0 ] && [ $failed = 0 ]
