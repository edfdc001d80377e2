// parts.h -- one walk over the tokens of a file; see scan.c.
#ifndef TILE_FRONTEND_SCAN_PARTS_H
#define TILE_FRONTEND_SCAN_PARTS_H

#include "frontend/scan/scan.h"

// Makes a definition without adding it to the file; a global has no value yet.
Definition *scan_make(const Scanner *s, DefinitionKind kind, const char *name,
                      uint32_t token);
// Makes a definition and adds it to the file.
Definition *scan_define(Scanner *s, DefinitionKind kind, const char *name,
                        uint32_t token);

// The place of the current line: it sees the definitions so far.
AstPlace scan_place(const Scanner *s);
// To be called before a statement, whose first token is of `kind`.
void scan_begin(Scanner *s, int kind);
// Did a run of the modules never reach the statement?  Then steps over it.  If
// the run surely reached it, the surroundings are in no doubt until
// scan_doubt_again(), to be called behind the statement.
bool scan_skips(Scanner *s, int kind);
void scan_doubt_again(Scanner *s, const Surroundings *before);
// Steps over a header, and over a statement behind its colon on the same line.
void scan_header(Scanner *s);
// Enters a block, and leaves it.
void scan_enter(Scanner *s);
void scan_leave(Scanner *s);
// Steps over the header of an `if`, `try`, `for` and the like; false: the
// statement has no block.
bool scan_compound(Scanner *s, int kind);
// May the statement fail, so that the rest of a `try` is not reached?
bool scan_may_stop(Scanner *s, uint32_t begin, uint32_t end);

// Handles a `return` or `raise`.
void scan_return(Scanner *s);
// Walks over all statements before the token `end`; `prefix` goes before the
// names that they define.
void scan_all(Scanner *s, const char *prefix, uint32_t end);
// Each of these functions handles the statement at `s->next` and steps over it.
void scan_simple(Scanner *s);
void scan_import(Scanner *s);

// Notes a change of the primary expression that ends before `last`, and begins
// at `begin` or later.
void scan_change_of_result(Scanner *s, uint32_t last, uint32_t begin);
// Is the member at `token` a call's result's: `get().name`, `get()[0].name`?
bool scan_is_of_result(const Scanner *s, uint32_t token, uint32_t begin);

// Defines a global whose value is in the tokens [begin, end).
Definition *scan_global(Scanner *s, const char *name, uint32_t token,
                        uint32_t begin, uint32_t end);
// Handles the bindings of the statement [begin, end): assignments, walruses,
// and changes in place by methods.
void scan_binding(Scanner *s, uint32_t begin, uint32_t end);
void scan_effects(Scanner *s, uint32_t begin, uint32_t end);
// Adds the names that walruses in the fields of the token bind, if it is an
// f-string.
void scan_walruses(const Scanner *s, uint32_t token, Names *names);
// Notes that names bound by walruses in the tokens have no known value.
void scan_bound(Scanner *s, uint32_t begin, uint32_t end);
// The name at `token` has no known value from here on.
void scan_hide(Scanner *s, uint32_t token);
// Notes the names of the members that the statement sets of the object at
// `token`; other members keep their values.
void scan_patch_at(Scanner *s, uint32_t token);
// Notes a change of the object that the name at `token` refers to, or of a
// member of it, `name.member`.
void scan_change_at(Scanner *s, uint32_t token);
// Does every binding of the name in the function [begin, end) give it a list, a
// dictionary or a number that the function makes?
bool scan_is_made(const Scanner *s, const char *name, uint32_t begin,
                  uint32_t end);
// Is the expression from `token` to `end` a target of an assignment, perhaps
// one of several?  The annotation in `x: NAME.type = 1` is no target.
bool scan_is_target(const Scanner *s, uint32_t token, uint32_t end);
void scan_defaults(Scanner *s, uint32_t begin, uint32_t end);
// Binds the targets in the tokens, names behind `as` and names in the pattern
// of a `case`; they have no known value.
void scan_targets(Scanner *s, uint32_t begin, uint32_t end);
// Binds the targets of a `for` whose `in` is at `in` and whose header ends at
// `end`.
void scan_loop_targets(Scanner *s, uint32_t begin, uint32_t in, uint32_t end);
void scan_captures(Scanner *s, uint32_t begin, uint32_t end);
void scan_pattern(Scanner *s, uint32_t begin, uint32_t end);

