// machines.c -- LLVM's machines, kept from one object for the next.
//
// A machine has tables of its processor's features, and LLVM adds facts about
// the functions that are compiled for it. It belongs to no context of LLVM. One
// compilation at a time owns it.
#include "codegen/llvm.h"

#include <stdio.h>
#include <string.h>

bool codegen_machines_open(CodegenMachines *machines) {
  *machines = (CodegenMachines){0};
  return pthread_mutex_init(&machines->lock, NULL) == 0;
}

void codegen_machines_close(CodegenMachines *machines) {
  for (int i = 0; i < CODEGEN_MACHINES; i++) {
    LLVMTargetMachineRef machine = machines->idle[i].machine;
    if (machine) LLVMDisposeTargetMachine(machine);
  }
  pthread_mutex_destroy(&machines->lock);
}

static const char *cpu_of(const LlvmConfig *config) {
  return config->host_cpu ? config->host_cpu : "";
}

static bool fits(const CodegenMachines *k, int i, const LlvmConfig *config) {
  return k->idle[i].machine && k->idle[i].target == config->target &&
         k->idle[i].quick == config->quick &&
         k->idle[i].ptx_version == config->ptx_version &&
         !strcmp(k->idle[i].host_cpu, cpu_of(config));
}

LLVMTargetMachineRef machines_take(const LlvmConfig *config) {
  CodegenMachines *k = config->machines;
  LLVMTargetMachineRef out = NULL;
  if (!k) return NULL;
  pthread_mutex_lock(&k->lock);
  for (int i = 0; i < CODEGEN_MACHINES && !out; i++) {
    if (!fits(k, i, config)) continue;
    out = k->idle[i].machine;
    k->idle[i].machine = NULL;
  }
  pthread_mutex_unlock(&k->lock);
  return out;
}

// A free place, or that of the machine that has waited for the longest time.
static int find_place(const CodegenMachines *k) {
  int out = 0;
  for (int i = 0; i < CODEGEN_MACHINES; i++) {
    if (!k->idle[i].machine) return i;
    if (k->idle[i].turn < k->idle[out].turn) out = i;
  }
  return out;
}

// Returns the machine that had its place, or NULL.
static LLVMTargetMachineRef keep(CodegenMachines *k, const LlvmConfig *config,
                                 LLVMTargetMachineRef machine) {
  const int i = find_place(k);
  LLVMTargetMachineRef out = k->idle[i].machine;
  k->idle[i].machine = machine;
  k->idle[i].turn = k->turn++;
  k->idle[i].target = config->target;
  k->idle[i].quick = config->quick;
  k->idle[i].ptx_version = config->ptx_version;
  snprintf(k->idle[i].host_cpu, sizeof k->idle[i].host_cpu, "%s",
           cpu_of(config));
  return out;
}

void machines_give(const LlvmConfig *config, LLVMTargetMachineRef machine) {
  CodegenMachines *k = config->machines;
  LLVMTargetMachineRef other = machine;
  if (k) {
    pthread_mutex_lock(&k->lock);
    other = keep(k, config, machine);
    pthread_mutex_unlock(&k->lock);
  }
  if (other) LLVMDisposeTargetMachine(other);
}
