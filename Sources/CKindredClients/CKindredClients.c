#include "CKindredClients.h"

// `#embed` is part of C23 (ISO/IEC 9899:2024, 6.10.4); clang supports it in all modes.
#pragma clang diagnostic ignored "-Wc23-extensions"

#define CLIENT_TEXT(function, bytes) \
  kindred_client_text function(void) { return (kindred_client_text){bytes, sizeof bytes}; }

static const unsigned char client_ts[] = {
#embed "assets/types.ts" suffix(, '\n', )
#embed "assets/methods.ts" suffix(, '\n', )
#embed "assets/values.ts" suffix(, '\n', )
#embed "assets/requests.ts" suffix(, '\n', )
#embed "assets/server.ts" suffix(, '\n', )
#embed "assets/client.ts"
};
CLIENT_TEXT(kindred_typescript_client, client_ts)

static const unsigned char texts_ts[] = {
#embed "assets/texts.ts"
};
CLIENT_TEXT(kindred_typescript_texts, texts_ts)

static const unsigned char actions_ts[] = {
#embed "assets/actions.ts"
};
CLIENT_TEXT(kindred_typescript_actions, actions_ts)

static const unsigned char react_ts[] = {
#embed "assets/react.ts"
};
CLIENT_TEXT(kindred_typescript_react, react_ts)

static const unsigned char imports_py[] = {
#embed "assets/imports.py"
};
CLIENT_TEXT(kindred_python_imports, imports_py)

static const unsigned char python_py[] = {
#embed "assets/python.py"
};
CLIENT_TEXT(kindred_python_client, python_py)
