// Files embedded in the binary, so that it runs alone.
#pragma once
#include <stddef.h>

/// One embedded file: its path below the project's root, and its bytes.
typedef struct {
    const char *path;
    const unsigned char *bytes;
    size_t count;
} latchkey_resource;

/// The embedded files, sorted by path; `*count` receives their number.
const latchkey_resource *latchkey_resources(size_t *count);
