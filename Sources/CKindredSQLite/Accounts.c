#include "CKindredSQLite.h"
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct kindred_account {
  atomic_int references;
  sqlite3_int64 memory;
  sqlite3_int64 memory_limit;
  sqlite3_int64 space;
  sqlite3_int64 space_limit;
  int exceeded;
};

// The account that this thread is charged to. It is retained, so that it stays valid if a thread fails to leave it.
static _Thread_local kindred_account *current;

kindred_account *kindred_account_create(void) {
  kindred_account *account = calloc(1, sizeof *account);
  if (account == NULL) return NULL;
  atomic_init(&account->references, 1);
  account->memory_limit = -1;
  account->space_limit = -1;
  return account;
}

static kindred_account *retain(kindred_account *account) {
  if (account != NULL) atomic_fetch_add_explicit(&account->references, 1, memory_order_relaxed);
  return account;
}

void kindred_account_release(kindred_account *account) {
  if (account == NULL) return;
  if (atomic_fetch_sub_explicit(&account->references, 1, memory_order_acq_rel) == 1) free(account);
}

void kindred_account_begin(kindred_account *account, sqlite3_int64 memory, sqlite3_int64 space) {
  account->memory = 0;
  account->memory_limit = memory;
  account->space = 0;
  account->space_limit = space;
  account->exceeded = KINDRED_WITHIN_LIMITS;
}

void kindred_account_enter(kindred_account *account) {
  if (current == account) return;
  kindred_account_release(current);
  current = retain(account);
}

void kindred_account_leave(kindred_account *account) {
  if (current != account) return;
  current = NULL;
  kindred_account_release(account);
}

int kindred_account_exceeded(const kindred_account *account) { return account->exceeded; }

// MARK: Memory (<https://www.sqlite.org/malloc.html>)

static sqlite3_mem_methods unaccounted;

static int has_memory(kindred_account *account, sqlite3_int64 bytes) {
  if (account->memory_limit < 0 || account->memory + bytes <= account->memory_limit) return 1;
  account->exceeded = KINDRED_MEMORY_EXCEEDED;
  return 0;
}

static void *charged_malloc(int bytes) {
  kindred_account *account = current;
  if (account == NULL) return unaccounted.xMalloc(bytes);
  if (!has_memory(account, bytes)) return NULL;
  void *memory = unaccounted.xMalloc(bytes);
  if (memory != NULL) account->memory += unaccounted.xSize(memory);
  return memory;
}

// Freeing memory from before the account began is credited too: the limit applies to the growth.
static void charged_free(void *memory) {
  kindred_account *account = current;
  if (account != NULL && memory != NULL) account->memory -= unaccounted.xSize(memory);
  unaccounted.xFree(memory);
}

static void *charged_realloc(void *memory, int bytes) {
  kindred_account *account = current;
  if (account == NULL) return unaccounted.xRealloc(memory, bytes);
  sqlite3_int64 before = unaccounted.xSize(memory);
  if (bytes > before && !has_memory(account, bytes - before)) return NULL;
  void *moved = unaccounted.xRealloc(memory, bytes);
  if (moved != NULL) account->memory += unaccounted.xSize(moved) - before;
  return moved;
}

static int charge_memory(void) {
  int code = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &unaccounted);
  if (code != SQLITE_OK) return code;
  sqlite3_mem_methods methods = unaccounted;
  methods.xMalloc = charged_malloc;
  methods.xFree = charged_free;
  methods.xRealloc = charged_realloc;
  return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
}

// MARK: Temporary files (<https://www.sqlite.org/vfs.html>)

const char *const kindred_vfs_name = "kindred";

// A temporary file; the file of the system's VFS follows it in memory.
typedef struct {
  sqlite3_file base;
  kindred_account *account;
  sqlite3_int64 size;
} temporary_file;

static sqlite3_vfs vfs;
static sqlite3_vfs *system_vfs;

static size_t prefix_size(void) {
  size_t alignment = _Alignof(max_align_t);
  return (sizeof(temporary_file) + alignment - 1) / alignment * alignment;
}

static sqlite3_file *system_file(sqlite3_file *file) { return (sqlite3_file *)((char *)file + prefix_size()); }

static void resize(temporary_file *file, sqlite3_int64 size) {
  file->account->space += size - file->size;
  file->size = size;
}

static int temporary_close(sqlite3_file *base) {
  temporary_file *file = (temporary_file *)base;
  sqlite3_file *real = system_file(base);
  int code = real->pMethods->xClose(real);
  resize(file, 0);
  kindred_account_release(file->account);
  file->account = NULL;
  return code;
}

