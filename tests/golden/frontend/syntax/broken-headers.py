# REQUIRES: tilec
# RUN: not tilec --emit=ir -o - --error-limit=60 %s 2>&1 | FileCheck %s --implicit-check-not=error: --strict-whitespace
# RUN: printf '@triton.jit\ndef k(n):\n    n = 1 + \\' > %t
# RUN: not tilec --emit=ir -o - %t 2>&1 | FileCheck %s --check-prefix=ENDS

# A text that is no statement has a message about that, not about a function in a kernel.
import triton
import triton.language as tl


@triton.jit
def k(x, n):
    # CHECK:      :[[#@LINE+3]]:5: error: 'lambda' is a keyword, not a name
    # CHECK-NEXT:{{^}}      lambda = 3
    # CHECK-NEXT:{{^}}      ^~~~~~{{$}}
    lambda = 3
    # CHECK: :[[#@LINE+1]]:5: error: 'def' is a keyword, not a name
    def = 3
    # CHECK: :[[#@LINE+1]]:5: error: 'import' is a keyword, not a name
    import = 3
    # CHECK: :[[#@LINE+1]]:5: error: 'in' is a keyword, not a name
    in = 3
    # CHECK: :[[#@LINE+1]]:17: error: 'from' is a keyword, not a name
    tl.store(x, from=3)
    # CHECK: :[[#@LINE+1]]:9: error: expected a name, found the number 3
    def 3(x):
        pass
    # CHECK: :[[#@LINE+1]]:10: error: expected '(', found ':'
    def f:
        pass
    # CHECK: :[[#@LINE+1]]:12: error: expected ':', found the end of the line
    class A
    # CHECK: :[[#@LINE+2]]:5: error: expected 'def' or 'class' below a decorator, found the name 'tl'
    @foo
    tl.store(x, 1)
    # CHECK: :[[#@LINE+3]]:5: error: expected 'def' or 'class' below a decorator, found 'if'
    @foo
    @foo
    if n == 1:
        # CHECK: :[[#@LINE+2]]:5: error: expected 'def' or 'class' below a decorator, found the end of the block
        @foo
    return


# ENDS: :3:13: error: the file ends here: '\' goes on with the next line
