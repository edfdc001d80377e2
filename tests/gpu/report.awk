# report.awk -- results.jsonl, a flat JSON object a line, as Markdown.
function field(name,    text) {
  if (!match($0, "\"" name "\": (\"[^\"]*\"|\\[[^]]*\\]|[^,}]*)")) return ""
  text = substr($0, RSTART + length(name) + 4, RLENGTH - length(name) - 4)
  gsub(/"/, "", text)
  return text
}
function verdict() {
  if (field("ok") == "null") return "not finished"
  return field("ok") == "false" ? "**wrong**" : "ok"
}
BEGIN {
  print "# Run on " device "\n"
  if (complete != "true") print "Stopped before its end: some rows are missing.\n"
}
/"step"/ {
  steps[++num_steps] = "| " field("step") " | " field("name") " | " verdict() \
    " | " field("detail") " |"
  next
}
/"name": "compile/ {
  compiles[++num_compiles] = "| " field("name") " | " field("first") " | " \
    field("median") " |"
  next
}
/"name": "launch overhead"/ { overhead = field("ours_us"); next }
/"name"/ {
  peer = field("peer")
  benches[++num_benches] = "| " field("name") " | " field("ours_ms") " | " \
    field("quartiles_ms") " | " field("rate") " " field("unit") " | " \
    (peer == "" ? "–" : peer " " field("peer_ms")) " | " \
    (peer == "" ? "–" : field("ratio") " " field("ratio_quartiles")) " | " \
    field("config") " | " verdict() (field("error") == "" ? "" : ", error " field("error")) " |"
}
END {
  print "| step | what | result | detail |\n|---|---|---|---|"
  for (i = 1; i <= num_steps; i++) print steps[i]
  if (overhead != "") print "\nA launch costs the host " overhead " µs."
  print "\n| problem | median ms | quartiles | rate | peer, ms | peer / ours, quartiles | configuration | values |"
  print "|---|---|---|---|---|---|---|---|"
  for (i = 1; i <= num_benches; i++) print benches[i]
  print "\n| compiling, source text to runnable | first, s | median, s |\n|---|---|---|"
  for (i = 1; i <= num_compiles; i++) print compiles[i]
}
