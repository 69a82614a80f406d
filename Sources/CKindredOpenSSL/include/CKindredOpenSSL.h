#pragma once
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

/// The options of a server, as a function, because Swift doesn't import their macros.
/// A connection may end without `close_notify` (`IGNORE_UNEXPECTED_EOF`): HTTP's own framing tells whether a request is
/// complete (RFC 9112 §9.8).
static inline uint64_t kindred_tls_server_options(void) {
  return SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE |
         SSL_OP_PRIORITIZE_CHACHA | SSL_OP_IGNORE_UNEXPECTED_EOF;
}

/// The options of a client. The server may end a connection without `close_notify`, too: HTTP's framing tells whether
/// an answer is complete.
static inline uint64_t kindred_tls_client_options(void) {
  return SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF;
}

/// Sets the host name that a client sends to the server (RFC 6066 §3).
static inline long kindred_tls_set_server_name(SSL *session, const char *name) {
  return SSL_set_tlsext_host_name(session, name);
}
