// text.h: from characters to a syntax tree. Knows the grammar, knows no mechanics.
//
// The tree is flat: statements, their parts, and the nodes of expressions are three
// arrays, linked by 32-bit indices. The nodes of one expression are contiguous,
// children before parents, the root last, so that a pass over an expression is a
// plain loop over its span. Every node remembers where it stood. Nothing here
// recurses on depth.
#ifndef ZWANG_TEXT_H
#define ZWANG_TEXT_H

#include "base/base.h"

typedef enum {
    NODE_NONE,
    NODE_NUMBER,   // name: its digits
    NODE_NAME,     // name
    NODE_INDEX,    // first child: the name or member that is indexed; then the indices
    NODE_MEMBER,   // child.name
    NODE_PRIME,    // child, differentiated `primes` times
    NODE_NEGATIVE, // − child
    NODE_POWER,    // child 0 ^ child 1
    NODE_PRODUCT,  // all factors; an inverse child divides
    NODE_SUM,      // all terms; an inverse child is subtracted
    NODE_CALL,     // name(children); f''(…) has its `primes`, U'[1,2](…) its numbers before the
                   // arguments, `by` of them
    NODE_VECTOR,   // [children]
    NODE_IN,       // child 0, a vector, in the axes of child 1
    NODE_ON,       // child 0 on child 1, inside a call
    NODE_RANGE,    // child 0 .. child 1, as an index
    NODE_EACH,     // name in child 0 .. child 1: opens a loop that its NODE_TOTAL closes; with one
                   // child it is the second of pairs, from behind the first to that child
    NODE_UNIT,     // child 0 in the unit `name`, which ends it
    NODE_TOTAL     // sum(…): the NODE_EACH children in order, then the term
} NodeKind;

typedef struct {
    NodeKind kind;
    uint32_t name;          // an index for syntax_name
    uint32_t primes;        // NODE_PRIME, NODE_CALL: how many
    uint32_t by;            // NODE_CALL: how many children say by what it is differentiated
    uint32_t total;         // NODE_EACH: the NODE_TOTAL that it belongs to
    uint32_t first, count;  // its children
    uint32_t start, length; // its place in the source
} Node;

typedef struct {
    uint32_t node;
    bool inverse; // subtracted in a sum, divided by in a product
} Child;

// The nodes first … root of one expression.
typedef struct {
    uint32_t first, root;
} Span;

typedef enum {
#define STATEMENT(NAME, word, parse) STATEMENT_##NAME,
#include "text/statements.def"
#undef STATEMENT
    STATEMENT_SET,        // what syntax_read_settings makes: NAME, VALUE, NAME, VALUE …
    STATEMENT_EXPRESSION, // what syntax_read_expression makes: VALUE
    STATEMENT_EQUATION,   // what syntax_read_equation makes: LABEL or none, LEFT, EQUAL
    STATEMENT_UNKNOWN     // its word was none of the language; always broken
} StatementKind;

// What a part of a statement is. Parts come in the order of the text.
typedef enum {
    PART_NAME,     // what is declared or assigned: NODE_NAME or NODE_INDEX; `initial` and
                   // settings also NODE_PRIME; `independent` and `force … along` a reference;
                   // `function` and its settings NODE_CALL, with a NODE_NAME for each argument
    PART_LABEL,    // `system`, `constraint`, `servo`, `friction`, `event`, `sample`, `output`:
                   // NODE_NAME or NODE_INDEX
    PART_TITLE,    // the place of the text between the quotes; no nodes
    PART_VALUE,    // the expression after = or after the statement's word
    PART_LEFT,     // of a condition
    PART_EQUAL,    // the right side of a condition, by its relation
    PART_AT_MOST,  // <=
    PART_AT_LEAST, // >=
    PART_RESTITUTION,
    PART_AGAINST,  // `friction … against s`: s
    PART_LAW,      // `law newton`: the place of the second word; no nodes
    PART_BASE,     // `frame B = A`: A; `part b = bob(…)`: bob
    PART_ARGUMENT, // `part`: the name of an argument; its PART_VALUE follows where it has one
    PART_ROTATE,   // an angle; the next part is its PART_ABOUT
    PART_ABOUT,
    PART_QUATERNION, // four of them
    PART_FRAME,
    PART_MASS,
    PART_INERTIA,
    PART_AT,
    PART_ON,
    PART_ALONG,
    PART_BY,        // servo … by x
    PART_BY_FORCE,  // servo … by force v; PART_AT follows, and PART_ON where it was said
    PART_BY_TORQUE, // servo … by torque v; PART_ON follows
    PART_WHEN,      // impulse … when t = e: e
    PART_APPROX,    // `initial approx`; no nodes
    PART_TO,
    PART_EVERY,
    PART_TOLERANCE,
    PART_UNTIL,  // the left side of a relation; the next part is its right side
    PART_METHOD, // `run … method NAME`, `paradox NAME`: the place of the name; no nodes
    PART_PARADOX,
    PART_RISING,  // `event … rising`: the place of the word; no nodes
    PART_FALLING, // the same
    PART_FROM,    // `sample h from e delay d`: e, and d
    PART_DELAY,
    PART_LOW, // `for NAME in LOW..HIGH`: NAME, LOW, HIGH for each variable
    PART_HIGH,
    PART_PAIRED, // in the place of LOW: the second of `for NAME, NAME in pairs(LOW..HIGH)`, which
                 // begins behind the first
    PART_SHAPE,  // the kind of picture after `draw`, or of a joint: NODE_NAME
    PART_AXIS,   // this and the following of `draw`
    PART_RADIUS,
    PART_BETWEEN, // this and the following of joints, springs, dampers and bushings
    PART_AND,     // the other end
    PART_AT_OTHER,
    PART_AXIS_OTHER,
    PART_STIFFNESS,
    PART_REST,
    PART_DAMPING,
    PART_TORSION,
    PART_FRICTION,
    PART_STATIC,
    PART_CENTER, // of a body
    PART_SIZE,
    PART_LENGTH,
    PART_SCALE,
    PART_TURNS,
    PART_COLOUR, // NODE_NAME, or no nodes: the place of the text between the quotes
    PART_OPACITY,
    PART_WIDTH,
    PART_WHILE, // the left side of a relation; the next part is its right side, one of
    PART_WHILE_EQUAL,
    PART_WHILE_AT_MOST,
    PART_WHILE_AT_LEAST,
    PART_TABLE, // `table(…)` in the place of a value; its parts follow: PART_TITLE for its file and
                // columns, PART_TABLE_WORD for its words
    PART_RANDOM,     // `random(…)` there: PART_TABLE_WORD, and four PART_NUMBER
    PART_TABLE_WORD, // the place of a word; no nodes
    PART_NUMBER,
    PART_UNIT,     // `in UNIT` behind the name that is declared: the place of the unit; no nodes
    PART_INTERVAL, // the radius behind a value and '+/-'
    PART_LOST      // a name that stood behind the error in a broken statement
} PartRole;

