# LLVM's IR of a loop in two roles, with 128 sums a thread: one group of warps
# starts copies, the other one multiplies. Sums stay in their registers from trip
# to trip: each product is one assembly statement with the sums as tied operands,
# and a wait returns them (docs/decisions/0024-hopper-accumulators.md).
# REQUIRES: python3 llc-19
# RUN: python3 %s | llc-19 -mcpu=sm_90a -mattr=+ptx80 -nvptx-short-ptr -o - \
# RUN:   | FileCheck %s

# CHECK:         .entry two_roles
# CHECK:         setmaxnreg.dec.sync.aligned.u32 24;
# CHECK:         mbarrier.arrive.expect_tx.shared::cta.b64
# CHECK-COUNT-2: cp.async.bulk.shared::cluster.global.mbarrier
# CHECK:         setmaxnreg.inc.sync.aligned.u32 240;
# CHECK:         [[LOOP:\$L__BB0_[0-9]+]]:
# CHECK:         mbarrier.try_wait.parity.shared::cta.b64
# CHECK:         wgmma.fence.sync.aligned;
# CHECK-NEXT:    wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {[[SUM:%f[0-9]+]], {{.*}} p, 1, 1, 0, 0;
# CHECK-COUNT-3: wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {[[SUM]], {{.*}} 1, 1, 1, 0, 0;
# CHECK-NEXT:    wgmma.commit_group.sync.aligned;
# CHECK:         wgmma.wait_group.sync.aligned 0;
# CHECK:         mbarrier.arrive.release.cta.shared::cta.b64 _,
# CHECK:         bra {{.*}}[[LOOP]];

SUMS, COLUMNS, STAGES = 128, 256, 3
A_BYTES, B_BYTES = 64 * 64 * 2, COLUMNS * 64 * 2
SLOT = A_BYTES + B_BYTES
BARRIERS = STAGES * SLOT  # full ones, then empty ones
# 128-byte swizzle, 1,024 bytes from 8 rows to the next.
FRAME = 1 << 62 | 64 << 32 | 1 << 16

ALL = "{" + ", ".join(["float"] * SUMS) + "}"


def statement(lines, constraints, arguments, result="void"):
    text = "\\0A\\09".join(lines)
    return (f'call {result} asm sideeffect "{text}", '
            f'"{",".join(constraints + ["~{memory}"])}"'
            f'({", ".join(arguments)}) #0')


# Registers of `before` are tied inputs, with `after` as outputs.
def tied(lines, more_constraints, more_arguments, before, after):
    constraints = ["=f"] * SUMS + [str(i) for i in range(SUMS)]
    arguments = [f"float %{before}{i}" for i in range(SUMS)]
    print(f"  %all.{after} =", statement(lines, constraints + more_constraints,
                                         arguments + more_arguments, ALL))
    for i in range(SUMS):
        print(f"  %{after}{i} = extractvalue {ALL} %all.{after}, {i}")


def wait(barrier, parity, offset=0):
    lines = ["{", ".reg .pred p;", "wait${:uid}:",
             f"mbarrier.try_wait.parity.shared::cta.b64 p, [$0+{offset}], $1;",
             "@!p bra.uni wait${:uid};", "}"]
    print(" ", statement(lines, ["r", "r"], [f"i32 {barrier}", f"i32 {parity}"]))


# The product of one stage: a step of k is 32 bytes of both.
def multiply(before, after):
    sums = ", ".join(f"${i}" for i in range(SUMS))
    a, b, adds = 2 * SUMS, 2 * SUMS + 1, 2 * SUMS + 2
    lines = ["{", ".reg .pred p;", ".reg .b64 a, b;", f"setp.ne.b32 p, ${adds}, 0;",
             "wgmma.fence.sync.aligned;"]
    for step in range(4):
        if step:
            lines += [f"add.s64 a, ${a}, {2 * step};",
                      f"add.s64 b, ${b}, {2 * step};"]
        left, right = ("a", "b") if step else (f"${a}", f"${b}")
        lines.append(f"wgmma.mma_async.sync.aligned.m64n{COLUMNS}k16.f32.f16.f16 "
                     f"{{{sums}}}, {left}, {right}, {1 if step else 'p'}, "
                     "1, 1, 0, 0;")
    lines += ["wgmma.commit_group.sync.aligned;", "}"]
    tied(lines, ["l", "l", "r"], ["i64 %left", "i64 %right", "i32 %adds"],
         before, after)


# The ring's next position and parity.
def advance(name):
    print(f"""  %{name}.s1 = add i32 %{name}.s, 1
  %{name}.wraps = icmp eq i32 %{name}.s1, {STAGES}
  %{name}.next = select i1 %{name}.wraps, i32 0, i32 %{name}.s1
  %{name}.other = xor i32 %{name}.parity, 1
  %{name}.parity.next = select i1 %{name}.wraps, i32 %{name}.other, i32 %{name}.parity
  %{name}.i1 = add i32 %{name}.i, 1
  %{name}.more = icmp slt i32 %{name}.i1, %trips""")


