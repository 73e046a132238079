// The floor of a guest's sign-up: what the machine must do at least, in C and without any care.
//
// Answers each HTTP request from epoll: two INSERTs into a database of Latchkey's (as many as wait share a commit), one
// P-256 signature, and a response of the same length. It checks nothing, and understands no HTTP beyond Content-Length.
//
//     sign-up PORT DATABASE THREADS
//
// At SIGTERM it prints the number of sign-ups and of commits.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { most_threads = 64, most_descriptors = 65536, largest_request = 4096, largest_batch = 512 };
// As Latchkey's defaults: the log's size in pages from which it is copied back, and the writer's cache in KiB.
enum { checkpoint_pages = 16000, writer_cache = 8192 };

struct thread {
    int epoll, wake;
    pthread_mutex_t lock;
    struct connection *done;  // Committed, to be answered by this thread.
};

struct connection {
    int socket;
    struct thread *thread;
    struct connection *next;
    int waits, is_over;  // For its answer; its client has left.
    size_t received;
    char request[largest_request];
    char uid[29], sid[33];
};

static struct thread threads[most_threads];
static const char *database;
static EVP_PKEY *key;
static volatile sig_atomic_t ended;
static unsigned long sign_ups, commits;

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queue_filled = PTHREAD_COND_INITIALIZER;
static struct connection *queue, **queue_end = &queue;
static int writer_sleeps;

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t log_filled = PTHREAD_COND_INITIALIZER;
static int log_pages;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void check(sqlite3 *db, int code) {
    if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE) {
        fprintf(stderr, "SQLite: %s\n", sqlite3_errmsg(db));
        exit(1);
    }
}

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

// MARK: Database

static sqlite3 *open_database(void) {
    sqlite3 *db;
    check(NULL, sqlite3_open_v2(database, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL));
    check(db, sqlite3_exec(db,
        "PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
        "PRAGMA wal_autocheckpoint = 0", NULL, NULL, NULL));
    return db;
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *text) {
    sqlite3_stmt *statement;
    check(db, sqlite3_prepare_v3(db, text, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL));
    return statement;
}

static void run(sqlite3 *db, sqlite3_stmt *statement) {
    check(db, sqlite3_step(statement));
    sqlite3_reset(statement);
}

static int committed(void *context, sqlite3 *db, const char *name, int pages) {
    (void)context, (void)db, (void)name;
    if (pages > checkpoint_pages) {
        pthread_mutex_lock(&log_lock);
        log_pages = pages;
        pthread_mutex_unlock(&log_lock);
        pthread_cond_signal(&log_filled);
    }
    return SQLITE_OK;
}

static void *checkpoint(void *context) {
    (void)context;
    sqlite3 *db = open_database();
    while (!ended) {
        pthread_mutex_lock(&log_lock);
        while (!log_pages) pthread_cond_wait(&log_filled, &log_lock);
        log_pages = 0;
        pthread_mutex_unlock(&log_lock);
        sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    }
    return NULL;
}

static struct connection *take_batch(void) {
    pthread_mutex_lock(&queue_lock);
    while (!queue) {
        writer_sleeps = 1;
        pthread_cond_wait(&queue_filled, &queue_lock);
    }
    writer_sleeps = 0;
    struct connection *batch = queue, *last = batch;
    for (int count = 1; count < largest_batch && last->next; count++) last = last->next;
    queue = last->next;
    if (!queue) queue_end = &queue;
    last->next = NULL;
    pthread_mutex_unlock(&queue_lock);
    return batch;
}

