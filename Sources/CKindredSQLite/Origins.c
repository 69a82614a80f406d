#include "include/KindredFunctions.h"

// Not every library has them.
#ifdef __APPLE__
extern const char *sqlite3_column_table_name(sqlite3_stmt *, int) __attribute__((weak_import));
extern const char *sqlite3_column_origin_name(sqlite3_stmt *, int) __attribute__((weak_import));
#else
#pragma weak sqlite3_column_table_name
#pragma weak sqlite3_column_origin_name
#endif

const char *kindred_origin_table(sqlite3_stmt *statement, int column) {
  return sqlite3_column_table_name ? sqlite3_column_table_name(statement, column) : 0;
}

const char *kindred_origin_column(sqlite3_stmt *statement, int column) {
  return sqlite3_column_origin_name ? sqlite3_column_origin_name(statement, column) : 0;
}
