#include "Resources.h"
static const unsigned char license[] = {
#embed "../../.gitignore"
};
static const latchkey_resource resources[] = {{"x", license, sizeof license}};
const latchkey_resource *latchkey_resources(size_t *count) { *count = 1; return resources; }
