#include "CKindredBuild.h"

// In a file of its own, so that another commit compiles only this one again.
#ifndef KINDRED_COMMIT
#define KINDRED_COMMIT ""
#endif

const char *const kindred_commit = KINDRED_COMMIT;
