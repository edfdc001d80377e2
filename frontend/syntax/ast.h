// ast.h -- a source file as a tree.
//
// Nodes live in the arena of their Program and are not changed after parsing.
// Identifiers are interned per Program: compare pointers.
//
// Depth is bounded, so a walk may recurse: an expression is at most
// AST_MAX_DEPTH nodes deep, and blocks nest at most AST_MAX_BLOCKS deep.  Long
// expressions that users write are flat: `a + b - c + ...` is one EXPR_CHAIN,
// `a and b and ...` one EXPR_AND, an `if` with its `elif`s one STMT_IF.
#ifndef TILE_FRONTEND_AST_H
#define TILE_FRONTEND_AST_H

#include "frontend/syntax/token.h"
#include "ir/base/base.h"
#include "ir/base/diag.h"

enum {
  AST_MAX_DEPTH = 200,
  AST_MAX_BLOCKS = 100, // as in Python
};

typedef enum {
#define EXPR(kind, text) EXPR_##kind,
#include "frontend/syntax/ast.def"
  EXPR_COUNT
} ExprKind;

typedef enum {
#define STMT(kind, text, word) STMT_##kind,
#include "frontend/syntax/ast.def"
  STMT_COUNT
} StmtKind;

typedef enum {
#define OPERATOR(kind, text, level, method) OPERATOR_##kind,
#include "frontend/syntax/ast.def"
  OPERATOR_COUNT
} Operator;

typedef enum {
#define UNARY(kind, text) UNARY_##kind,
#include "frontend/syntax/ast.def"
  UNARY_COUNT
} UnaryOperator;

typedef enum {
#define COMPARE(kind, text, method) COMPARE_##kind,
#include "frontend/syntax/ast.def"
  COMPARE_COUNT
} CompareOperator;

// Python's integers, as far as kernels need them.
__extension__ typedef __int128 Integer;

void integer_print(Integer value, Str *out);

extern const char *const expr_kind_text[EXPR_COUNT]; // "a call", without "a"
extern const char *const stmt_kind_text[STMT_COUNT];
extern const char *const operator_text[OPERATOR_COUNT];
extern const char *const unary_text[UNARY_COUNT];
extern const char *const compare_text[COMPARE_COUNT];
// The methods of a class that implement the operators; NULL: none.
extern const char *const operator_method[OPERATOR_COUNT];
extern const char *const compare_method[COMPARE_COUNT];

typedef struct Expr Expr;
typedef struct Stmt Stmt;
typedef struct AstParam AstParam;
typedef struct AstFunction AstFunction;
typedef struct AstFile AstFile;

typedef struct {
  Expr **items;
  int count;
} ExprList;

// One step of a chain: `... op operand`, at the place of the operator.
typedef struct {
  Operator op;
  SrcLoc loc;
  Expr *operand;
} ChainLink;

typedef struct {
  CompareOperator op;
  SrcLoc loc;
  Expr *operand;
} CompareLink;

typedef enum {
  ARG_POSITIONAL,
  ARG_KEYWORD,     // name=value
  ARG_STAR,        // *value
  ARG_DOUBLE_STAR, // **value
} CallArgKind;

typedef struct {
  CallArgKind kind;
  const char *name; // of a keyword argument, else NULL
  SrcLoc loc;
  Expr *value;
} CallArg;

// A literal piece (`value` is NULL) or `{value!conversion:spec}`.
typedef struct {
  const char *text; // of a literal piece
  size_t length;
  Expr *value;
  const char *source; // source text of `value`; with `debug`, `x=`
  bool debug;
  char conversion; // 'r', 's', 'a' or 0
  Expr *spec;      // an EXPR_FSTRING or NULL
} FStringPart;

typedef struct {
  Expr *key; // NULL: the entry is `**value`
  Expr *value;
} DictItem;

// `for target in iterable if conditions...`
typedef struct {
  Expr *target, *iterable;
  ExprList conditions;
  bool is_async;
} ComprehensionFor;

typedef enum { COMP_LIST, COMP_SET, COMP_DICT, COMP_GENERATOR } CompKind;

