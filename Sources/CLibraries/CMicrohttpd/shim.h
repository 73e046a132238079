// libmicrohttpd, the HTTP server library. Only what Swift cannot say itself: variadic functions, unions and macros.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <stdlib.h>
#include <gnutls/gnutls.h>
#include <gnutls/abstract.h>
#include <microhttpd.h>

// What `latchkey_http_start` hands to the variadic MHD_start_daemon. The strings must outlive the call.
struct latchkey_http_settings {
    void *context;
    unsigned int threads;
    unsigned int connection_limit;
    unsigned int idle_seconds;
    size_t connection_memory;
    // Chooses the certificate of each TLS connection; NULL for plain HTTP.
    gnutls_certificate_retrieve_function2 *retrieve;
    MHD_AccessHandlerCallback handle;
    void *(*begin)(void *context, const char *uri, struct MHD_Connection *connection);
    MHD_RequestCompletedCallback complete;
    MHD_NotifyConnectionCallback notify;
    MHD_LogCallback log;
};

// Paths and queries reach us as the client wrote them: `/a%2Fb` is not `/a/b`.
static size_t latchkey_http_keep_escapes(void *context, struct MHD_Connection *connection, char *text) {
    (void) context;
    (void) connection;
    return strlen(text);
}

// The library would store each parameter of a query in the connection's memory, and has none left for an answer when they
// fill it. Leaves it a query of one parameter.
static inline void latchkey_http_join_parameters(const char *query) {
    for (char *byte = (char *) query; *byte != '\0'; byte++)
        if (*byte == '&')
            *byte = '_';
}

// TLS 1.2 and 1.3 with AEAD ciphers, and key exchanges with forward secrecy, as GnuTLS writes it.
#define LATCHKEY_TLS_PRIORITIES \
    "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-CIPHER-ALL:+AES-256-GCM:+CHACHA20-POLY1305:+AES-128-GCM:-MAC-ALL:+AEAD:-RSA"

static inline struct MHD_Daemon *latchkey_http_start(const struct latchkey_http_settings *settings) {
    unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    struct MHD_OptionItem options[5];
    size_t count = 0;
    // "1" is refused as meaningless: one thread is what comes without a pool.
    if (settings->threads > 1)
        options[count++] = (struct MHD_OptionItem) { MHD_OPTION_THREAD_POOL_SIZE, (intptr_t) settings->threads, NULL };
    if (settings->retrieve != NULL) {
        flags |= MHD_USE_TLS;
        options[count++] = (struct MHD_OptionItem) { MHD_OPTION_HTTPS_CERT_CALLBACK, 0, (void *) settings->retrieve };
        options[count++] = (struct MHD_OptionItem) { MHD_OPTION_HTTPS_PRIORITIES, 0, LATCHKEY_TLS_PRIORITIES };
    }
    options[count] = (struct MHD_OptionItem) { MHD_OPTION_END, 0, NULL };
    return MHD_start_daemon(
        flags, 0, NULL, NULL, settings->handle, settings->context,
        // First, because the library writes what it says of earlier options to standard error.
        MHD_OPTION_EXTERNAL_LOGGER, settings->log, settings->context,
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_CONNECTION_LIMIT, settings->connection_limit,
        MHD_OPTION_CONNECTION_TIMEOUT, settings->idle_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->connection_memory,
        MHD_OPTION_URI_LOG_CALLBACK, settings->begin, settings->context,
        MHD_OPTION_UNESCAPE_CALLBACK, latchkey_http_keep_escapes, NULL,
        MHD_OPTION_NOTIFY_COMPLETED, settings->complete, settings->context,
        MHD_OPTION_NOTIFY_CONNECTION, settings->notify, settings->context,
        MHD_OPTION_ARRAY, options,
        MHD_OPTION_END);
}

static inline void *latchkey_http_socket_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}

// The context of the connection that a TLS session belongs to. libmicrohttpd makes the connection the session's pointer.
static inline void *latchkey_http_session_context(gnutls_session_t session) {
    struct MHD_Connection *connection = gnutls_session_get_ptr(session);
    return connection == NULL ? NULL : latchkey_http_socket_context(connection);
}

// A certificate chain and its key.
struct latchkey_http_certificate {
    gnutls_pcert_st *chain;
    unsigned int count;
    gnutls_privkey_t key;
    // Seconds since 1970.
    long long expiry;
};

enum { LATCHKEY_BAD_CERTIFICATE = 1, LATCHKEY_BAD_KEY = 2, LATCHKEY_FOREIGN_KEY = 3 };

static inline void latchkey_http_free_certificate(struct latchkey_http_certificate *certificate) {
    for (unsigned int i = 0; i < certificate->count; i++)
        gnutls_pcert_deinit(&certificate->chain[i]);
    free(certificate->chain);
    if (certificate->key != NULL)
        gnutls_privkey_deinit(certificate->key);
    memset(certificate, 0, sizeof *certificate);
}