// Notes the names of this or other files that a function may rebind, or whose
// objects it may change, whenever it is called.  The tokens [begin, end) are
// the function.  True: it may change its arguments.
bool scan_writes(Scanner *s, uint32_t begin, uint32_t end);
// The name is bound again at an unknown time, so it has no known value.
void scan_rebind(Scanner *s, AstFile *file, const char *name, uint32_t token);
void scan_rebind_member(Scanner *s, uint32_t token, const char *name);
// The symbol that the name at `token` imports from another file; ABSENT: the
// name belongs to this file.
Symbol scan_brought(const Scanner *s, uint32_t token);
// The meaning in `module` of the name at `token`.  scan_brought() and this
// function may read a file for the answer; that file counts as one that the
// program does not run.
Symbol scan_member_of(const Scanner *s, Symbol module, uint32_t token);
// Is `NAME.x.append`, from `token` to `after`, a method that changes its
// receiver, and no function of another file?
bool scan_is_changed(const Scanner *s, uint32_t token, uint32_t after);
// Is the function at `token`, perhaps `name.member`, defined in a file of the
// program?
bool scan_is_ours(const Scanner *s, uint32_t token);
// May the function that is named at `token` change an argument?  For a method:
// may a method of that name, of any class, do so?
bool scan_call_changes(const Scanner *s, uint32_t token);
bool scan_method_changes(const Scanner *s, uint32_t token);
// Does the function at `token` change its arguments only by setattr()?  All
// names of the members are known, and noted in `patched_members`, or are set
// only where they are absent.
bool scan_call_patches(const Scanner *s, uint32_t token);
// The function at `token`, which may change its arguments, is called with a
// module of the language: notes the names that it sets there, or gets as
// strings.
void scan_call_sets(const Scanner *s, uint32_t token, const Symbol *module);
// Notes that a module of the language is given a member.
void scan_set_of_language(const Scanner *s, const Symbol *module,
                          const char *name);
// Is the setattr(NAME, name, value) at `token` below `if hasattr(NAME, name):
// continue` in the function that begins at `begin`?
bool scan_sets_absent(const Scanner *s, uint32_t token, uint32_t begin);
// The first string of the list in `for name in ("a", "b"):`, a loop around the
// setattr(NAME, name, value) at `token`; 0 if there is no such list.
uint32_t scan_listed_names(const Scanner *s, uint32_t token);
// Does the token name a function of Python's library that changes its argument?
bool scan_changes_given(const Scanner *s, uint32_t token);
// Registers a method under its name, with its effects.
void scan_method(Scanner *s, Definition *d);
void scan_member_writes(Scanner *s, uint32_t begin, uint32_t end,
                        const char *self);
// Notes that a member of that name is assigned, in any class.
void scan_assign_member(Scanner *s, const char *name);
// Notes the changed member of an object that the tokens make: `x().name`, or
// the member that `x.get()` returns.
void scan_change_member(Scanner *s, uint32_t begin, uint32_t end);
// Marks as changed every global that a change of a member with such a name may
// alias.
void scan_touch_members(Program *program);
// The first parameter of a method that is called with an object of its class;
// NULL if the function is no such method.
const char *scan_self(const Scanner *s, uint32_t def);
// Notes `module.name = value` and `Class.name = value`, whose name is at
// `token`, if another file defines the module's or class's name.
void scan_write_other(Scanner *s, uint32_t token);

// Handles names that the tokens bind by text, `globals()["name"] = 1`, in the
// module or in a function.  scan_rebind_all(): to be called at the end, for
// names that functions bind.
void scan_indirect(Scanner *s, uint32_t begin, uint32_t end);
void scan_rebind_all(Scanner *s);
// Handles names of other files, where an expression for one begins at `token`.
void scan_other(Scanner *s, uint32_t token);
// Is the token `modules`, `import_module` or `__import__`?
bool scan_is_way_to_file(const Scanner *s, uint32_t token);
// Handles a write to the table of the file's names, if the tokens contain an
// expression for it: the written names have no known value.
void scan_write_table(Scanner *s, AstFile *file, uint32_t begin, uint32_t end);
// The quoted name at `token` loses its value; all names of the file do, if the
// token is no plain string.
void scan_forget_quoted(Scanner *s, AstFile *file, uint32_t token);
// The token of NAME in `NAME = ...`, if its value is the tokens, or ends with
// them behind dots; else `end`.
uint32_t scan_alias(const Scanner *s, uint32_t begin, uint32_t end);
// Are the tokens exactly `sys.modules[__name__]` or `globals()`?
bool scan_is_module(const Scanner *s, uint32_t begin, uint32_t end);

// Defines NAME, if the tokens [begin, end) are a function marked by a call:
// jit(FUNCTION) of a plain function, autotune(...)(FUNCTION) of a marked one,
// make(...) of a function that makes one, or host(NAME), which leaves NAME
// marked. False: the tokens are something else.
bool scan_function(Scanner *s, uint32_t name, uint32_t begin, uint32_t end);
// The same for each pair of `A, B = jit(f), jit(g)`.
void scan_functions(Scanner *s, uint32_t begin, uint32_t end, uint32_t value,
                    uint32_t value_end);
// `return jit(FUNCTION)` in a function that defines FUNCTION.
void scan_returned(Scanner *s, uint32_t begin, uint32_t end);

#endif
