#pragma once
#include <stddef.h>

/// The least that an answer can cost: SQLite's functions and a buffer, for one database on one thread.
typedef struct floor_state floor_state;

/// Opens a database; NULL where that can't be done.
floor_state *floor_open(const char *path);

/// Writes the answer of a route (`b` to `g`) into memory and gives its length; `n` chooses the record of `b`.
/// The bytes are valid until the next call. Negative where there is no such route.
long floor_run(floor_state *state, char route, int n, const char **bytes);

void floor_close(floor_state *state);

/// How often this thread has asked for memory.
long floor_allocations(void);
