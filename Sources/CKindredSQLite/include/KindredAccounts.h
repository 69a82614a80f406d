#pragma once
#include <sqlite3.h>

/// What the statements of one connection may hold, and what they hold.
///
/// While a thread is inside of an account, SQLite's memory and temporary files are charged to it. What would exceed
/// its limits fails with `SQLITE_NOMEM` or `SQLITE_FULL`, and `kindred_account_exceeded` tells why.
typedef struct kindred_account kindred_account;

/// Which limit was exceeded.
enum { KINDRED_WITHIN_LIMITS, KINDRED_MEMORY_EXCEEDED, KINDRED_SPACE_EXCEEDED };

/// Sets SQLite up for accounts. To be called before any other function of SQLite.
///
/// Memory statistics are turned off: they stand behind one mutex for the whole process. If SQLite has been initialised
/// already, its memory can't be charged any more, and accounts limit temporary files alone.
///
/// Returns an error code of SQLite.
int kindred_sqlite3_set_up(void);

/// The name of the VFS that charges temporary files: SQLite's default one otherwise.
extern const char *const kindred_vfs_name;

/// An account of no limits; null where there is no memory.
kindred_account *kindred_account_create(void);

/// Gives up a reference; the last one frees the account.
void kindred_account_release(kindred_account *account);

/// Begins anew: nothing is charged yet, and nothing exceeded. Limits are in bytes; negative ones are none.
void kindred_account_begin(kindred_account *account, sqlite3_int64 memory, sqlite3_int64 space);

/// Has what this thread allocates from now on charged to the account.
void kindred_account_enter(kindred_account *account);

/// Ends that.
void kindred_account_leave(kindred_account *account);

/// The limit that was exceeded since the account began.
int kindred_account_exceeded(const kindred_account *account);
