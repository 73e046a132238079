// libcurl: SMTP submission and outgoing HTTPS.
#pragma once
#include <curl/curl.h>
