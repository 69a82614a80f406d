#pragma once
#include <sqlite3.h>

/// Whether the statements of a connection must stop.
typedef int (*kindred_must_stop)(void *context);

/// Adds Kindred's functions to a connection.
///
/// - `instr`, `replace`, `trim`, `ltrim`, `rtrim`: those of SQLite, in linear time or stoppable.
/// - `kindred_concat(a, b)`: `a || b`. It and `replace` build no text of more than `built_length` bytes.
/// - `kindred_like`, `kindred_glob`: `LIKE` and `GLOB` with the arguments of SQLite's functions `like` and `glob`,
///   stoppable. They can't use an index.
/// - `kindred_digest(x, …)`: 16 bytes that tell lists of values apart.
/// - `floor`, `ceil`: where SQLite was built without them.
///
/// SQLite looks at deadlines between two instructions of its virtual machine only; a function call is one instruction,
/// so its own functions of this kind, quadratic in their arguments, could run for hours.
///
/// Returns an error code of SQLite.
int kindred_add_functions(
  sqlite3 *db, kindred_must_stop must_stop, void *context, sqlite3_int64 built_length
);