struct Expr {
  ExprKind kind;
  int depth;          // 1 for a leaf
  bool parenthesized; // `(a)`; tuples: written with parentheses
  SrcLoc loc;         // of the whole expression
  union {
    const char *name; // NAME; BIG, IMAGINARY: the source text, as kernels have
                      // no such values
    Integer integer;  // INT
    double number;    // FLOAT
    struct {
      const char *text; // decoded; ends with NUL, may contain others
      size_t length;
      bool is_bytes;
    } string; // STRING
    struct {
      FStringPart *parts;
      int num_parts;
    } fstring;      // FSTRING
    bool truth;     // BOOL
    ExprList items; // TUPLE, LIST, SET, AND, OR
    struct {
      DictItem *items;
      int count;
    } dict; // DICT
    struct {
      Expr *object;
      const char *name;
      SrcLoc name_loc;
    } attribute; // ATTRIBUTE
    struct {
      Expr *object, *index; // `a[i, j]`: index is a TUPLE
    } subscript;            // SUBSCRIPT
    struct {
      Expr *lower, *upper, *step; // each may be NULL
    } slice;                      // SLICE, only as (part of) an index
    struct {
      Expr *callee;
      CallArg *args;
      int num_args;
    } call; // CALL
    struct {
      UnaryOperator op;
      Expr *operand;
    } unary; // UNARY
    struct {
      Expr *first;
      ChainLink *links; // applied from left to right; one for `**`
      int num_links;    // at least 1
    } chain;            // CHAIN
    struct {
      Expr *first;
      CompareLink *links; // several: `a < b < c`
      int num_links;
    } compare; // COMPARE
    struct {
      Expr *condition, *then, *otherwise;
    } conditional; // IF
    struct {
      AstParam *params;
      int num_params;
      Expr *body;
    } lambda; // LAMBDA
    struct {
      CompKind kind;
      Expr *key, *value; // key: only of a DICT
      ComprehensionFor *fors;
      int num_fors;
    } comprehension; // COMPREHENSION
    struct {
      Expr *target, *value;
      SrcLoc op_loc; // of the ':='
    } named;         // NAMED; the target is a NAME
    Expr *operand;   // STARRED, AWAIT, YIELD (may be NULL)
  };
};

typedef struct {
  Stmt **items;
  int count;
} StmtList;

// `condition: body` of an `if` or `elif`.
typedef struct {
  SrcLoc loc;
  Expr *condition;
  StmtList body;
} IfBranch;

typedef struct {
  Expr *context, *target; // target may be NULL
} WithItem;

// `except type as name: body`
typedef struct {
  Expr *type;       // NULL: catches all
  const char *name; // or NULL
  StmtList body;
} ExceptHandler;

struct Stmt {
  StmtKind kind;
  SrcLoc loc; // of a compound statement: its first line
  union {
    Expr *expr; // EXPR, DEL
    struct {
      ExprList targets; // `a = b = value`: two
      Expr *value;
    } assign; // ASSIGN
    struct {
      Expr *target, *value;
      Operator op;
      SrcLoc op_loc;
    } aug_assign; // AUG_ASSIGN
    struct {
      Expr *target, *annotation, *value; // value may be NULL
    } ann_assign;                        // ANN_ASSIGN
    Expr *result;                        // RETURN; or NULL
    struct {
      IfBranch *branches; // if, elif, elif, ...
      int num_branches;
      StmtList otherwise; // count 0: none
    } if_;                // IF
    struct {
      Expr *target, *iterable;
      StmtList body, otherwise;
    } for_; // FOR
    struct {
      Expr *condition;
      StmtList body, otherwise;
    } while_; // WHILE
    struct {
      Expr *condition, *message; // message may be NULL
    } assert_;                   // ASSERT
    struct {
      WithItem *items;
      int num_items;
      StmtList body;
    } with; // WITH
    // DEF to DEL exist in host code only; see parser_module().
    struct {
      AstFunction *function;
      ExprList decorators; // outermost first
    } def;                 // DEF
    struct {
      const char *name;
      CallArg *args;
      int num_args;
      StmtList body;
      ExprList decorators;
    } class_; // CLASS
    struct {
      StmtList body, otherwise, finally;
      ExceptHandler *handlers;
      int num_handlers;
    } try_; // TRY
    struct {
      Expr *error, *cause; // each may be NULL
    } raise;               // RAISE
    struct {
      const char **names;
      int count;
      bool is_global; // else nonlocal
    } scope;          // SCOPE
    // UNSUPPORTED: "raise", "try", "def", "class", "import", "global", "del",
    // ...; not parsed, since it is an error only if it is reached.
    struct {
      const char *keyword, *name; // name that it defines; NULL: unknown
      uint32_t token, end;        // its first token, and the token behind it
    } unsupported;
  };
};

