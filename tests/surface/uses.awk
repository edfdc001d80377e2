# uses.awk -- makes kernels of uses.txt and names.txt: see run.sh.
#
# Prints what is missing; writes work/uses.py and work/refused/*.py.

FILENAME ~ /uses.txt$/ && match($0, /^[A-Za-z][A-Za-z0-9_.]*[:@!-] /) {
  name = substr($0, 1, RLENGTH - 2)
  how[name] = substr($0, RLENGTH - 1, 1)
  use[name] = substr($0, RLENGTH + 1)
  gsub(/\\n/, "\n    ", use[name])
  next
}
FILENAME ~ /uses.txt$/ { next }

# "x, y=1, *z": each that has a name of its own must be in the use.
function check_parameters(text, source, is_method,   part, n, i) {
  sub(/^[^(]*\(?/, "", text)
  sub(/^.*\*[a-z]+(, )?/, "", text) # what stands before goes by its place
  sub(/\)$/, "", text)
  n = split(text, part, ", ")
  for (i = is_method ? 2 : 1; i <= n; i++) {
    sub(/=.*/, "", part[i])
    if (index(source, part[i] "=") == 0)
      print base ": no use has " part[i] "="
  }
}

# A function that does `source`, called by the kernel of `file`.
function put(file, source) {
  number[file]++
  functions[file] = functions[file] sprintf( \
    "\n\n@triton.jit\ndef u%d(p, q, o, n, x, y, z, i, h, b, d, e, t):  # %s\n" \
    "    r = n\n    %s\n    keep(p, r)\n", number[file], base, source)
  calls[file] = calls[file] sprintf( \
    "    u%d(p, q, o, n, x, y, z, i, h, b, d, e, t)\n", number[file])
}

BEGIN {
  while ((getline line < prelude) > 0) decorators = decorators line "\n"
}

function write(file) {
  print decorators > file
  print functions[file] > file
  print "\n@triton.jit\ndef uses(p, q, o, n):" > file
  print "    i = tl.arange(0, 16)" > file
  print "    x = tl.load(p + i)\n    y = x + 1\n    z = x + 2" > file
  print "    t: tl.constexpr = tl.float32" > file
  print "    b = tl.make_block_ptr(o, (n, n), (16, 1), (0, 0), (16, 16), (1, 0))" > file
  print "    d = tl.make_tensor_descriptor(o, [n, n], [16, 1], [16, 16])" > file
  print "    e = tl.make_tensor_descriptor(q, [n, 16], [16, 1], [1, 16])" > file
  print "    h = tl.load(b)" > file
  print calls[file] > file
  close(file)
}

# libdevice.f(arg0=..., arg1=...) for each row of types.
function put_overloads(rows,   row, n, i, sides, taken, m, k, call) {
  n = split(rows, row, " ")
  for (i = 1; i <= n; i++) {
    split(row[i], sides, "->")
    m = split(sides[1], taken, ",")
    call = ""
    for (k = 1; k <= m; k++)
      call = call sprintf("%sarg%d=x.to(tl.dtype(\"%s\"))", k > 1 ? ", " : "", \
                          k - 1, taken[k])
    put(file, sprintf("r = %s(%s)\n    tl.static_assert(r.dtype == tl.dtype(" \
                      "\"%s\"), str(r.dtype))", name, call, sides[2]))
  }
}

{
  n = split($0, column, "  ")
  name = base = column[1]
  sub(/\(.*/, "", name)
  if (name ~ /^triton\./) {
    if (index(decorators, name) == 0) print name ": no use of it in prelude.py"
    if (base !~ /^triton\.(jit|aggregate|.*function|must.*)\(/)
      check_parameters(base, decorators)
    next
  }
  kind = how[name]
  file = work (kind == "!" ? "/refused/" name ".py" : \
               kind == "@" ? "/gpu.py" : "/uses.py")
  if (n == 3)
    put_overloads(column[3])
  else if (!(name in how))
    print name ": no use of it in uses.txt"
  else if (kind == ":" || kind == "@")
    check_parameters(base, use[name],
                     name ~ /^(tensor|dtype|descriptor|[a-z]*_type)\./)
  if ((kind == ":" || kind == "@") && !done[name]++) put(file, use[name])
  if (kind != "!") next
  if (n < 3) put(file, "with " name "(3): pass")
  print "# error: " use[name] > file
  write(file)
}

END {
  write(work "/uses.py")
  write(work "/gpu.py")
}
