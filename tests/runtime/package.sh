#!/bin/sh
# package.sh CMAKE BUILD PROGRAM.c -- the tarball, unpacked into a folder: tilec
# runs, a program is built with it, and pages, completion and grammars are fine.
# With TILE_TEST_FULL=1, lintian has nothing to say of the .deb.
set -eu
cmake=$1 build=$2 program=$3
here=$(dirname "$0")
if grep -q '^TILE_SANITIZE:.*=.' "$build/CMakeCache.txt"; then
  echo "SKIP: a sanitized library wants a sanitized program"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
die() { echo "$*"; exit 1; }

"$(dirname "$cmake")/cpack" --config "$build/CPackConfig.cmake" -G TGZ \
  -B "$work/made" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
mkdir "$work/out"
tar xzf "$work"/made/*.tar.gz -C "$work/out"
prefix=$(find "$work/out" -name bin -type d)
prefix=${prefix%/bin}

cat >"$work/k.tile" <<'END'
@jit
def k(p: "*fp32"):
    i = tl.arange(0, 64)
    tl.store(p + i, tl.load(p + i) + 1)
END
"$prefix/bin/tilec" run "$work/k.tile" --device=cpu --grid=1 \
  --arg 'p=full(2):fp32[64]' --save "p=$work/p.npy"
"$prefix/bin/tilec" run "$work/k.tile" --device=sim --grid=1 \
  --arg 'p=full(2):fp32[64]' --reference "p=$work/p.npy"
"$here/user.sh" "$cmake" "$prefix" "$program"

for file in doc/tile/copyright doc/tile/language.md \
  vim/vimfiles/ftdetect/tile.vim; do
  [ -s "$prefix/share/$file" ] || die "no share/$file"
done

# -- Pages -------------------------------------------------------------------

if command -v scdoc >/dev/null && command -v man >/dev/null; then
  for page in tilec tile-opt; do
    MANWIDTH=80 man -l --warnings -Tutf8 "$prefix/share/man/man1/$page.1" \
      >"$work/page" 2>"$work/said"
    [ ! -s "$work/said" ] || { cat "$work/said"; exit 1; }
    # Each option of the help is in the manual.
    col -bx <"$work/page" | tr -s ' \n' ' ' >"$work/text"
    { "$prefix/bin/$page" --help; [ $page = tile-opt ] || "$prefix/bin/$page" run --help; } |
      grep -oE '^  --?[A-Za-z-]+' | tr -d ' ' | sort -u >"$work/options"
    [ -s "$work/options" ] || die "$page --help has no options"
    while read -r option; do
      grep -qF -e "$option" "$work/text" || die "$page.1 has no $option"
    done <"$work/options"
  done
else
  echo 'SKIP (part): scdoc or man is not installed'
fi

# -- Completion --------------------------------------------------------------

# completes WANTED WORD...: the last word's completions have WANTED.
completes() {
  wanted=$1
  shift
  # shellcheck disable=SC2016
  bash -c '. "$0"; compopt() { :; }
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _tilec
    printf "%s\n" "${COMPREPLY[@]}"' \
    "$prefix/share/bash-completion/completions/tilec" "$@" >"$work/replies"
  grep -qxF -e "$wanted" "$work/replies" && return
  echo "no '$wanted' among the completions of: $*"
  cat "$work/replies"
  exit 1
}
if command -v bash >/dev/null; then
  cd "$work"
  completes run tilec r
  completes k.tile tilec k
  : >'two words.tile'
  completes 'two words.tile' tilec run two
  completes --target= tilec --ta
  completes -MF tilec -M
  completes sm_90a tilec --target = sm_9
  completes cpu tilec --target =
  completes sm_80,sm_90a tilec --target = sm_80,sm_9
  completes reflect-json tilec --emit = re
  completes --device= tilec run --de
  completes sim tilec run --device = s
  completes stats tilec cache st
  completes --cache-size= tilec cache --cache-s
  completes k.tile tilec run --device = cpu k
  completes cse tilec --print-after = cs
else
  echo 'SKIP (part): bash is not installed'
fi
if command -v zsh >/dev/null; then
  # shellcheck disable=SC2016
  zsh -fc '_arguments() { print -rl -- "$@" }
    words=(tilec run -) CURRENT=3; . "$1"
    words=(tilec k.tile -) CURRENT=3; . "$1"' \
    zsh "$prefix/share/zsh/site-functions/_tilec" >"$work/specs"
  grep -qxF -e "*--device=[cpu, cuda, cuda\\:N, sim, null (default \$TILE_DEVICE)]:device:(cuda cpu sim null)" "$work/specs" ||
    die "zsh: no --device"
  grep -qF -e '*-MF+[' "$work/specs" || die "zsh: no -MF"
  # zsh itself takes the specifications.
  zsh -fc 'autoload -Uz compinit && compinit -D -d "$2/dump"
    zmodload zsh/zpty
    zpty z zsh -f -i
    zpty -w z "PS1=; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; zstyle \":completion:*\" list-colors \"\"; bindkey -e; print rea\"\"dy"
    zpty -r z out "*ready*"
    zpty -w -n z "tilec --target=sm_90a --emit=refl"$'"'\\t'"'
    zpty -r z out "*reflect-json*" && print found
    zpty -d z' \
    zsh "$prefix/share/zsh/site-functions" "$work" >"$work/zpty" 2>&1 &
  zpty=$!
  (sleep 120; kill $zpty) >/dev/null 2>&1 &
  sleeper=$!
  wait $zpty || true
  kill $sleeper 2>/dev/null || true
  grep -q found "$work/zpty" || { cat "$work/zpty"; die "zsh completes no --emit"; }
else
  echo 'SKIP (part): zsh is not installed'
fi

# -- Editors -----------------------------------------------------------------

if command -v python3 >/dev/null; then
  python3 - "$prefix/share/tile/vscode" <<'END'
import json, os, re, sys
grammar = json.load(open(os.path.join(sys.argv[1], "tile.tmLanguage.json")))
contributed = json.load(open(os.path.join(sys.argv[1], "package.json")))["contributes"]
for entry in [contributed["grammars"][0]["path"], contributed["languages"][0]["configuration"]]:
    json.load(open(os.path.join(sys.argv[1], entry)))
rules = {rule.get("name"): rule for rule in grammar["patterns"]}
builtin = rules["support.function.builtin.tile"]["match"].replace("(?<=\\btl\\.|\\blibdevice\\.)", "")
for name in "load dot_scaled make_tensor_descriptor".split():
    assert re.fullmatch(builtin.replace("\\b", ""), name), name
for rule in grammar["patterns"]:
    for key in "match begin".split():
        if key in rule and "(?<=" not in rule[key]:
            re.compile(rule[key])
END
fi
if command -v vim >/dev/null && vim --version | grep -q '+syntax'; then
  vim -Nu NONE -es "$work/k.tile" \
    -c "set runtimepath^=$prefix/share/vim/vimfiles" -c 'syntax on' \
    -c 'filetype on' -c 'edit' -c 'call search("load")' \
    -c "call writefile([&filetype, synIDattr(synID(line('.'), col('.'), 1), 'name')], '$work/vim')" -c 'qa!'
  [ "$(tr '\n' ' ' <"$work/vim")" = 'tile tileFunction ' ] || { cat "$work/vim"; die "vim: wrong"; }
else
  echo 'SKIP (part): vim with syntax is not installed'
fi

# -- Debian's package --------------------------------------------------------

if [ -n "${TILE_TEST_FULL:-}" ] && command -v lintian >/dev/null; then
  "$(dirname "$cmake")/cpack" --config "$build/CPackConfig.cmake" -G DEB \
    -B "$work/deb" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  lintian --allow-root --fail-on error,warning "$work"/deb/*.deb
else
  echo 'SKIP (part): lintian is asked with TILE_TEST_FULL=1, where it is installed'
fi
