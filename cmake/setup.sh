# setup.sh -- shared by ./demo and ./check: packages, configuration, build.
# Sourced, with $root set to the source tree.

say() { printf '%s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

build_packages="cmake gcc libc6-dev make llvm-19-dev flex bison libzstd-dev
zlib1g-dev"
test_packages="libcmocka-dev libmpfr-dev llvm-19-tools g++ pkg-config
universal-ctags scdoc python3
 python3-numpy libopenblas-dev openmpi-bin libopenmpi-dev"

full_packages="llvm-22-dev llvm-22-tools lintian qemu-user"

missing_packages() {
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null |
      grep -q 'ok installed' || printf '%s ' "$package"
  done
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# install_packages NAME...: by apt-get, only missing ones.
install_packages() {
  command -v dpkg-query >/dev/null ||
    die "this script installs with apt-get; elsewhere, install: $*"
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  say "installing with apt-get: $missing"
  log=$(mktemp)
  if ! { as_root apt-get update -q &&
    as_root env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -q --no-install-recommends $missing; } >"$log" 2>&1
  then
    tail -n 20 "$log" >&2
    die "apt-get could not install: $missing"
  fi
  rm -f "$log"
}

# One line that counts up on a terminal, a line per quarter elsewhere; nothing
# where nothing is made.
show_progress() {
  last= percent=
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$1"
    case $line in
      '['*%']'' Built target'*) continue ;;
      '['*%']'*) percent=${line#\[}; percent=${percent%%%*} ;;
      *) continue ;;
    esac
    percent=$((percent))
    if [ -t 1 ]; then
      printf '\rbuilding %3d%%' "$percent"
    elif [ "$((percent / 25))" != "$last" ]; then
      last=$((percent / 25))
      say "building $percent%"
    fi
  done
  [ -t 1 ] && [ -n "$percent" ] && printf '\n'
  return 0
}

# build DIRECTORY TARGET CMAKE-ARGUMENTS...
build() {
  dir=$1
  target=$2
  shift 2
  mkdir -p "$dir"
  log=$dir/build.log
  : >"$log"
  if ! cmake -S "$root" -B "$dir" -G 'Unix Makefiles' "$@" >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    die "configuring failed; the whole log is $log"
  fi
  built=$dir/build.done
  rm -f "$built"
  { cmake --build "$dir" --target "$target" -j "$(nproc)" 2>&1 && : >"$built"; } |
    show_progress "$log"
  if [ ! -e "$built" ]; then
    grep -nE 'error|Error' "$log" | tail -n 30 >&2
    die "the build failed; the whole log is $log"
  fi
}