typedef enum {
#define PARAM(kind, stars, word) PARAM_##kind,
#include "frontend/syntax/ast.def"
  PARAM_COUNT
} ParamKind;

extern const char *const param_stars[PARAM_COUNT]; // written before the name

struct AstParam {
  const char *name;
  SrcLoc loc;
  ParamKind kind;
  Expr *annotation, *value;    // type and default; or NULL
  const char *annotation_text; // as written; or NULL. `x: *fp32` is a STARRED
                               // annotation with the text "*fp32"
  bool is_constexpr;           // tl.constexpr, constexpr, "tl.constexpr"
};

// A place in a file at which a line is evaluated.  A name has the meaning that
// earlier lines gave it; in the body of a class, the class's own names come
// first.
typedef struct {
  const char *prefix; // "Class." or ""; NULL: ""
  bool is_nested; // in a comprehension there, or in a function called there:
                  // the names of the class are not visible
  const char *within; // "function.", the prefix of the names of a function that
                      // is not run; NULL: not in such a function
  uint32_t order;     // number of the first definition below; 0: the file's end
  const struct Locals *locals; // in a function: its bindings there; or NULL
} AstPlace;

typedef struct Decorator {
  SrcLoc loc;
  const char *name; // last part of its name in Triton: "jit", "autotune"
  Expr *expr;       // NULL if it could not be parsed
  AstFile *file;    // file with the expression
  AstPlace place;   // place at which it is evaluated
  const struct Definition *maker; // function that calls @autotune; or NULL
  const Expr *made;               // that call in `maker`
  bool is_partial;                // of partial(), to which a call adds
                                  // arguments
  bool unknown;                   // only the host knows its result
  struct Decorator *inner;        // the decorator applied before it; or NULL
} Decorator;

// A function marked jit.  A function in a class is named `Class.name`.
struct AstFunction {
  AstFile *file;
  const char *name;
  SrcLoc loc;     // of the name
  AstPlace place; // the place at which its defaults are evaluated
  AstParam *params;
  int num_params;
  Decorator *decorators; // outermost first, including jit
  int num_decorators;
  Expr *returns;      // `-> annotation` or NULL
  StmtList body;      // without its docstring
  bool returns_value; // contains a `return value`, reached or not
  bool ok;            // false: it has syntax errors, which were reported
  bool is_constant;   // a constexpr_function: numbers in it stay constants
  // `around`: the bindings of the enclosing function.  This and the fields up
  // to `end` are set for inner functions only, and for results of calls of
  // jit().
  const struct Locals *around;
  const struct Object *const *defaults; // one for each parameter; NULL: to be
                                        // evaluated
  uint32_t decorators_begin, begin, end;
  Vec(const char *) hidden; // of a lambda: targets of comprehensions around it
};

// `NAME = value` at module level, parsed at its first use.
typedef struct AstGlobal {
  const char *name;
  SrcLoc loc;
  AstPlace place;
  Expr *annotation; // or NULL
  Expr *value;      // NULL: could not be parsed, or one of the next three is
                    // set
  Expr *source;     // value that is unpacked or combined, with `target` or `op`
  Expr *target;     // left side of `A, *B = source`; else NULL
  Operator op;      // `NAME += source`; else OPERATOR_COUNT
  bool is_changed;  // an object is changed in place by a later statement
  bool is_patched;  // setattr() sets members whose names are known
} AstGlobal;

// `name: annotation = value` in a class.
typedef struct {
  const char *name;
  Expr *value;       // its default; or NULL
  bool is_constexpr; // annotated constexpr: stays a constant in an aggregate
  Expr *annotation;  // in `file`; NULL: none, or it could not be parsed
  AstFile *file;
} AstField;

// A class of which kernels may make objects: a NamedTuple or an aggregate.  Its
// methods are functions named `Class.method`.
typedef struct AstClass {
  AstFile *file;
  const char *name;
  SrcLoc loc;
  const struct AstClass *base; // base class, or NULL
  bool is_circular;            // it is its own base, so that no object of it
                               // exists
  bool is_aggregate;           // its constants stay constants
  AstField *fields;
  int num_fields;
} AstClass;

// Prints one statement a line, nested by two spaces; for --emit=ast and tests.
// The function must be `ok`, as other trees may be too deep for recursion.
void ast_print_function(const AstFunction *function, Str *out);

// Source-like text of an expression, for messages; cut at `limit` bytes, with
// "..." at the end.
void ast_unparse(const Expr *expr, size_t limit, Str *out);

#endif
