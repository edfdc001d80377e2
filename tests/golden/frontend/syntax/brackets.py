# REQUIRES: tilec
# RUN: not tilec --emit=ast -o - %s 2>&1 | FileCheck %s

# CHECK:      :[[@LINE+3]]:12: error: expected ')', found ']'
# CHECK-NEXT: x = (1, [2]]
# CHECK:      :[[@LINE+1]]:5: note: '(' was opened here
x = (1, [2]]

# A forgotten bracket ends before the next statement, not with the file.
# CHECK:      :[[@LINE+2]]:9: error: '(' is never closed
@jit
def open(a, b:
    return a

# CHECK:      :[[@LINE+1]]:5: error: this string is not closed on its line
s = "abc
t = 'fine'
# CHECK-NOT: error