static int temporary_read(sqlite3_file *base, void *buffer, int count, sqlite3_int64 offset) {
  sqlite3_file *real = system_file(base);
  return real->pMethods->xRead(real, buffer, count, offset);
}

static int temporary_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
  temporary_file *file = (temporary_file *)base;
  sqlite3_file *real = system_file(base);
  sqlite3_int64 end = offset + count;
  if (end > file->size) {
    kindred_account *account = file->account;
    if (account->space_limit >= 0 && account->space + end - file->size > account->space_limit) {
      account->exceeded = KINDRED_SPACE_EXCEEDED;
      return SQLITE_FULL;
    }
    resize(file, end);
  }
  return real->pMethods->xWrite(real, bytes, count, offset);
}

static int temporary_truncate(sqlite3_file *base, sqlite3_int64 size) {
  temporary_file *file = (temporary_file *)base;
  sqlite3_file *real = system_file(base);
  if (size < file->size) resize(file, size);
  return real->pMethods->xTruncate(real, size);
}

static int temporary_sync(sqlite3_file *base, int flags) {
  sqlite3_file *real = system_file(base);
  return real->pMethods->xSync(real, flags);
}

static int temporary_size(sqlite3_file *base, sqlite3_int64 *size) {
  sqlite3_file *real = system_file(base);
  return real->pMethods->xFileSize(real, size);
}

static int temporary_lock(sqlite3_file *base, int lock) {
  sqlite3_file *real = system_file(base);
  return real->pMethods->xLock(real, lock);
}

static int temporary_unlock(sqlite3_file *base, int lock) {
  sqlite3_file *real = system_file(base);
  return real->pMethods->xUnlock(real, lock);
}

static int temporary_check_lock(sqlite3_file *base, int *result) {
  sqlite3_file *real = system_file(base);
  return real->pMethods->xCheckReservedLock(real, result);
}

static int temporary_control(sqlite3_file *base, int operation, void *argument) {
  sqlite3_file *real = system_file(base);
  return real->pMethods->xFileControl(real, operation, argument);
}

static int temporary_sector_size(sqlite3_file *base) {
  sqlite3_file *real = system_file(base);
  return real->pMethods->xSectorSize(real);
}

static int temporary_characteristics(sqlite3_file *base) {
  sqlite3_file *real = system_file(base);
  return real->pMethods->xDeviceCharacteristics(real);
}

// Version 1 has neither memory maps nor shared memory, which temporary files don't need.
static const sqlite3_io_methods temporary_methods = {
  .iVersion = 1,
  .xClose = temporary_close,
  .xRead = temporary_read,
  .xWrite = temporary_write,
  .xTruncate = temporary_truncate,
  .xSync = temporary_sync,
  .xFileSize = temporary_size,
  .xLock = temporary_lock,
  .xUnlock = temporary_unlock,
  .xCheckReservedLock = temporary_check_lock,
  .xFileControl = temporary_control,
  .xSectorSize = temporary_sector_size,
  .xDeviceCharacteristics = temporary_characteristics,
};

static int open_file(sqlite3_vfs *self, const char *name, sqlite3_file *file, int flags, int *flags_out) {
  (void)self;
  int temporary =
    SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TRANSIENT_DB | SQLITE_OPEN_TEMP_JOURNAL | SQLITE_OPEN_SUBJOURNAL;
  kindred_account *account = current;
  if (account == NULL || (flags & temporary) == 0)
    return system_vfs->xOpen(system_vfs, name, file, flags, flags_out);
  sqlite3_file *real = system_file(file);
  file->pMethods = NULL;
  int code = system_vfs->xOpen(system_vfs, name, real, flags, flags_out);
  if (code != SQLITE_OK) {
    if (real->pMethods != NULL) real->pMethods->xClose(real);
    return code;
  }
  temporary_file *opened = (temporary_file *)file;
  opened->account = retain(account);
  opened->size = 0;
  file->pMethods = &temporary_methods;
  return SQLITE_OK;
}

int kindred_sqlite3_set_up(void) {
  // If SQLite is in use already, it refuses these two settings and keeps those it has.
  (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  (void)charge_memory();
  int code = sqlite3_initialize();
  if (code != SQLITE_OK) return code;
  system_vfs = sqlite3_vfs_find(NULL);
  if (system_vfs == NULL) return SQLITE_ERROR;
  vfs = *system_vfs;
  vfs.szOsFile = (int)prefix_size() + system_vfs->szOsFile;
  vfs.zName = kindred_vfs_name;
  vfs.pNext = NULL;
  vfs.xOpen = open_file;
  return sqlite3_vfs_register(&vfs, 0);
}
