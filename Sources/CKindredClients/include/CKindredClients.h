#pragma once
#include <stddef.h>

/// A text that is embedded in the program; it does not end with NUL.
typedef struct {
  const unsigned char *bytes;
  size_t length;
} kindred_client_text;

/// Returns the part of the TypeScript client that is the same for every database: its types and what runs.
kindred_client_text kindred_typescript_client(void);

/// Returns what tells which integers of a result are texts, for clients whose integers are texts.
kindred_client_text kindred_typescript_texts(void);

/// Returns what calls actions, for servers that have some.
kindred_client_text kindred_typescript_actions(void);

/// Returns the hook of React for live results.
kindred_client_text kindred_typescript_react(void);

/// Returns what the Python client imports.
kindred_client_text kindred_python_imports(void);

/// Returns the part of the Python client that is the same for every database.
kindred_client_text kindred_python_client(void);
