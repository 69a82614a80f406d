#pragma once

/// The commit that the program was built from; empty if the build wasn't told.
extern const char *const kindred_commit;
