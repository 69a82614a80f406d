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

/// The options of a server: macros with arguments, which Swift does not import.
/// A client that ends the connection without saying so ends it (`IGNORE_UNEXPECTED_EOF`): HTTP's own framing
/// tells whether a request is whole (RFC 9112 §9.8).
static inline uint64_t kindred_tls_server_options(void) {
  return SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE |
         SSL_OP_PRIORITIZE_CHACHA | SSL_OP_IGNORE_UNEXPECTED_EOF;
}

/// The options of a client: a server that ends the connection without saying so ends it, as HTTP's own framing tells
/// whether an answer is whole.
static inline uint64_t kindred_tls_client_options(void) {
  return SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF;
}

/// Names the host that a client means (RFC 6066 §3).
static inline long kindred_tls_set_server_name(SSL *session, const char *name) {
  return SSL_set_tlsext_host_name(session, name);
}
