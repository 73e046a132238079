// libcurl: SMTP submission and outgoing HTTPS.
#pragma once
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo are variadic, which Swift does not import: one wrapper for each type of value.
typedef size_t (*latchkey_curl_data_function)(char *data, size_t size, size_t count, void *context);
typedef int (*latchkey_curl_debug_function)(CURL *handle, curl_infotype type, char *data, size_t size, void *context);
typedef int (*latchkey_curl_progress_function)(
    void *context, curl_off_t total, curl_off_t now, curl_off_t upload_total, curl_off_t upload_now);
typedef curl_socket_t (*latchkey_curl_socket_function)(
    void *context, curlsocktype purpose, struct curl_sockaddr *address);

static inline CURLcode latchkey_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode latchkey_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode latchkey_curl_set_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode latchkey_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode latchkey_curl_set_data_function(
    CURL *handle, CURLoption option, latchkey_curl_data_function value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode latchkey_curl_set_debug_function(CURL *handle, latchkey_curl_debug_function value) {
    return curl_easy_setopt(handle, CURLOPT_DEBUGFUNCTION, value);
}
static inline CURLcode latchkey_curl_set_progress_function(CURL *handle, latchkey_curl_progress_function value) {
    return curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, value);
}
static inline CURLcode latchkey_curl_set_socket_function(CURL *handle, latchkey_curl_socket_function value) {
    return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, value);
}
static inline CURLcode latchkey_curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode latchkey_curl_get_socket(CURL *handle, curl_socket_t *value) {
    return curl_easy_getinfo(handle, CURLINFO_ACTIVESOCKET, value);
}
