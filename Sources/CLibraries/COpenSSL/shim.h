// OpenSSL 3: digests, MACs, key derivation, AEAD, signatures, TLS.
#pragma once
#include <limits.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/param_build.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

// Macros and variadic functions are not imported by Swift, and OSSL_PARAM lists hold pointers that must outlive the
// call: each such step is one function here, without any policy.

static inline EVP_PKEY *latchkey_generate_p256(void) {
    return EVP_EC_gen("P-256");
}

static inline EVP_PKEY *latchkey_generate_ed25519(void) {
    return EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
}

static inline EVP_PKEY *latchkey_generate_rsa(unsigned int bits) {
    return EVP_RSA_gen(bits);
}

// A MAC context that holds the key; to be duplicated for every message.
static inline EVP_MAC_CTX *latchkey_hmac_sha256_new(EVP_MAC *hmac, const unsigned char *key, size_t length) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_end(),
    };
    EVP_MAC_CTX *context = EVP_MAC_CTX_new(hmac);
    // A NULL key would mean "keep the one set before".
    if (context != NULL && !EVP_MAC_init(context, key == NULL ? (const unsigned char *)"" : key, length, parameters)) {
        EVP_MAC_CTX_free(context);
        return NULL;
    }
    return context;
}

static inline int latchkey_hkdf_sha256(
    EVP_KDF *hkdf,
    const unsigned char *secret, size_t secret_length,
    const unsigned char *salt, size_t salt_length,
    const unsigned char *info, size_t info_length,
    unsigned char *output, size_t output_length
) {
    OSSL_PARAM parameters[5], *next = parameters;
    *next++ = OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)"SHA256", 0);
    *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)secret, secret_length);
    // OpenSSL 3.0 refuses empty octet strings: leaving them out means the same (RFC 5869).
    if (salt_length > 0)
        *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, salt_length);
    if (info_length > 0)
        *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, info_length);
    *next = OSSL_PARAM_construct_end();
    EVP_KDF_CTX *context = EVP_KDF_CTX_new(hkdf);
    int done = context != NULL && EVP_KDF_derive(context, output, output_length, parameters) > 0;
    EVP_KDF_CTX_free(context);
    return done;
}

static inline int latchkey_is_p256(const EVP_PKEY *key) {
    char group[32];
    size_t length = 0;
    return EVP_PKEY_is_a(key, "EC")
        && EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, group, sizeof group, &length)
        && OPENSSL_strcasecmp(group, "prime256v1") == 0;
}

// Writes an integer of the key, big endian: `width` bytes, or as few as needed when `width` is 0.
// Returns the count of bytes written, or -1.
static inline int latchkey_integer(const EVP_PKEY *key, const char *name, unsigned char *output, int capacity, int width) {
    BIGNUM *number = NULL;
    int written = -1;
    if (EVP_PKEY_get_bn_param(key, name, &number)) {
        int needed = width > 0 ? width : BN_num_bytes(number);
        if (needed <= capacity) written = BN_bn2binpad(number, output, needed);
    }
    BN_clear_free(number);
    return written;
}

static inline EVP_PKEY *latchkey_public_key(const char *type, OSSL_PARAM *parameters) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    if (context != NULL && parameters != NULL && EVP_PKEY_fromdata_init(context) > 0
        && EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) <= 0) {
        EVP_PKEY_free(key);
        key = NULL;
    }
    EVP_PKEY_CTX_free(context);
    return key;
}

// `point` is the uncompressed form, 0x04 || x || y. A point that is not on the curve gives NULL.
static inline EVP_PKEY *latchkey_p256_public(const unsigned char *point, size_t length) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)"prime256v1", 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, length),
        OSSL_PARAM_construct_end(),
    };
    return latchkey_public_key("EC", parameters);
}

