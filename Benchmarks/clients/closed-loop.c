// Many clients of a server that cannot serve all of them: a closed loop over connections from several loopback addresses.
//
//     closed-loop PORT REQUEST CONNECTIONS ADDRESSES WARM-UP SECONDS heed|ignore
//
// Each connection sends the bytes of the file REQUEST, waits for the response, and sends them again. After a 503 with Retry-After
// it waits as long as the response says (heed), or not at all (ignore). Connections open one after the other during the first half
// of the warm-up. Responses that arrive after the warm-up are counted. Prints one line of JSON; times are in microseconds.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { largest_response = 4096, wheel = 65536, most_events = 512 };

struct connection {
    int socket, address, is_sending, is_connecting;
    struct connection *next;  // In the wheel.
    long long sent_at;
    size_t received;
    char response[largest_response + 1];
};

struct times {
    unsigned *values;
    size_t count, room;
};

static int port, epoll, heeds, addresses;
static char request[65536];
static size_t request_length;
static struct connection *due[wheel];  // Connections that wait, by the millisecond at which they go on.
static struct times successes, refusals;
static unsigned long others, broken;
static int counts;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000LL + time.tv_nsec / 1000;
}

static void record(struct times *times, long long taken) {
    if (!counts) return;
    if (times->count == times->room) {
        times->room = times->room ? times->room * 2 : 65536;
        times->values = realloc(times->values, times->room * sizeof *times->values);
        if (!times->values) fail("realloc");
    }
    times->values[times->count++] = taken;
}

static void wait_for(struct connection *connection, long long milliseconds) {
    if (milliseconds > wheel - 2) milliseconds = wheel - 2;
    struct connection **place = &due[(now() / 1000 + 1 + milliseconds) % wheel];
    connection->next = *place;
    *place = connection;
}

static void reconnect(struct connection *connection);

static void send_request(struct connection *connection) {
    connection->received = 0;
    connection->sent_at = now();
    connection->is_sending = 1;
    if (send(connection->socket, request, request_length, MSG_NOSIGNAL) != (ssize_t)request_length) {
        if (counts) broken++;
        reconnect(connection);
    }
}

static void reconnect(struct connection *connection) {
    if (connection->socket >= 0) close(connection->socket);
    connection->is_sending = 0;
    connection->socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (connection->socket < 0) fail("socket");
    int on = 1;
    setsockopt(connection->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    // The system chooses the port once it knows the other end, so that addresses do not run out of ports.
    setsockopt(connection->socket, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
    struct sockaddr_in own = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK + connection->address) };
    if (bind(connection->socket, (struct sockaddr *)&own, sizeof own) < 0) fail("bind");
    struct sockaddr_in server = { .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    if (connect(connection->socket, (struct sockaddr *)&server, sizeof server) < 0 && errno != EINPROGRESS) fail("connect");
    connection->is_connecting = 1;
    struct epoll_event event = { .events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = connection };
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, connection->socket, &event) < 0) fail("epoll_ctl");
}

// Returns the value of a header field as a number; -1 without it.
static long header(const char *response, const char *end, const char *name) {
    char *found = strcasestr(response, name);
    return found && found < end ? strtol(found + strlen(name), NULL, 10) : -1;
}

// Handles the response if it is complete.
static void examine(struct connection *connection) {
    char *response = connection->response;
    response[connection->received] = 0;
    char *end = strstr(response, "\r\n\r\n");
    if (!end) return;
    long body = header(response, end, "\r\nContent-Length:");
    if (body < 0 || connection->received < (size_t)(end + 4 - response) + body) return;
    long long taken = now() - connection->sent_at;
    long status = strtol(response + 9, NULL, 10), pause = header(response, end, "\r\nRetry-After:");
    connection->is_sending = 0;
    if (status == 200) record(&successes, taken);
    else if (status == 503 && pause >= 0) record(&refusals, taken);
    else if (counts) others++;
    if (strcasestr(response, "\r\nConnection: close")) reconnect(connection);
    else if (status == 503 && pause > 0 && heeds) wait_for(connection, pause * 1000);
    else send_request(connection);
}

