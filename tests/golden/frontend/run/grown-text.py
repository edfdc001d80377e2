# RUN: tilec --emit=module %s -o - | FileCheck %s
#
# The bytes of texts count as steps: 300 MB of them are too many.

# CHECK: SIZE: unknown
# CHECK: TEXT: unknown
SIZE = 500000
TEXT = ""
for i in range(300):
    TEXT = "x" * SIZE + "y" * SIZE
