#include "CFloor.h"

// The C library's functions under other names, so that everything in the process is counted: Swift's objects,
// SQLite's, those of the floor. Other C libraries have no such names; there nothing is counted.
#if defined(__GLIBC__) || defined(__gnu_linux__)
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static _Thread_local long count;

void *malloc(size_t size) { count++; return __libc_malloc(size); }
void *calloc(size_t number, size_t size) { count++; return __libc_calloc(number, size); }
void *realloc(void *memory, size_t size) { count++; return __libc_realloc(memory, size); }

long floor_allocations(void) { return count; }
#else
long floor_allocations(void) { return 0; }
#endif