static inline int latchkey_http_is_pair(gnutls_pcert_st *certificate, gnutls_privkey_t key) {
    unsigned char own[64], other[64];
    size_t own_size = sizeof own, other_size = sizeof other;
    gnutls_pubkey_t public_key;
    if (gnutls_pubkey_init(&public_key) < 0)
        return 0;
    int same = gnutls_pubkey_import_privkey(public_key, key, 0, 0) >= 0
        && gnutls_pubkey_get_key_id(public_key, 0, own, &own_size) >= 0
        && gnutls_pubkey_get_key_id(certificate->pubkey, 0, other, &other_size) >= 0
        && own_size == other_size && memcmp(own, other, own_size) == 0;
    gnutls_pubkey_deinit(public_key);
    return same;
}

// Reads a chain and its key from PEM text. Says with one of the numbers above what is wrong; 0 for nothing.
static inline int latchkey_http_load_certificate(
    struct latchkey_http_certificate *result, const void *chain, size_t chain_size, const void *key, size_t key_size) {
    gnutls_datum_t chain_text = { (unsigned char *) chain, (unsigned int) chain_size };
    gnutls_datum_t key_text = { (unsigned char *) key, (unsigned int) key_size };
    memset(result, 0, sizeof *result);
    unsigned int count = 16;
    result->chain = calloc(count, sizeof *result->chain);
    if (result->chain == NULL || gnutls_pcert_list_import_x509_raw(result->chain, &count, &chain_text, GNUTLS_X509_FMT_PEM, 0) < 0
        || count == 0) {
        latchkey_http_free_certificate(result);
        return LATCHKEY_BAD_CERTIFICATE;
    }
    result->count = count;
    gnutls_x509_crt_t leaf;
    if (gnutls_pcert_export_x509(&result->chain[0], &leaf) < 0) {
        latchkey_http_free_certificate(result);
        return LATCHKEY_BAD_CERTIFICATE;
    }
    result->expiry = gnutls_x509_crt_get_expiration_time(leaf);
    gnutls_x509_crt_deinit(leaf);
    if (gnutls_privkey_init(&result->key) < 0
        || gnutls_privkey_import_x509_raw(result->key, &key_text, GNUTLS_X509_FMT_PEM, NULL, 0) < 0) {
        latchkey_http_free_certificate(result);
        return LATCHKEY_BAD_KEY;
    }
    if (!latchkey_http_is_pair(&result->chain[0], result->key)) {
        latchkey_http_free_certificate(result);
        return LATCHKEY_FOREIGN_KEY;
    }
    return 0;
}

static inline int latchkey_http_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

static inline const struct sockaddr *latchkey_http_client(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info == NULL ? NULL : info->client_addr;
}

static inline size_t latchkey_http_head_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info == NULL ? 0 : info->header_size;
}

static inline void latchkey_http_forbid_chunks(struct MHD_Response *response) {
    MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
}

