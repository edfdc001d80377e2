#!/bin/sh
# links.sh SOURCE -- every relative link of a document leads to a file, and its
# #fragment to a heading there.
set -u
cd "$1" || exit 1
failed=0

# The fragments of a document's headings, as GitHub makes them.
anchors() {
  sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' |
    sed -E 's/`//g; s/[^a-z0-9 _-]//g; s/ /-/g'
}

for document in README.md docs/*.md docs/*/*.md; do
  folder=$(dirname "$document")
  for link in $(sed '/^```/,/^```$/d' "$document" |
    grep -oE '\]\([^) ]+\)' | sed 's/^](//; s/)$//'); do
    case $link in *://*) continue ;; esac
    file=${link%%#*}
    target=$folder/$file
    [ -n "$file" ] || target=$document
    if [ ! -e "$target" ]; then
      echo "$document: $link leads nowhere"
      failed=1
    elif [ "$link" != "$file" ] &&
      ! anchors "$target" | grep -qx "${link#*#}"; then
      echo "$document: $link: no such heading"
      failed=1
    fi
  done
done
exit $failed
