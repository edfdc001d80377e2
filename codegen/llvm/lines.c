// lines.c -- .file and .loc, by way of LLVM's debug metadata.
//
// LLVM's C interface can request line tables, but not the kind for PTX: lines
// without debug sections, which would mark the whole module as one for
// debugging.  So the compile unit and its functions are parsed from text, and a
// named list of the functions leads to them.
#include "codegen/llvm/output.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

// -- The text ----------------------------------------------------------------

static const char list_name[] = "tile.functions";
enum { FIRST_FUNCTION = 4 }; // the number of its metadata node

// A quote in the name of a file becomes another one: LLVM prints it as \",
// which ptxas takes for the end of the name.
static void add_quoted(Str *out, const char *text) {
  str_add_char(out, '"');
  for (const char *c = text; *c; c++) {
    const unsigned char byte = (unsigned char)*c;
    if (byte == '"') {
      str_add_char(out, '\'');
    } else if (byte < 0x20 || byte == '\\' || byte >= 0x7f) {
      str_addf(out, "\\%02X", byte);
    } else {
      str_add_char(out, *c);
    }
  }
  str_add_char(out, '"');
}

// No directory, so that the output does not depend on where it is made.
static void add_file(Str *out, const char *file) {
  str_add(out, "!DIFile(filename: ");
  add_quoted(out, file ? file : "<text>");
  str_add(out, ", directory: \"\")");
}

static void add_function(Str *out, const Function *f) {
  str_add(out, "distinct !DISubprogram(name: ");
  add_quoted(out, f->name);
  str_add(out, ", scope: null, file: ");
  add_file(out, f->loc.file);
  str_addf(out,
           ", line: %d, scopeLine: %d, type: !2, unit: !0, "
           "spFlags: DISPFlagDefinition | DISPFlagOptimized)\n",
           f->loc.line, f->loc.line);
}

const char *lines_seed(const Emit *e) {
  const Function *first = e->m->functions;
  if (!e->options.line_info || !first) return NULL;
  Str text = str_in(e->arena);
  str_add(&text, "!llvm.dbg.cu = !{!0}\n"
                 "!llvm.module.flags = !{!3}\n"
                 "!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, "
                 "isOptimized: true, emissionKind: DebugDirectivesOnly)\n"
                 "!1 = ");
  add_file(&text, first->loc.file);
  str_add(&text, "\n!2 = !DISubroutineType(types: !{})\n"
                 "!3 = !{i32 2, !\"Debug Info Version\", i32 3}\n");
  int n = 0;
  for (const Function *f = first; f; f = f->next, n++) {
    str_addf(&text, "!%d = ", FIRST_FUNCTION + n);
    add_function(&text, f);
  }
  str_addf(&text, "!%s = !{", list_name);
  for (int i = 0; i < n; i++) {
    str_addf(&text, "%s!%d", i ? ", " : "", FIRST_FUNCTION + i);
  }
  str_add(&text, "}\n");
  return str_text(&text);
}

// -- Places ------------------------------------------------------------------

static int index_of(const Emit *e, const Function *f) {
  int index = 0;
  for (const Function *x = e->m->functions; x != f; x = x->next) index++;
  return index;
}

void lines_enter(Emit *e, LLVMValueRef function, const Function *f) {
  if (!e->options.line_info) return;
  LLVMModuleRef module = e->llvm.module;
  const unsigned count = LLVMGetNamedMetadataNumOperands(module, list_name);
  LLVMValueRef *all = arena_array(e->arena, LLVMValueRef, count);
  LLVMGetNamedMetadataOperands(module, list_name, all);
  LLVMMetadataRef program = LLVMValueAsMetadata(all[index_of(e, f)]);
  LLVMSetSubprogram(function, program);
  e->lines = (Lines){program, program, f->loc.file, f->loc.file};
  LLVMSetCurrentDebugLocation2(e->b, NULL); // the location belongs to the
                                            // function before
  lines_at(e, f->loc);
}

static bool same_file(const char *a, const char *b) {
  return a == b || (a && b && !strcmp(a, b));
}

// An imported helper is in another file than the kernel.
static LLVMMetadataRef scope_of(Emit *e, const char *file) {
  Lines *lines = &e->lines;
  if (same_file(lines->file, file)) return lines->scope;
  lines->file = file;
  lines->scope = lines->program;
  if (same_file(lines->home, file)) return lines->scope;
  LLVMDIBuilderRef builder = e->llvm.lines;
  LLVMMetadataRef node = LLVMDIBuilderCreateFile(
      builder, file ? file : "", file ? strlen(file) : 0, "", 0);
  lines->scope =
      LLVMDIBuilderCreateLexicalBlockFile(builder, lines->program, node, 0);
  return lines->scope;
}

void lines_at(Emit *e, SrcLoc loc) {
  if (!e->options.line_info || !loc.line) return;
  LLVMMetadataRef place = LLVMDIBuilderCreateDebugLocation(
      e->llvm.context, (unsigned)loc.line, (unsigned)loc.column,
      scope_of(e, loc.file), NULL);
  LLVMSetCurrentDebugLocation2(e->b, place);
}