def slot(name):
    print(f"""  %{name}.at = shl i32 %{name}.s, 3
  %{name}.full = add i32 %barriers, %{name}.at
  %{name}.far = mul i32 %{name}.s, {SLOT}
  %{name}.slot = add i32 %base, %{name}.far""")


print("""target datalayout = "e-p3:32:32-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@shared = external addrspace(3) global [0 x i8], align 1024
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32) #0
define ptx_kernel void @two_roles(ptr addrspace(1) %a, ptr addrspace(1) %b,
                                  ptr addrspace(1) %c, i32 %trips) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = lshr i32 %thread, 5
  %warp = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %own, i32 0, i32 31)
  %base = ptrtoint ptr addrspace(3) @shared to i32""")
print(f"""  %barriers = add i32 %base, {BARRIERS}
  %first = icmp eq i32 %thread, 0
  %any = icmp sgt i32 %trips, 0
  br i1 %first, label %prepare, label %meet
prepare:""")
for i in range(STAGES):
    print(" ", statement(
        [f"mbarrier.init.shared::cta.b64 [$0+{8 * i}], 1;",
         f"mbarrier.init.shared::cta.b64 [$0+{8 * (STAGES + i)}], 128;"],
        ["r"], ["i32 %barriers"]))
print("  br label %meet\nmeet:\n ", statement(["bar.sync 0;"], [], []))
print("""  %produces = icmp ult i32 %warp, 4
  br i1 %produces, label %produce, label %consume
produce:""")
print(" ", statement(["setmaxnreg.dec.sync.aligned.u32 24;"], [], []))
print("""  %copies = and i1 %any, %first
  br i1 %copies, label %copy, label %end
copy:
  %p.i = phi i32 [0, %produce], [%p.i1, %copy]
  %p.s = phi i32 [0, %produce], [%p.next, %copy]
  %p.parity = phi i32 [1, %produce], [%p.parity.next, %copy]
  %p.a = phi ptr addrspace(1) [%a, %produce], [%p.a.next, %copy]
  %p.b = phi ptr addrspace(1) [%b, %produce], [%p.b.next, %copy]""")
slot("p")
wait("%p.full", "%p.parity", 8 * STAGES)
BULK = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
print(" ", statement(
    [f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], {SLOT};",
     f"{BULK} [$1], [$2], {A_BYTES}, [$0];",
     f"{BULK} [$1+{A_BYTES}], [$3], {B_BYTES}, [$0];"], ["r", "r", "l", "l"],
    ["i32 %p.full", "i32 %p.slot", "ptr addrspace(1) %p.a",
     "ptr addrspace(1) %p.b"]))
print(f"""  %p.a.next = getelementptr i8, ptr addrspace(1) %p.a, i64 {A_BYTES}
  %p.b.next = getelementptr i8, ptr addrspace(1) %p.b, i64 {B_BYTES}""")
advance("p")
print("  br i1 %p.more, label %copy, label %end\nconsume:")
print(" ", statement(["setmaxnreg.inc.sync.aligned.u32 240;"], [], []))
print("""  br i1 %any, label %trip, label %store
trip:
  %c.i = phi i32 [0, %consume], [%c.i1, %trip]
  %c.s = phi i32 [0, %consume], [%c.next, %trip]
  %c.parity = phi i32 [0, %consume], [%c.parity.next, %trip]""")
for i in range(SUMS):
    print(f"  %sum{i} = phi float [0.0, %consume], [%waited{i}, %trip]")
slot("c")
wait("%c.full", "%c.parity")
print(f"""  %a.unit = lshr i32 %c.slot, 4
  %a.wide = zext i32 %a.unit to i64
  %left = or i64 %a.wide, {FRAME}
  %right = add i64 %left, {A_BYTES // 16}
  %later = icmp ne i32 %c.i, 0
  %adds = zext i1 %later to i32""")
multiply("sum", "started")
tied(["wgmma.wait_group.sync.aligned 0;"], [], [], "started", "waited")
print(" ", statement(
    [f"mbarrier.arrive.release.cta.shared::cta.b64 _, [$0+{8 * STAGES}];"],
    ["r"], ["i32 %c.full"]))
advance("c")
print("  br i1 %c.more, label %trip, label %store\nstore:")
for i in range(SUMS):
    print(f"  %last{i} = phi float [0.0, %consume], [%waited{i}, %trip]")
print("  %own.c = getelementptr float, ptr addrspace(1) %c, i32 %thread")
for i in range(SUMS):
    print(f"""  %to{i} = getelementptr float, ptr addrspace(1) %own.c, i32 {128 * i}
  store float %last{i}, ptr addrspace(1) %to{i}""")
print("""  br label %end
end:
  ret void
}
attributes #0 = { convergent nounwind }
!nvvm.annotations = !{!0, !1}
!0 = !{ptr @two_roles, !"reqntidx", i32 256}
!1 = !{ptr @two_roles, !"minctasm", i32 1}""")
