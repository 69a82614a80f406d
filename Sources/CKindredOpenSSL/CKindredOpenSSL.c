#include "CKindredOpenSSL.h"
