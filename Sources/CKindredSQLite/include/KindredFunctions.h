#pragma once
#include <sqlite3.h>

/// Returns the name of the table whose column a result column shows, or of that column; null for an expression, and where
/// SQLite was built without `SQLITE_ENABLE_COLUMN_METADATA`.
const char *kindred_origin_table(sqlite3_stmt *statement, int column);
const char *kindred_origin_column(sqlite3_stmt *statement, int column);

/// Returns whether the statements of a connection have to stop.
typedef int (*kindred_must_stop)(void *context);

/// Adds Kindred's functions to a connection.
///
/// - `instr`, `replace`, `trim`, `ltrim`, `rtrim`: like SQLite's, but linear or interruptible; only if `replaces` is
///   not 0.
/// - `kindred_concat(a, b)`: `a || b`. Neither it nor `replace` builds a text of more than `built_length` bytes.
/// - `kindred_like`, `kindred_glob`: `LIKE` and `GLOB` with the arguments of SQLite's functions `like` and `glob`,
///   but interruptible. They can't use an index.
/// - `kindred_digest(x, …)`: a hash of 16 bytes of a list of values.
/// - `kindred_member(json, step)`, `kindred_member_value`, `kindred_member_shown`: the member of a name or the element of
///   an index as JSON, as a value, and as the JSON of that value; NULL if there is none, or the text isn't JSON.
/// - `kindred_contains(json, value, kind)`, `kindred_overlaps`: whether an array or object contains a value, which is
///   JSON if `kind` is 1, and a boolean if it is 2.
/// - `kindred_values(x, …)`: several parameters of `kindred_holds` as one;
/// - `kindred_holds(sql, x, …)`: whether a statement that only reads gives only true values for these parameters;
///   false where it can't be computed.
/// - `kindred_octets(table, column, rowid)`: the number of bytes of a stored text or BLOB, which is not read.
/// - `kindred_beginning(table, column, rowid, is_text, shown)`: a stored text or BLOB; of one that is longer than
///   `KINDRED_WHOLE_LENGTH`, a BLOB that stands for it: the mark, whether it is a text, its length, the rowid (as 64-bit
///   integers of this machine), and its first bytes.
/// - `floor`, `ceil`: only if SQLite was built without them.
///
/// SQLite checks deadlines only between instructions of its virtual machine, and a function call is one
/// instruction. So its own functions of this kind, which are quadratic in their arguments, could run for hours.
///
/// Returns SQLite's result code.
int kindred_add_functions(
  sqlite3 *db, kindred_must_stop must_stop, void *context, sqlite3_int64 built_length, int replaces
);

enum {
  /// The length up to which `kindred_beginning` gives the value itself, in bytes.
  KINDRED_WHOLE_LENGTH = 64 << 10,
  KINDRED_MARK_LENGTH = 16,
  /// The number of bytes before the first bytes of the value.
  KINDRED_BEGINNING = KINDRED_MARK_LENGTH + 3 * 8,
};

/// Returns the mark of values that stand for longer ones: random bytes of this process, which no stored value has.
const unsigned char *kindred_long_value_mark(void);
