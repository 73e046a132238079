// libidn2: internationalised domain names (IDNA 2008, RFC 5891).
#pragma once
#include <idn2.h>
