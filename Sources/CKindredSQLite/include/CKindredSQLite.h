#pragma once
#include <sqlite3.h>
#include "KindredAccounts.h"
#include "KindredFunctions.h"

/// Calls `sqlite3_db_config`, which is variadic and so not available in Swift, for options that are switches.
static inline int kindred_sqlite3_db_config(sqlite3 *db, int option, int isOn) {
  return sqlite3_db_config(db, option, isOn, (int *)0);
}

/// Returns `SQLITE_READONLY_DIRECTORY`, an expression of macros that Swift does not import.
static inline int kindred_sqlite3_readonly_directory(void) { return SQLITE_READONLY_DIRECTORY; }

/// Returns `SQLITE_TRANSIENT`, a cast macro that Swift does not import.
static inline sqlite3_destructor_type kindred_sqlite3_transient(void) { return SQLITE_TRANSIENT; }