static void *write_batches(void *context) {
    (void)context;
    sqlite3 *db = open_database();
    char cache[64];
    snprintf(cache, sizeof cache, "PRAGMA cache_size = -%d", writer_cache);
    check(db, sqlite3_exec(db, cache, NULL, NULL, NULL));
    sqlite3_wal_hook(db, committed, NULL);
    sqlite3_stmt *begin = prepare(db, "BEGIN IMMEDIATE"), *commit = prepare(db, "COMMIT");
    sqlite3_stmt *user = prepare(db,
        "INSERT INTO users (uid, anonymous_since, valid_since, created_at, last_login_at, last_refresh_at)"
        " VALUES (?1, ?2, ?2, ?2, ?2, ?2)");
    sqlite3_stmt *session = prepare(db,
        "INSERT INTO sessions (sid, uid, user_number, provider, generation, generation_at, auth_time, created_at, last_used_at)"
        " VALUES (?1, ?2, ?3, 'anonymous', 1, ?4, ?4, ?4, ?4)");
    while (!ended) {
        struct connection *batch = take_batch();
        run(db, begin);
        long long time = now();
        for (struct connection *each = batch; each; each = each->next) {
            sqlite3_bind_text(user, 1, each->uid, 28, SQLITE_STATIC);
            sqlite3_bind_int64(user, 2, time);
            run(db, user);
            sqlite3_bind_text(session, 1, each->sid, 32, SQLITE_STATIC);
            sqlite3_bind_text(session, 2, each->uid, 28, SQLITE_STATIC);
            sqlite3_bind_int64(session, 3, sqlite3_last_insert_rowid(db));
            sqlite3_bind_int64(session, 4, time);
            run(db, session);
            sign_ups++;
        }
        run(db, commit);
        commits++;
        while (batch) {
            struct connection *next = batch->next;
            struct thread *thread = batch->thread;
            pthread_mutex_lock(&thread->lock);
            int is_first = !thread->done;
            batch->next = thread->done;
            thread->done = batch;
            pthread_mutex_unlock(&thread->lock);
            if (is_first) {
                uint64_t one = 1;
                if (write(thread->wake, &one, sizeof one) < 0) fail("eventfd");
            }
            batch = next;
        }
    }
    return NULL;
}

// MARK: HTTP

static void random_name(char *name, int length) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    unsigned char bytes[64];
    RAND_bytes(bytes, length);
    for (int i = 0; i < length; i++) name[i] = letters[bytes[i] & 63];
    name[length] = 0;
}

static void answer(struct connection *connection) {
    // An ID token of about Latchkey's length, signed in the form of RFC 7518, section 3.4.
    char token[1024], body[2048], response[3072];
    char payload[512];
    int length = snprintf(payload, sizeof payload,
        "{\"iss\":\"http://localhost:9099/latchkey\",\"aud\":\"latchkey\",\"auth_time\":1700000000,\"user_id\":\"%s\",\"sub\":\"%s\","
        "\"iat\":1700000000,\"exp\":1700003600,\"provider_id\":\"anonymous\",\"sid\":\"%s\",\"firebase\":{\"identities\":{},"
        "\"sign_in_provider\":\"anonymous\"}}", connection->uid, connection->uid, connection->sid);
    int used = sprintf(token, "eyJhbGciOiJFUzI1NiIsImtpZCI6IjEyMzQ1Njc4OTAifQ.");
    used += EVP_EncodeBlock((unsigned char *)token + used, (unsigned char *)payload, length);
    static __thread EVP_MD_CTX *digest;
    if (!digest) digest = EVP_MD_CTX_new();
    unsigned char der[80], pair[64], text[96];
    size_t signature = sizeof der;
    if (EVP_DigestSignInit(digest, NULL, EVP_sha256(), NULL, key) != 1
        || EVP_DigestSign(digest, der, &signature, (unsigned char *)token, used) != 1) fail("signature");
    const unsigned char *start = der;
    ECDSA_SIG *parsed = d2i_ECDSA_SIG(NULL, &start, signature);
    BN_bn2binpad(ECDSA_SIG_get0_r(parsed), pair, 32);
    BN_bn2binpad(ECDSA_SIG_get0_s(parsed), pair + 32, 32);
    ECDSA_SIG_free(parsed);
    EVP_EncodeBlock(text, pair, sizeof pair);
    int size = snprintf(body, sizeof body,
        "{\"kind\":\"identitytoolkit#SignupNewUserResponse\",\"idToken\":\"%s.%s\",\"refreshToken\":\"%s%s\",\"expiresIn\":\"3600\","
        "\"localId\":\"%s\"}", token, text, connection->sid, connection->sid, connection->uid);
    int total = snprintf(response, sizeof response,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
        "Content-Length: %d\r\n\r\n%s", size, body);
    if (send(connection->socket, response, total, MSG_NOSIGNAL) != total) { /* the client has left */ }
    connection->received = 0;
}

