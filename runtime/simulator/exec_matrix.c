// exec_matrix.c -- mma, ldmatrix, stmatrix and cp.async.
#include "runtime/simulator/lanes.h"
ExecFn pick_mma(const Form *form, Inst *inst) {
  (void)form;
  (void)inst;
  return NULL;
}
ExecFn pick_ldmatrix(const Form *form, Inst *inst) {
  (void)form;
  (void)inst;
  return NULL;
}
ExecFn pick_stmatrix(const Form *form, Inst *inst) {
  (void)form;
  (void)inst;
  return NULL;
}
ExecFn pick_cp_async(const Form *form, Inst *inst) {
  (void)form;
  (void)inst;
  return NULL;
}
ExecFn pick_cp_group(const Form *form, Inst *inst) {
  (void)form;
  (void)inst;
  return NULL;
}
