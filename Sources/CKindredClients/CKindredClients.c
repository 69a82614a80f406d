#include "CKindredClients.h"

// `#embed` is part of C23 (ISO/IEC 9899:2024, 6.10.4); clang supports it in all modes.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char client_ts[] = {
#embed "assets/types.ts" suffix(, '\n', )
#embed "assets/runtime.ts"
};

kindred_client_text kindred_typescript_client(void) {
  return (kindred_client_text){client_ts, sizeof client_ts};
}
