#pragma once
#include <stddef.h>

/// A file of the explorer, as it stands in `assets`.
typedef struct {
  const char *name;
  const unsigned char *bytes;
  size_t length;
} kindred_explorer_file;

/// How many files there are.
size_t kindred_explorer_file_count(void);

/// The file of this number, from 0.
kindred_explorer_file kindred_explorer_file_at(size_t index);