static inline EVP_PKEY *latchkey_rsa_public(
    const unsigned char *modulus, int modulus_length,
    const unsigned char *exponent, int exponent_length
) {
    EVP_PKEY *key = NULL;
    BIGNUM *n = BN_bin2bn(modulus, modulus_length, NULL), *e = BN_bin2bn(exponent, exponent_length, NULL);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    if (n != NULL && e != NULL && builder != NULL
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n)
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e)) {
        OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
        key = latchkey_public_key("RSA", parameters);
        OSSL_PARAM_free(parameters);
    }
    OSSL_PARAM_BLD_free(builder);
    BN_free(n);
    BN_free(e);
    return key;
}

// Checks that the public part belongs to the private part.
static inline int latchkey_pair_belongs(EVP_PKEY *key) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    int belongs = context != NULL && EVP_PKEY_pairwise_check(context) > 0;
    EVP_PKEY_CTX_free(context);
    return belongs;
}

// PKCS#8 PrivateKeyInfo, DER. Returns its length and gives a buffer to be freed by latchkey_clear_free, or -1.
static inline int latchkey_pkcs8_export(const EVP_PKEY *key, unsigned char **output) {
    PKCS8_PRIV_KEY_INFO *info = EVP_PKEY2PKCS8(key);
    int length = -1;
    *output = NULL;
    if (info != NULL) length = i2d_PKCS8_PRIV_KEY_INFO(info, output);
    PKCS8_PRIV_KEY_INFO_free(info);
    return length;
}

// Reads a PKCS#8 PrivateKeyInfo that fills `bytes` to the last byte.
static inline EVP_PKEY *latchkey_pkcs8_import(const unsigned char *bytes, size_t length) {
    const unsigned char *end = bytes;
    if (bytes == NULL || length == 0 || length > INT_MAX) return NULL;
    PKCS8_PRIV_KEY_INFO *info = d2i_PKCS8_PRIV_KEY_INFO(NULL, &end, (long)length);
    EVP_PKEY *key = info != NULL && end == bytes + length ? EVP_PKCS82PKEY(info) : NULL;
    PKCS8_PRIV_KEY_INFO_free(info);
    return key;
}

static inline void latchkey_clear_free(void *memory, size_t length) {
    OPENSSL_clear_free(memory, length);
}

// PKCS #1 v1.5 with SHA-256, for a context initialised to sign or to verify.
static inline int latchkey_use_rs256(EVP_PKEY_CTX *context, const EVP_MD *sha256) {
    return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) > 0
        && EVP_PKEY_CTX_set_signature_md(context, sha256) > 0;
}

static inline int latchkey_gcm_set_tag(EVP_CIPHER_CTX *context, int length, void *tag) {
    return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, length, tag);
}

static inline int latchkey_gcm_get_tag(EVP_CIPHER_CTX *context, int length, void *tag) {
    return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, length, tag);
}

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

// Reads the next block of a PEM text: a public key, or a certificate for its key. NULL where there is no block any more
// (then *is_end is 1) or the block is no such thing.
static inline EVP_PKEY *latchkey_next_public_key(BIO *input, int *is_end) {
    char *name = NULL, *header = NULL;
    unsigned char *data = NULL;
    long length = 0;
    EVP_PKEY *key = NULL;
    *is_end = 0;
    ERR_clear_error();
    if (!PEM_read_bio(input, &name, &header, &data, &length)) {
        *is_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
        return NULL;
    }
    const unsigned char *bytes = data;
    if (strcmp(name, PEM_STRING_PUBLIC) == 0) {
        key = d2i_PUBKEY(NULL, &bytes, length);
    } else if (strcmp(name, PEM_STRING_RSA_PUBLIC) == 0) {
        key = d2i_PublicKey(EVP_PKEY_RSA, NULL, &bytes, length);
    } else if (strcmp(name, PEM_STRING_X509) == 0) {
        X509 *certificate = d2i_X509(NULL, &bytes, length);
        if (certificate != NULL) key = X509_get_pubkey(certificate);
        X509_free(certificate);
    }
    OPENSSL_free(name);
    OPENSSL_free(header);
    OPENSSL_clear_free(data, (size_t)length);
    return key;
}
