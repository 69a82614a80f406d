#pragma once
#include <sqlite3.h>

/// The memory and temporary files that the statements of a connection use, and their limits.
///
/// While a thread has entered an account, SQLite's memory and temporary files are charged to it. Exceeding a limit
/// fails with `SQLITE_NOMEM` or `SQLITE_FULL`, and `kindred_account_exceeded` returns the limit.
typedef struct kindred_account kindred_account;

/// The limit that was exceeded.
enum { KINDRED_WITHIN_LIMITS, KINDRED_MEMORY_EXCEEDED, KINDRED_SPACE_EXCEEDED };

/// Configures SQLite for accounts. Call it before any other function of SQLite.
///
/// Memory statistics are turned off, because every allocation would lock one mutex of the process. If SQLite has
/// been initialized already, its memory can't be charged, and accounts limit temporary files only.
///
/// Returns SQLite's result code.
int kindred_sqlite3_set_up(void);

/// The name of the VFS that charges temporary files, and otherwise acts as SQLite's default one.
extern const char *const kindred_vfs_name;

/// Returns an account without limits; null if there is no memory.
kindred_account *kindred_account_create(void);

/// Releases a reference; the last one frees the account.
void kindred_account_release(kindred_account *account);

/// Resets an account and sets its limits in bytes; a negative limit means none.
void kindred_account_begin(kindred_account *account, sqlite3_int64 memory, sqlite3_int64 space);

/// Charges this thread's further allocations to the account.
void kindred_account_enter(kindred_account *account);

/// Stops charging this thread's allocations to the account.
void kindred_account_leave(kindred_account *account);

/// Returns the limit that has been exceeded since the account began.
int kindred_account_exceeded(const kindred_account *account);
