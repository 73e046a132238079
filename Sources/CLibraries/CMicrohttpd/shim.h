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
#include <string.h>
#include <time.h>
#include <microhttpd.h>

// What `latchkey_http_start` hands to the variadic MHD_start_daemon. The strings must outlive the call.
struct latchkey_http_settings {
    void *context;
    int listening_socket;
    unsigned int threads;
    unsigned int connection_limit;
    unsigned int idle_seconds;
    size_t connection_memory;
    const char *certificate;
    const char *key;
    MHD_AcceptPolicyCallback accept;
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
    unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    struct MHD_OptionItem options[5];
    size_t count = 0;
    // "1" is refused as meaningless: one thread is what comes without a pool.
    if (settings->threads > 1)
        options[count++] = (struct MHD_OptionItem) { MHD_OPTION_THREAD_POOL_SIZE, (intptr_t) settings->threads, NULL };
    if (settings->certificate != NULL) {
        flags |= MHD_USE_TLS;
        options[count++] = (struct MHD_OptionItem) { MHD_OPTION_HTTPS_MEM_KEY, 0, (void *) settings->key };
        options[count++] = (struct MHD_OptionItem) { MHD_OPTION_HTTPS_MEM_CERT, 0, (void *) settings->certificate };
        options[count++] = (struct MHD_OptionItem) { MHD_OPTION_HTTPS_PRIORITIES, 0, LATCHKEY_TLS_PRIORITIES };
    }
    options[count] = (struct MHD_OptionItem) { MHD_OPTION_END, 0, NULL };
    return MHD_start_daemon(
        flags, 0, settings->accept, settings->context, settings->handle, settings->context,
        // First, because the library writes what it says of earlier options to standard error.
        MHD_OPTION_EXTERNAL_LOGGER, settings->log, settings->context,
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_LISTEN_SOCKET, (MHD_socket) settings->listening_socket,
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

// libmicrohttpd sends TLS through GnuTLS, whose headers are not needed for one call.
extern ssize_t gnutls_record_send(void *session, const void *data, size_t size);

// Writes to the client past libmicrohttpd, which takes no answer while a body is arriving.
static inline ssize_t latchkey_http_send(struct MHD_Connection *connection, int tls, const void *data, size_t size) {
    if (!tls)
        return send(latchkey_http_socket(connection), data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    return info == NULL || info->tls_session == NULL ? -1 : gnutls_record_send(info->tls_session, data, size);
}

// The calls by which GnuTLS reads from a connection's socket.
extern void gnutls_transport_get_ptr2(void *session, void **receiving, void **sending);
extern void gnutls_transport_set_ptr2(void *session, void *receiving, void *sending);
extern void gnutls_transport_set_pull_function(void *session, ssize_t (*pull)(void *transport, void *data, size_t size));
extern void gnutls_transport_set_pull_timeout_function(void *session, int (*await)(void *transport, unsigned int milliseconds));

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

// Whether the other end has closed the connection, or its own direction of it. POLLRDHUP, which needs _GNU_SOURCE, is EPOLLRDHUP.
static inline int latchkey_http_is_closed(int socket) {
    struct pollfd state = { socket, EPOLLRDHUP, 0 };
    return poll(&state, 1, 0) > 0;
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

// Tells one open file from another that was given the same number; 0 for none.
static inline unsigned long long latchkey_http_identity(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 ? status.st_ino : 0;
}

// Has the system drop what asks a listening TCP socket for a new connection; the client asks again a second later. Connections
// that wait to be accepted stay.
static inline int latchkey_http_drop_new(int listener) {
    struct sock_filter drop = { BPF_RET | BPF_K, 0, 0, 0 };
    struct sock_fprog program = { 1, &drop };
    return setsockopt(listener, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

static inline int latchkey_http_duplicate(int socket) {
    return fcntl(socket, F_DUPFD_CLOEXEC, 0);
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

// Milliseconds of a clock that only goes forward; a few milliseconds coarse, and cheap.
static inline long long latchkey_http_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}
