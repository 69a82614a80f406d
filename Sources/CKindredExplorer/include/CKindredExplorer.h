#pragma once
#include <stddef.h>

/// A file of the explorer with its content in `assets`.
typedef struct {
  const char *name;
  const unsigned char *bytes;
  size_t length;
} kindred_explorer_file;

/// Returns the number of files.
size_t kindred_explorer_file_count(void);

/// Returns the file at an index from 0.
kindred_explorer_file kindred_explorer_file_at(size_t index);
