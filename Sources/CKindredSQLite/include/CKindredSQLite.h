#pragma once
#include <sqlite3.h>
#include "KindredAccounts.h"
#include "KindredFunctions.h"

/// `sqlite3_db_config` is variadic, which Swift cannot call. For the options that take a switch.
static inline int kindred_sqlite3_db_config(sqlite3 *db, int option, int isOn) {
  return sqlite3_db_config(db, option, isOn, (int *)0);
}

/// `SQLITE_READONLY_DIRECTORY` is an expression of macros, which Swift does not import.
static inline int kindred_sqlite3_readonly_directory(void) { return SQLITE_READONLY_DIRECTORY; }

/// `SQLITE_TRANSIENT` is a cast macro, which Swift does not import.
static inline sqlite3_destructor_type kindred_sqlite3_transient(void) { return SQLITE_TRANSIENT; }
