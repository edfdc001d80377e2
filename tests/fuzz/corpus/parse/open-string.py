@jit
def f():
  x = "a\
    
