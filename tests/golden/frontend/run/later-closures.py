# Functions that a function makes and passes on may be called later, too; one of
# them may read a variable that another one writes.
# RUN: tilec --emit=module %s -o - | FileCheck %s
# CHECK: A: 1 so far
A = 1
def closure():
    def inner():
        global A
        A = 5
    return inner
# CHECK: B: 2 so far
B = 2
def make_class():
    class Inner:
        def set(self):
            global B
            B = 9
    return Inner
# CHECK: C: 3 so far
C = 3
def pair():
    n = 0
    def get():
        global C
        if n == 5: C = 9
    def put():
        nonlocal n
        n = 5
    return get, put
# CHECK: D = 4
D = 4
def count():
    n = 0
    def step():
        nonlocal n
        n += 1
        return count()
    return step
