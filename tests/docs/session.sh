#!/bin/sh
# session.sh CMAKE BUILD DOCUMENT -- follows a document: writes its files, runs
# its commands, compares their output.
#
# A block whose first line is a comment with a file's name is that file; ```sh
# blocks are run; in ```console blocks, lines with `$ ` are commands (continued
# by a backslash) and the others their output, compared with numbers and the
# processor's name left open.  ./demo runs its command in this build; ./check
# does not run.
set -u
cmake=$1 build=$2 document=$3
skip() {
  echo "SKIP: $1"
  exit 77
}
if grep -q '^TILE_SANITIZE:.*=.' "$build/CMakeCache.txt"; then
  skip "a sanitized library wants a sanitized program"
fi
command -v pkg-config >/dev/null || skip "pkg-config is not installed"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
HOME=$work TILE_DEVICE=cpu
export HOME TILE_DEVICE
ln -s "$build" "$work/build"
printf '#!/bin/sh\necho "building 100%%"\nexec build/examples/fused-attention\n' \
  >"$work/demo"
chmod +x "$work/demo"
PATH=$build/bin:$PATH
cmake() { "$cmake" "$@" >/dev/null; }

# One file a block, named by its line and kind.
mkdir "$work/blocks"
awk -v to="$work/blocks" '
  /^```[a-z]+$/ { out = sprintf("%s/%04d.%s", to, NR + 1, substr($0, 4)); next }
  /^```$/ { out = ""; next }
  out { print > out }' "$document"
cd "$work" || exit 1
passed=0 failed=0

complain() {
  failed=$((failed + 1))
  echo "$document:$1"
}

# Numbers, addresses, spaces and processors may differ, and, by the release of
# LLVM, the letters of PTX registers.
blur() {
  sed -E -e 's/^device .*/device/' -e 's/0x[0-9a-f]+/N/g' \
    -e 's/[0-9.]+(e[-+][0-9]+)?/N/g' -e 's/%[a-z]+N/%N/g' \
    -e 's/[[:space:]]+/ /g' -e 's/ $//' "$1"
}

# Writes the commands of a session to `commands`, its output to `wanted`.
split_session() {
  awk '
    more || /^\$ / { line = $0; if (!more) line = substr(line, 3)
                     more = line ~ /\\$/; print line > "commands"; next }
    { print > "wanted" }' "$1"
}

check_session() {
  : >commands
  : >wanted
  split_session "$1"
  . ./commands >printed 2>&1 </dev/null
  code=$?
  blur wanted >wanted.blurred
  blur printed >printed.blurred
  if ! diff wanted.blurred printed.blurred >difference; then
    complain "$line: this prints something else (exit code $code)"
    cat difference
  fi
}

check_block() {
  line=$(basename "$1" | sed 's/^0*//; s/\..*//')
  file=$(sed -nE '1s!^(#|//) ([a-z.-]+)$!\2!p' "$1")
  case $1 in
    *.console) grep -q '^\$ ./check$' "$1" || check_session "$1" ;;
    *.sh) . "$1" || complain "$line: exit code $?" ;;
    *) [ -z "$file" ] || cp "$1" "$file" ;;
  esac
  passed=$((passed + 1))
}

for block in blocks/*; do
  check_block "$block"
done
echo "$passed blocks, $failed complaints"
[ $passed -gt 1 ] && [ $failed = 0 ]
