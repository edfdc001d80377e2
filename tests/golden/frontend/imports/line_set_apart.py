try:
 from line_set_apart import fast_exp
    fast_exp = tl.exp2
