// parts.h -- one walk over the tokens of a file; see scan.c.
#ifndef TILE_FRONTEND_SCAN_PARTS_H
#define TILE_FRONTEND_SCAN_PARTS_H

#include "frontend/scan/scan.h"

// A definition that the file does not know of; a global has no value yet.
Definition *scan_make(const Scanner *s, DefinitionKind kind, const char *name,
                      uint32_t token);
// One that is the file's from here on.
Definition *scan_define(Scanner *s, DefinitionKind kind, const char *name,
                        uint32_t token);

// The place of the current line, below the definitions so far.
AstPlace scan_place(const Scanner *s);
// Before a statement that begins with `kind`.
void scan_begin(Scanner *s, int kind);
// Over a header, and over what stands behind it in place of a block.
void scan_header(Scanner *s);
// Into a block, and out of it.
void scan_enter(Scanner *s);
void scan_leave(Scanner *s);
// Over the header of an `if`, `try`, `for` and the like; false: it is none.
bool scan_compound(Scanner *s, int kind);
// Below a `try`: may the statement fail?
bool scan_may_stop(Scanner *s, uint32_t begin, uint32_t end);

// At a `return` or `raise`.
void scan_return(Scanner *s);
// Over all statements before the token `end`, whose names get the prefix.
void scan_all(Scanner *s, const char *prefix, uint32_t end);
// Each steps over the statement at `s->next`.
void scan_simple(Scanner *s);
void scan_import(Scanner *s);

// The statement changes what the tokens stand for, perhaps all that it holds.
void scan_change_of(Scanner *s, uint32_t begin, uint32_t end, bool deep);
// Functions that the tokens call may change all objects that the tokens name.
// `applied`: their results are called, too.
void scan_change_by_calls(Scanner *s, uint32_t begin, uint32_t end,
                          bool applied);
// A function of the file changes what the name stands for.
void scan_change_by_call(Scanner *s, uint32_t token);
// The same of what ends before `last` and begins at `begin` or later.
void scan_change_of_result(Scanner *s, uint32_t last, uint32_t begin);
// The same, of those that the loop at `begin` has made.
void scan_changes_of_loop(Scanner *s, uint32_t begin);
void scan_after_changes(Scanner *s);
// `get().name`, `get()[0].name`
bool scan_is_of_result(const Scanner *s, uint32_t token, uint32_t begin);

// A global whose value is in the tokens [begin, end).
Definition *scan_global(Scanner *s, const char *name, uint32_t token,
                        uint32_t begin, uint32_t end);
// The assignments in a statement, in the tokens [begin, end), and what a
// walrus binds or a method changes in place.
void scan_binding(Scanner *s, uint32_t begin, uint32_t end);
void scan_effects(Scanner *s, uint32_t begin, uint32_t end);
// Adds the names that walruses in the fields of the token bind, if it is an
// f-string.
void scan_walruses(const Scanner *s, uint32_t token, Names *names);
// Names that walruses bind have no known value.
void scan_bound(Scanner *s, uint32_t begin, uint32_t end);
// The name has no value that is known from here on.
void scan_hide(Scanner *s, uint32_t token);
// The thing that the name at `token` stands for is given members, whose names
// are noted: a module stays what it is.
void scan_patch_at(Scanner *s, uint32_t token);
// The statement changes the name at `token`, or the member of it that is in the
// tokens before `end`.
void scan_change_at(Scanner *s, uint32_t token, uint32_t end);
// Do they only name things, and put them into others?
bool scan_is_plain(const Scanner *s, uint32_t begin, uint32_t end);
// Is the name, in all of a function, a list or a number that this makes?
bool scan_is_made(const Scanner *s, const char *name, uint32_t begin,
                  uint32_t end);
// Is what begins at `token` and ends before `end` assigned to, perhaps as one
// of several targets?  The annotation of `x: NAME.type = 1` is not.
bool scan_is_target(const Scanner *s, uint32_t token, uint32_t end);
void scan_defaults(Scanner *s, uint32_t begin, uint32_t end);
// Names that the tokens bind have no known value: targets, names behind `as`,
// and names in the pattern of a `case`.
void scan_targets(Scanner *s, uint32_t begin, uint32_t end);
// The same for a `for` whose `in` is at `in` and whose header ends at `end`.
void scan_loop_targets(Scanner *s, uint32_t begin, uint32_t in, uint32_t end);
void scan_captures(Scanner *s, uint32_t begin, uint32_t end);
void scan_pattern(Scanner *s, uint32_t begin, uint32_t end);