static void receive(struct connection *connection) {
    while (connection->received < largest_response) {
        ssize_t got = recv(connection->socket, connection->response + connection->received,
            largest_response - connection->received, 0);
        if (got < 0 && errno == EAGAIN) return;
        if (got <= 0) {
            if (counts) broken++;
            return reconnect(connection);
        }
        connection->received += got;
        if (connection->is_sending) examine(connection);
        if (connection->received == 0) return;
    }
}

static void handle(struct epoll_event *event) {
    struct connection *connection = event->data.ptr;
    if (connection->is_connecting && event->events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) {
        int code = 0;
        socklen_t length = sizeof code;
        getsockopt(connection->socket, SOL_SOCKET, SO_ERROR, &code, &length);
        if (code) {
            if (counts) broken++;
            return reconnect(connection);
        }
        connection->is_connecting = 0;
        return send_request(connection);
    }
    if (event->events & EPOLLIN || event->events & (EPOLLERR | EPOLLHUP)) receive(connection);
}

static int by_value(const void *one, const void *other) {
    unsigned first = *(const unsigned *)one, second = *(const unsigned *)other;
    return (first > second) - (first < second);
}

static void print(const char *name, struct times *times, double seconds) {
    qsort(times->values, times->count, sizeof *times->values, by_value);
    unsigned none = 0, *values = times->count ? times->values : &none;
    size_t count = times->count ? times->count : 1;
    printf("\"%s\": {\"rate\": %.1f, \"count\": %zu, \"p50\": %u, \"p99\": %u, \"max\": %u}, ", name, times->count / seconds,
        times->count, values[count / 2], values[count * 99 / 100], values[count - 1]);
}

int main(int count, char **arguments) {
    if (count != 8) {
        return fprintf(stderr, "usage: closed-loop PORT REQUEST CONNECTIONS ADDRESSES WARM-UP SECONDS heed|ignore\n"), 2;
    }
    port = atoi(arguments[1]);
    FILE *file = fopen(arguments[2], "r");
    if (!file) fail(arguments[2]);
    request_length = fread(request, 1, sizeof request, file);
    fclose(file);
    int connections = atoi(arguments[3]), open = 0;
    addresses = atoi(arguments[4]);
    double warm_up = atof(arguments[5]) * 1e6, seconds = atof(arguments[6]);
    heeds = !strcmp(arguments[7], "heed");
    struct connection *all = calloc(connections, sizeof *all);
    epoll = epoll_create1(0);
    if (!all || epoll < 0) fail("start");
    long long begun = now(), measured = begun + (long long)warm_up, end = measured + (long long)(seconds * 1e6);
    long long tick = begun / 1000;
    struct epoll_event events[most_events];
    while (now() < end) {
        int ready = epoll_wait(epoll, events, most_events, 1);
        for (int i = 0; i < ready; i++) handle(&events[i]);
        long long time = now();
        for (; open < connections && (time - begun) * connections > open * warm_up / 2; open++) {
            all[open].socket = -1;
            all[open].address = open % addresses;
            reconnect(&all[open]);
        }
        for (; tick <= time / 1000; tick++) {
            struct connection *waiting = due[tick % wheel];
            due[tick % wheel] = NULL;
            while (waiting) {
                struct connection *next = waiting->next;
                send_request(waiting);
                waiting = next;
            }
        }
        counts = time >= measured;
    }
    // Connections whose response is missing for longer than any that arrived would otherwise stay unseen.
    long long oldest = 0;
    for (int i = 0; i < open; i++) {
        if (all[i].is_sending && now() - all[i].sent_at > oldest) oldest = now() - all[i].sent_at;
    }
    printf("{");
    print("successes", &successes, seconds);
    print("refusals", &refusals, seconds);
    printf("\"others\": %lu, \"broken\": %lu, \"oldest\": %lld}\n", others, broken, oldest);
    return 0;
}