// Writes to the client past libmicrohttpd, which takes no answer while a body is arriving.
static inline ssize_t latchkey_http_send(struct MHD_Connection *connection, int tls, const void *data, size_t size) {
    if (!tls)
        return send(latchkey_http_socket(connection), data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    return info == NULL || info->tls_session == NULL ? -1 : gnutls_record_send(info->tls_session, data, size);
}

// How GnuTLS reads from a connection's socket.
static inline ssize_t latchkey_http_read(void *transport, void *data, size_t size) {
    return recv((int) (intptr_t) transport, data, size, 0);
}

static inline int latchkey_http_await_socket(void *transport, unsigned int milliseconds) {
    struct pollfd state = { (int) (intptr_t) transport, POLLIN, 0 };
    return poll(&state, 1, (int) milliseconds);
}

// Until the first bytes have arrived, what a connection receives from is its session, and what it sends to its socket.
static inline int latchkey_http_socket_of_session(void *session) {
    void *receiving = NULL, *sending = NULL;
    gnutls_transport_get_ptr2(session, &receiving, &sending);
    return (int) (intptr_t) sending;
}

static inline int latchkey_http_await_first(void *session, unsigned int milliseconds) {
    return latchkey_http_await_socket((void *) (intptr_t) latchkey_http_socket_of_session(session), milliseconds);
}

// Whether bytes begin with a method of HTTP. No record of TLS begins with a letter.
static inline int latchkey_http_is_method(const char *bytes, ssize_t count) {
    static const char *const methods[] = { "GET ", "POST ", "HEAD ", "PUT ", "PATCH ", "DELETE ", "OPTIONS ", "CONNECT ", "TRACE " };
    for (size_t index = 0; index < sizeof methods / sizeof *methods; index++) {
        size_t length = strlen(methods[index]);
        if (count >= (ssize_t) length && memcmp(bytes, methods[index], length) == 0)
            return 1;
    }
    return 0;
}

// Reads the first bytes of a connection. Those of plain HTTP are answered in plain HTTP, and then the connection ends.
static inline ssize_t latchkey_http_read_first(void *session, void *data, size_t size) {
    static const char text[] =
        "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 59\r\nConnection: close\r\n\r\n"
        "This port speaks https; write https:// in front of the URL\n";
    int socket = latchkey_http_socket_of_session(session);
    char start[8];
    ssize_t count = recv(socket, start, sizeof start, MSG_PEEK | MSG_DONTWAIT);
    // With no bytes yet, the next ones are still the first.
    if (count <= 0)
        return recv(socket, data, size, 0);
    void *transport = (void *) (intptr_t) socket;
    gnutls_transport_set_ptr2(session, transport, transport);
    gnutls_transport_set_pull_function(session, latchkey_http_read);
    gnutls_transport_set_pull_timeout_function(session, latchkey_http_await_socket);
    if (!latchkey_http_is_method(start, count))
        return recv(socket, data, size, 0);
    // Read once, so that the system does not discard the answer with the connection.
    char request[4096];
    (void) recv(socket, request, sizeof request, MSG_DONTWAIT);
    (void) send(socket, text, sizeof text - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    shutdown(socket, SHUT_WR);
    return 0;
}

// Has a new connection of TLS tell plain HTTP from TLS by its first bytes.
static inline void latchkey_http_recognize_plain(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    if (info == NULL || info->tls_session == NULL)
        return;
    void *session = info->tls_session;
    gnutls_transport_set_ptr2(session, session, (void *) (intptr_t) latchkey_http_socket(connection));
    gnutls_transport_set_pull_function(session, latchkey_http_read_first);
    gnutls_transport_set_pull_timeout_function(session, latchkey_http_await_first);
}

// Bytes that arrived and were not read.
static inline int latchkey_http_unread(int socket) {
    int count = 0;
    return ioctl(socket, FIONREAD, &count) == 0 ? count : 0;
}

// Milliseconds since data last arrived at a TCP socket, read or not; -1 for other sockets.
static inline long latchkey_http_since_data(int socket) {
    struct tcp_info info;
    // No more than is needed: the system copies it.
    socklen_t length = offsetof(struct tcp_info, tcpi_last_ack_recv);
    return getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 ? (long) info.tcpi_last_data_recv : -1;
}

// Whether the other end has closed the connection, or its own direction of it. POLLRDHUP, which needs _GNU_SOURCE, is EPOLLRDHUP.
static inline int latchkey_http_is_closed(int socket) {
    struct pollfd state = { socket, EPOLLRDHUP, 0 };
    return poll(&state, 1, 0) > 0;
}

// The user at the other end of a Unix-domain socket when it connected; -1 if the system does not tell. The struct is
// ucred of <sys/socket.h>, which needs _GNU_SOURCE.
static inline long long latchkey_http_peer_user(int socket) {
    struct { pid_t pid; uid_t uid; gid_t gid; } peer;
    socklen_t length = sizeof peer;
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 ? (long long)peer.uid : -1;
}

// Raises the soft limit of open files to the hard one, and says what it is then.
static inline unsigned long long latchkey_http_raise_file_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 1024;
    if (limit.rlim_cur < limit.rlim_max) {
        struct rlimit raised = { limit.rlim_max, limit.rlim_max };
        if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
            limit = raised;
    }
    return limit.rlim_cur;
}

// Has the system drop what asks a listening TCP socket for a new connection; the client asks again a second later. Connections
// that wait to be accepted stay.
static inline int latchkey_http_drop_new(int listener) {
    struct sock_filter drop = { BPF_RET | BPF_K, 0, 0, 0 };
    struct sock_fprog program = { 1, &drop };
    return setsockopt(listener, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

// accept4, which needs _GNU_SOURCE. Both flags have the same values as those of socket().
int accept4(int, struct sockaddr *, socklen_t *, int);
static inline int latchkey_http_accept_connection(int listener, struct sockaddr *address, socklen_t *length) {
    return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

// The lowest free number from `least` on.
static inline int latchkey_http_duplicate(int socket, int least) {
    return fcntl(socket, F_DUPFD_CLOEXEC, least);
}

static inline int latchkey_http_epoll_add(int epoll, int socket, unsigned int events, unsigned long long tag) {
    struct epoll_event event = { .events = events, .data.u64 = tag };
    return epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event);
}

static inline int latchkey_http_epoll_remove(int epoll, int socket) {
    return epoll_ctl(epoll, EPOLL_CTL_DEL, socket, NULL);
}

// Waits for one event; gives its tag, or 0 when the time is over.
static inline unsigned long long latchkey_http_epoll_wait(int epoll, int milliseconds) {
    struct epoll_event event;
    return epoll_wait(epoll, &event, 1, milliseconds) == 1 ? event.data.u64 : 0;
}

// Nanoseconds of a clock that only goes forward.
static inline long long latchkey_http_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

// Milliseconds of a clock that only goes forward; a few milliseconds coarse, and cheap.
static inline long long latchkey_http_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}