// Notes the names of this or other files that a function may rebind or change
// whenever it is called; its body is in the tokens [begin, end).  True: it may
// change its arguments.
bool scan_writes(Scanner *s, uint32_t begin, uint32_t end);
// Nobody knows when the name is bound to something else, so that it has no
// value; the member of what `token` names, which may be another file.
void scan_rebind(Scanner *s, AstFile *file, const char *name, uint32_t token);
void scan_rebind_member(Scanner *s, uint32_t token, const char *name);
// The symbol that the name at `token` imports from another file; ABSENT: the
// name belongs to this file.
Symbol scan_brought(const Scanner *s, uint32_t token);
// The meaning in `module` of the name at `token`.  A file that has to be read
// for it is read aside, and so is one of scan_brought().
Symbol scan_member_of(const Scanner *s, Symbol module, uint32_t token);
// `NAME.x.append` from `token` to `after`: a method that changes what it is of,
// and no function of another file.
bool scan_is_changed(const Scanner *s, uint32_t token, uint32_t after);
// Is what is named there, perhaps `name.member`, of a file of the program?
bool scan_is_ours(const Scanner *s, uint32_t token);
// May the function that is named there change what it is given?  A method of
// that name, of whatever class?
bool scan_call_changes(const Scanner *s, uint32_t token);
bool scan_method_changes(const Scanner *s, uint32_t token);
// Is that function setattr(), or one that does nothing else to its arguments?
// The names of members are known, and noted in `patched_members`, or are set
// only where they are absent.
bool scan_call_patches(const Scanner *s, uint32_t token);
// The function at `token`, which may change what it is given, is given a module
// of the language: notes the names that it sets, or is given as strings.
void scan_call_sets(const Scanner *s, uint32_t token, const Symbol *module);
// Notes that a module of the language is given a member.
void scan_set_of_language(const Scanner *s, const Symbol *module,
                          const char *name);
// `setattr(NAME, name, value)` at `token`, below `if hasattr(NAME, name)` and
// `continue`, in the function that begins at `begin`.
bool scan_sets_absent(const Scanner *s, uint32_t token, uint32_t begin);
// `setattr(NAME, name, value)` at `token`, in a loop `for name in ("a", "b"):`
// of texts alone: the first of them; 0.
uint32_t scan_listed_names(const Scanner *s, uint32_t token);
// Is it a function of Python's that changes what it is given?
bool scan_changes_given(const Scanner *s, uint32_t token);
// Does a method of that name, of whatever class, change what it is given?
bool scan_any_method_changes(const Scanner *s, const char *name, size_t length);
// A method in the tokens from `def` on is known by its name; so is what a
// function does to members of things that nobody knows.
void scan_method(Scanner *s, Definition *d);
void scan_member_writes(Scanner *s, uint32_t begin, uint32_t end,
                        const char *self);
// A member of that name is assigned, of whatever class.
void scan_assign_member(Scanner *s, const char *name);
// The change may reach a member of an object that the tokens make: `x().name`,
// or `x.get()` of a method that returns a member.
void scan_change_member(Scanner *s, uint32_t begin, uint32_t end);
// Marks as changed every global that a change of a member with such a name may
// alias.
void scan_touch_members(Program *program);
// The first parameter of a method that gets a value of its class; NULL.
const char *scan_self(const Scanner *s, uint32_t def);
// `module.name = value`, `Class.name = value` of what another file defines,
// whose name is at `token`.
void scan_write_other(Scanner *s, uint32_t token);

// Before a loop; before a line with one statement; and after it.
void scan_run_loop(Scanner *s);
void scan_run_line(Scanner *s, uint32_t begin, uint32_t end);
void scan_run_end(Scanner *s);
// The run binds the name, or changes its object.
void scan_run_binds(Scanner *s, const char *name);
bool scan_run_changes(Scanner *s, const char *name);

// Names that the tokens bind by text, `globals()["name"] = 1`, in the module or
// in a function. scan_rebind_all(): at the end, those that functions bind.
void scan_indirect(Scanner *s, uint32_t begin, uint32_t end);
void scan_rebind_all(Scanner *s);
// The same of names of other files, where one begins at the token.
void scan_other(Scanner *s, uint32_t token);
// The variables of the environment that tokens of the file, up to `end`, set.
void scan_environment(Scanner *s, uint32_t end);
// Is it `modules`, `import_module` or `__import__`?
bool scan_is_way_to_file(const Scanner *s, uint32_t token);
// The tokens contain an expression for the table of the file's names: names
// that are written to it have no known value.
void scan_write_table(Scanner *s, AstFile *file, uint32_t begin, uint32_t end);
// Nor has the name in the token; all have none if that is no plain string.
void scan_forget_quoted(Scanner *s, AstFile *file, uint32_t token);
// The token of NAME where `NAME = ...` names what is in the tokens, or behind
// dots; `end`: nothing does.
uint32_t scan_alias(const Scanner *s, uint32_t begin, uint32_t end);
// `sys.modules[__name__]`, `globals()`: do the tokens say no more than that?
bool scan_is_module(const Scanner *s, uint32_t begin, uint32_t end);

// NAME = jit(FUNCTION) of a plain function, NAME = autotune(...)(FUNCTION) of
// one that is marked, NAME = make(...) of a function that makes one, or NAME =
// host(NAME), which leaves it marked: for the value in the tokens [begin, end);
// false: it is something else.
bool scan_function(Scanner *s, uint32_t name, uint32_t begin, uint32_t end);
// The same for each of `A, B = jit(f), jit(g)`.
void scan_functions(Scanner *s, uint32_t begin, uint32_t end, uint32_t value,
                    uint32_t value_end);
// `return jit(FUNCTION)` in a function: of one that it defines.
void scan_returned(Scanner *s, uint32_t begin, uint32_t end);

#endif
