#pragma once
#include <stddef.h>

/// A text that is embedded in the program; it does not end with NUL.
typedef struct {
  const unsigned char *bytes;
  size_t length;
} kindred_client_text;

/// Returns the part of the TypeScript client that is the same for every database: its types and what runs.
kindred_client_text kindred_typescript_client(void);
