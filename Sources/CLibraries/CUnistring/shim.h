// libunistring: Unicode normalisation and case mapping.
#pragma once
#include <stdlib.h>
#include <unicase.h>
#include <uninorm.h>
#include <unictype.h>

// The forms are globals of an incomplete type, which Swift cannot name. Each result is to be freed.

static inline uint8_t *latchkey_u8_nfc(const uint8_t *text, size_t count, size_t *result_count) {
    return u8_normalize(UNINORM_NFC, text, count, NULL, result_count);
}

static inline uint8_t *latchkey_u8_nfkc(const uint8_t *text, size_t count, size_t *result_count) {
    return u8_normalize(UNINORM_NFKC, text, count, NULL, result_count);
}

// Lower case without the rules of any one language, then NFC.
static inline uint8_t *latchkey_u8_lower_nfc(const uint8_t *text, size_t count, size_t *result_count) {
    return u8_tolower(text, count, NULL, UNINORM_NFC, NULL, result_count);
}

static inline void latchkey_u8_free(uint8_t *text) { free(text); }
