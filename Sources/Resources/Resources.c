// Made by Scripts/embed-resources (`make resources`); do not edit.
#include "Resources.h"

// sha256 471a3e6ffa6ba8d329ba369277bab2005772524b93583f1cc3f42d9082ab597e
static const unsigned char Templates_pages_style_css[] = {
#embed "../../Templates/pages/style.css"
};

static const latchkey_resource resources[] = {
    {"Templates/pages/style.css", Templates_pages_style_css, sizeof Templates_pages_style_css},
};

const latchkey_resource *latchkey_resources(size_t *count) {
    *count = sizeof resources / sizeof *resources;
    return resources;
}
