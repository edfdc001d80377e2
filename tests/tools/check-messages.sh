#!/bin/sh
# check-messages.sh ROOT -- texts for users are in the tables of messages.
#
# A call that reports may name a row of an errors.def, or pass on a text ("%s");
# a format of its own would be missing from docs/errors.md.
cd "${1:-.}" || exit 1
find frontend passes codegen runtime ir -name '*.[chly]' \
  ! -path 'runtime/simulator/*' ! -path 'ir/base/*' | sort |
  xargs awk '
  function check(file, text,   at, call) {
    while (match(text, /(diag_v?error|op_fail|diag_misuse|diag_warning|diag_remark|diag_note|walk_error|report_error|fault_set|tool_fail)\(/)) {
      text = substr(text, RSTART + RLENGTH)
      at = index(text, "\"")
      call = at ? substr(text, 1, at) : text
      # Another statement, a row, or a text that is passed on.
      if (!at || call ~ /;|(ERROR|WARNING|REMARK|NOTE)_/ ||
          substr(text, at, 4) == "\"%s\"") continue
      printf "%s: not in a table of messages: %.60s\n", file, substr(text, at)
      bad = 1
    }
  }
  FNR == 1 { if (file) check(file, all); file = FILENAME; all = "" }
  { sub(/^ *\/\/.*/, ""); all = all " " $0 }
  END { check(file, all); exit bad }' >&2
