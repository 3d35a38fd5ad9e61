// A link to a server on another host: what it passes on in either direction arrives later.
//
// slow-link PORT MICROSECONDS: takes connections at a free port of loopback, which it prints, and passes their bytes on to PORT,
// each so much later. It ends with its standard input.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

/// Bytes under way; none at the end of a direction.
struct packet {
    struct packet *next;
    int64_t due;
    size_t length;
    char bytes[65536];
};

struct direction {
    int from, to;
    struct packet *first, *last;
    pthread_mutex_t mutex;
    pthread_cond_t more;
};

static int64_t delay;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void *take(void *argument) {
    struct direction *way = argument;
    for (ssize_t count = 1; count > 0;) {
        struct packet *packet = malloc(sizeof *packet);
        if (packet == NULL) fail("slow-link: memory");
        count = recv(way->from, packet->bytes, sizeof packet->bytes, 0);
        packet->next = NULL;
        packet->due = now() + delay;
        packet->length = count > 0 ? (size_t)count : 0;
        pthread_mutex_lock(&way->mutex);
        if (way->last != NULL) way->last->next = packet;
        else way->first = packet;
        way->last = packet;
        pthread_cond_signal(&way->more);
        pthread_mutex_unlock(&way->mutex);
    }
    return NULL;
}

static void *give(void *argument) {
    struct direction *way = argument;
#if defined(__linux__)
    prctl(PR_SET_TIMERSLACK, 1UL);
#endif
    for (size_t length = 1; length > 0;) {
        pthread_mutex_lock(&way->mutex);
        while (way->first == NULL) pthread_cond_wait(&way->more, &way->mutex);
        struct packet *packet = way->first;
        way->first = packet->next;
        if (way->first == NULL) way->last = NULL;
        pthread_mutex_unlock(&way->mutex);
        int64_t rest = packet->due - now();
        if (rest > 0) nanosleep(&(struct timespec){rest / 1000000000, rest % 1000000000}, NULL);
        length = packet->length;
        for (size_t sent = 0; sent < length;) {
            ssize_t count = send(way->to, packet->bytes + sent, length - sent, 0);
            if (count <= 0) break;
            sent += (size_t)count;
        }
        free(packet);
    }
    shutdown(way->to, SHUT_WR);
    return NULL;
}

static void start(void *(*body)(void *), void *argument) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, body, argument) != 0) fail("slow-link: thread");
    pthread_detach(thread);
}

static void join(int from, int to) {
    int on = 1;
    setsockopt(to, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct direction *way = calloc(1, sizeof *way);
    if (way == NULL) fail("slow-link: memory");
    way->from = from;
    way->to = to;
    pthread_mutex_init(&way->mutex, NULL);
    pthread_cond_init(&way->more, NULL);
    start(take, way);
    start(give, way);
}

static void *watch(void *unused) {
    (void)unused;
    char byte;
    while (read(0, &byte, 1) > 0) {}
    exit(0);
}

int main(int count, char **arguments) {
    if (count != 3) {
        fputs("usage: slow-link PORT MICROSECONDS\n", stderr);
        return 64;
    }
    delay = atoll(arguments[2]) * 1000;
    signal(SIGPIPE, SIG_IGN);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in server = address;
    server.sin_port = htons((uint16_t)atoi(arguments[1]));
    socklen_t size = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 64) != 0
        || getsockname(listener, (struct sockaddr *)&address, &size) != 0)
        fail("slow-link: no port");
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    start(watch, NULL);
    while (1) {
        int client = accept(listener, NULL, NULL);
        int target = socket(AF_INET, SOCK_STREAM, 0);
        if (client < 0 || target < 0) fail("slow-link: no connection");
        if (connect(target, (struct sockaddr *)&server, sizeof server) != 0) {
            close(client);
            close(target);
            continue;
        }
        join(client, target);
        join(target, client);
    }
}
