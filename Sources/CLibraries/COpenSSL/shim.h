// OpenSSL 3: digests, MACs, key derivation, AEAD, signatures, TLS.
#pragma once
#include <openssl/evp.h>
