#!/bin/bash
# test.sh sim|fake BUILD FAKE -- runs tests/gpu/run over the simulator, for its
# values; over a driver that runs nothing, for errors and texts; and stops it
# midway.
#
# test.sh peers EXAMPLES -- runs the part of tests/gpu that needs PyTorch and
# Triton, with $TILE_TRITON_PYTHON or python3.
set -u
here=$(cd "$(dirname "$0")" && pwd)
export PYTHONDONTWRITEBYTECODE=1
if [ "$1" = peers ]; then
  python=${TILE_TRITON_PYTHON:-python3}
  command -v "$python" >/dev/null || { echo "SKIP: no $python"; exit 77; }
  exec "$python" "$here/test_peers.py" "$2"
fi
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
failed=0
complain() {
  echo "FAILED: $*"
  failed=1
}

# check FILE PATTERN
check() {
  grep -q -e "$2" "$out/$1" || complain "'$2' is not in $1"
}

# A folder that cannot be written, a folder without programs, a library that is
# no driver: each is an error, and nothing runs.
mkdir "$out/empty" "$out/none"
: >"$out/file"
"$here/run" --device=sim --small "$2" "$out/file" >"$out/said" 2>&1
[ $? = 2 ] || complain 'a file as the folder of results'
"$here/run" --device=sim --small "$out/empty" "$out/none" >"$out/said" 2>&1
[ $? = 2 ] || complain 'a build without programs'
check said 'bench_gpu is not built'
"$here/run" --only=example --device=sim "$2" "$out/none" >"$out/said" 2>&1
[ $? = 2 ] || complain 'a step that there is not'
check said 'example: no such step; there are: examples figures'
TILE_LIBCUDA=$out/file "$here/run" --device=cuda:0 "$2" "$out/none" \
  >"$out/said" 2>&1
[ $? = 77 ] || complain 'no driver'
check said SKIP

case $1 in
  sim) "$here/run" --device=sim --small "$2" "$out" || complain "exit code $?" ;;
  fake)
    export TILE_LIBCUDA=$3
    "$here/run" --device=cuda --small --unchecked "$2" "$out" ||
      complain "exit code $?"
    ;;
esac
for problem in 'vector add' softmax 'layer norm' matmul 'attention forward' \
  'attention backward' 'device copy' 'compile attention'; do
  check results.json "\"name\": \"$problem"
done
for way in 'several programs' 'a program'; do
  check results.json "\"name\": \"attention forward.*, $way a block\""
done
check results.json '"complete": true'
check report.md '^| vector add fp32 3000 | [0-9]'
check report.md 'A launch costs the host [0-9]'
if command -v python3 >/dev/null; then
  python3 -m json.tool "$out/results.json" >/dev/null || complain 'no JSON'
fi
[ $failed = 0 ] || sed 's/^/  /' "$out/report.md"

# Results that are there when the script is stopped are kept.
[ "$1" = sim ] || exit $failed
rm "$out"/results.*
"$here/run" --device=sim --small "$2" "$out" >/dev/null 2>&1 &
while [ ! -s "$out/results.jsonl" ] && kill -0 $!; do sleep 0.1; done
kill -TERM $!
wait $!
[ $? = 143 ] || complain 'no end by the signal'
check results.json '"complete": false'
check report.md 'Stopped before its end'
exit $failed
