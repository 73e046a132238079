// OpenSSL 3: digests, MACs, key derivation, AEAD, signatures, TLS.
#pragma once
#include <openssl/evp.h>

// TLS: macros that Swift cannot import, and nothing more.
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

static inline EVP_PKEY *latchkey_tls_generate_p256(void) { return EVP_EC_gen("P-256"); }
static inline int latchkey_tls_require_version_1_2(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}
static inline size_t latchkey_tls_pending(BIO *bio) { return BIO_ctrl_pending(bio); }
static inline void latchkey_tls_set_no_renegotiation(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
}
// An empty memory BIO means "more may come", not the end of the stream.
static inline void latchkey_tls_empty_means_wait(BIO *bio) { BIO_set_mem_eof_return(bio, -1); }
static inline long latchkey_tls_memory(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }
// Adds an extension as openssl.cnf would write it; the certificate is its own issuer.
static inline int latchkey_tls_add_extension(X509 *certificate, int nid, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, certificate, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    if (extension == NULL) return 0;
    int added = X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    return added;
}
