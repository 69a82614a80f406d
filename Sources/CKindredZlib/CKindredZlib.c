#include "CKindredZlib.h"
