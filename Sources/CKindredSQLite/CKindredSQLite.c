#include "CKindredSQLite.h"