static void close_connection(struct connection *connection) {
    close(connection->socket);
    free(connection);
}

static void enqueue(struct connection *connection) {
    connection->waits = 1;
    random_name(connection->uid, 28);
    random_name(connection->sid, 32);
    connection->next = NULL;
    pthread_mutex_lock(&queue_lock);
    *queue_end = connection;
    queue_end = &connection->next;
    int wake = writer_sleeps;
    pthread_mutex_unlock(&queue_lock);
    if (wake) pthread_cond_signal(&queue_filled);
}

// Returns whether the request is complete.
static int is_complete(struct connection *connection) {
    connection->request[connection->received] = 0;
    char *end = strstr(connection->request, "\r\n\r\n");
    if (!end) return 0;
    char *length = strcasestr(connection->request, "\r\nContent-Length:");
    size_t body = length && length < end ? strtoul(length + 17, NULL, 10) : 0;
    return connection->received >= (size_t)(end + 4 - connection->request) + body;
}

static void *serve(void *context) {
    struct thread *thread = context;
    struct epoll_event events[128];
    while (!ended) {
        int count = epoll_wait(thread->epoll, events, 128, -1);
        if (count < 0 && errno != EINTR) fail("epoll_wait");
        for (int i = 0; i < count; i++) {
            struct connection *connection = events[i].data.ptr;
            if (!connection) {
                uint64_t times;
                if (read(thread->wake, &times, sizeof times) < 0) continue;
                pthread_mutex_lock(&thread->lock);
                struct connection *done = thread->done;
                thread->done = NULL;
                pthread_mutex_unlock(&thread->lock);
                while (done) {
                    struct connection *next = done->next;
                    answer(done);
                    done->waits = 0;
                    if (done->is_over) close_connection(done);
                    done = next;
                }
                continue;
            }
            size_t room = largest_request - 1 - connection->received;
            ssize_t got = recv(connection->socket, connection->request + connection->received, room, 0);
            if (got <= 0) {
                if (got < 0 && errno == EAGAIN) continue;
                connection->is_over = 1;
                if (!connection->waits) close_connection(connection);
                continue;
            }
            connection->received += got;
            if (is_complete(connection)) enqueue(connection);
        }
    }
    return NULL;
}

static void end(int number) {
    (void)number;
    ended = 1;
}

int main(int count, char **arguments) {
    if (count != 4) return fprintf(stderr, "usage: sign-up PORT DATABASE THREADS\n"), 2;
    int number = atoi(arguments[3]);
    if (number < 1 || number > most_threads) number = 1;
    database = arguments[2];
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    key = EVP_EC_gen("P-256");

    int listening = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(atoi(arguments[1])) };
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listening, (struct sockaddr *)&address, sizeof address) < 0) fail("bind");

    pthread_t started;
    pthread_create(&started, NULL, write_batches, NULL);
    pthread_create(&started, NULL, checkpoint, NULL);
    for (int i = 0; i < number; i++) {
        threads[i].epoll = epoll_create1(0);
        threads[i].wake = eventfd(0, EFD_NONBLOCK);
        pthread_mutex_init(&threads[i].lock, NULL);
        struct epoll_event event = { .events = EPOLLIN };
        epoll_ctl(threads[i].epoll, EPOLL_CTL_ADD, threads[i].wake, &event);
        pthread_create(&started, NULL, serve, &threads[i]);
    }
    struct sigaction action = { .sa_handler = end };
    sigaction(SIGTERM, &action, NULL);
    if (listen(listening, 1024) < 0) fail("listen");
    for (int next = 0; !ended; next++) {
        int client = accept4(listening, NULL, NULL, SOCK_NONBLOCK);
        if (client < 0) continue;
        setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        struct connection *connection = calloc(1, sizeof *connection);
        connection->socket = client;
        connection->thread = &threads[next % number];
        struct epoll_event event = { .events = EPOLLIN | EPOLLET, .data.ptr = connection };
        epoll_ctl(connection->thread->epoll, EPOLL_CTL_ADD, client, &event);
    }
    printf("{\"signUps\": %lu, \"commits\": %lu}\n", sign_ups, commits);
    return 0;
}
