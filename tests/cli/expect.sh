# expect.sh -- shared by the tests of the command line.  Sourced with the path
# of tilec as $1; works in a folder of its own, which is removed at the end.
tilec=$1
case $tilec in /*) ;; *) tilec=$PWD/$tilec ;; esac
[ -x "$tilec" ] || { echo "no tilec at '$tilec'" >&2; exit 1; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset NO_COLOR TILE_DEVICE
export TILE_CACHE_DIR=off
passed=0 failed=0

# complain WHY...: counts a failure and shows the output.
complain() {
  failed=$((failed + 1))
  echo "FAILED: $what: $*"
  head -c 2000 out | sed 's/^/  out: /'
  head -c 2000 err | sed 's/^/  err: /'
}

# run COMMAND...: out, err and $code, within $limit seconds.
limit=60
run() {
  what=$(printf '%s ' "$@" | head -c 300)
  timeout "$limit" "$@" >out 2>err </dev/null
  code=$?
}

# expect CODE PATTERN COMMAND...: the exit code, and a line of either stream
# that matches the basic regular expression.
expect() {
  wanted=$1 pattern=$2
  shift 2
  run "$@"
  if [ "$code" != "$wanted" ]; then
    complain "exit code $code, not $wanted"
  elif [ -n "$pattern" ] && ! cat err out | tr -d '\0' | grep -q -e "$pattern"; then
    complain "nothing matches '$pattern'"
  else
    passed=$((passed + 1))
  fi
}

# refuse CODE PATTERN COMMAND...: the same, with nothing on standard output and
# nothing written to o.out.
refuse() {
  rm -f o.out
  before=$failed
  expect "$@"
  [ "$failed" = "$before" ] || return 0
  if [ -s out ]; then
    passed=$((passed - 1))
    complain "standard output is not empty"
  elif [ -e o.out ] || ls o.out.tile-tmp-* >/dev/null 2>&1; then
    passed=$((passed - 1))
    complain "something was written"
  fi
}

finish() {
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ]
}
