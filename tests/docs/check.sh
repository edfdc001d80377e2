#!/bin/sh
# check.sh ROOT -- ./check ends with an error when a tree no longer builds, and does
# not run the tests of the tree as it was built before.  In a project of one test.
root=$1
command -v make >/dev/null || { echo "SKIP: there is no make"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir -p cmake tests/tools bin
cp "$root/check" . && cp "$root/cmake/setup.sh" cmake || exit 1
cat >CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.16)
project(small LANGUAGES NONE)
enable_testing()
add_custom_target(examples)
add_custom_target(all_of_it ALL COMMAND sh ${CMAKE_SOURCE_DIR}/build.sh)
add_test(NAME ran COMMAND sh -c "echo >>${CMAKE_SOURCE_DIR}/ran")
EOF
# Stand-ins find every package installed and assemble no PTX.
printf '#!/bin/sh\necho install ok installed\n' >bin/dpkg-query
printf '#!/bin/sh\n' >tests/tools/assemble.sh
chmod +x bin/dpkg-query tests/tools/assemble.sh
PATH=$work/bin:$PATH

# expect CODE RUNS: the exit code of ./check, and the number of runs of the test
expect() {
  : >ran
  ./check >said 2>&1
  code=$?
  runs=$(wc -l <ran)
  [ "$code" -eq "$1" ] && [ "$runs" -eq "$2" ] && return
  cat said
  echo "./check ended with $code, not $1, and $runs trees were tested, not $2"
  exit 1
}

: >build.sh
expect 0 2
echo 'echo "an error"; exit 1' >build.sh
expect 1 0
grep -q 'error: the build failed' said || { cat said; exit 1; }
# Only the debug build fails.
echo 'case $PWD in *-debug) exit 1 ;; esac' >build.sh
expect 1 1