typedef struct {
    PartRole role;
    Span span; // root 0 where there is no expression
    uint32_t start, length;
} Part;

// Whether its block has actions: set, impulse, stop, record.
bool statement_has_actions(StatementKind kind);

typedef struct {
    StatementKind kind;
    bool broken;           // its error has been reported; its parts are those before it
    uint32_t first, count; // its parts
    uint32_t end;          // of one with a block: the statement behind its last one
    uint32_t start, length;
    uint32_t word_length;
} Statement;

typedef struct Syntax {
    const Source *source;
    Arena *arena;
    ARRAY(Node) nodes; // nodes.at[0] is none
    ARRAY(Child) children;
    ARRAY(Part) parts;
    ARRAY(Statement) statements;
    ARRAY(Str) names; // English spelling
    NameMap *name_map;
} Syntax;

// Reads a whole model. Every independent error is added to diag, and what could be read is
// in the tree all the same: broken statements are marked. Never NULL.
Syntax *syntax_read(const Source *source, Diag *diag);
// Reads NAME=VALUE[,NAME=VALUE…] into one STATEMENT_SET.
Syntax *syntax_read_settings(const Source *source, Diag *diag);
// Reads one relation into one STATEMENT_RUN: PART_UNTIL and its right side.
Syntax *syntax_read_until(const Source *source, Diag *diag);
// Reads one expression into one STATEMENT_EXPRESSION.
Syntax *syntax_read_expression(const Source *source, Diag *diag);
// The same, where numbers may have units.
Syntax *syntax_read_datum(const Source *source, Diag *diag);
// Reads one equation `a = b` or `NAME: a = b` from *at on into one STATEMENT_EQUATION. It ends with
// its line, like a statement; *at is moved behind it, or behind its first line where it is broken.
// T+ and T⁺ are names in it, where no term follows the sign. NULL where only blanks and comments
// are left.
Syntax *syntax_read_equation(const Source *source, uint32_t *at, Diag *diag);
void syntax_free(Syntax *syntax);

// Looking at the tree.
Str syntax_name(const Syntax *syntax, uint32_t name);
const Child *syntax_children(const Syntax *syntax, const Node *node);
Place syntax_node_place(const Syntax *syntax, uint32_t node);
Place syntax_part_place(const Syntax *syntax, const Part *part);
Place syntax_statement_place(const Syntax *syntax, const Statement *statement);
Place syntax_word_place(const Syntax *syntax, const Statement *statement); // its first word
Str syntax_text(const Syntax *syntax, uint32_t start, uint32_t length);
const char *statement_word(StatementKind kind);

// A piece of text short enough for a message; what is cut off is replaced by an ellipsis.
typedef struct {
    char at[48];
} Shown;
Shown text_shown(Str text);

// Words that no declaration may take: t pi world origin in at on to by about along when.
bool text_is_reserved(Str name);
// The letter of an English name ("theta" → "θ"), or NULL where it names none.
const char *text_greek_letter(Str english);
// The digit that stands above the line, or −1.
int greek_raised_digit(uint32_t code);
// Whether this code point is a letter that a name may hold; its English name or NULL for ASCII.
bool greek_is_letter(uint32_t code, const char **english);

#endif
