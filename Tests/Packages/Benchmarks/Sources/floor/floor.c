// The floor of the effect benchmarks: how fast libzmq alone moves the same bytes between two processes.
//   floor PORT COUNT WINDOW LATENCY-COUNT
// ROUTER here, DEALER in a child process, over loopback TCP. A task and its answer are each four frames: routing id,
// command (1 byte), id (8 bytes), payload (100 bytes); nothing is encoded or decoded. Up to WINDOW tasks are
// outstanding; then LATENCY-COUNT tasks go one at a time. Prints one line of JSON.
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

enum { payload_size = 100, patience_ms = 20000, longest_run_s = 300 };

static void check(int ok, const char *what) {
    if (ok) return;
    fprintf(stderr, "floor: %s: %s\n", what, zmq_strerror(zmq_errno()));
    exit(70);
}

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static double cpu_seconds(int who) {
    struct rusage usage;
    getrusage(who, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void *open_socket(void *context, int type) {
    void *socket = zmq_socket(context, type);
    check(socket != NULL, "zmq_socket");
    int queue = 200000, linger = 0, patience = patience_ms;
    zmq_setsockopt(socket, ZMQ_SNDHWM, &queue, sizeof queue);
    zmq_setsockopt(socket, ZMQ_RCVHWM, &queue, sizeof queue);
    zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger);
    zmq_setsockopt(socket, ZMQ_RCVTIMEO, &patience, sizeof patience);
    return socket;
}

// Everything of a message behind the routing id.
struct task {
    char command;
    uint64_t id;
    char payload[payload_size];
};

static void send_task(void *socket, const struct task *task) {
    check(zmq_send(socket, &task->command, 1, ZMQ_SNDMORE) >= 0, "send");
    check(zmq_send(socket, &task->id, sizeof task->id, ZMQ_SNDMORE) >= 0, "send");
    check(zmq_send(socket, task->payload, payload_size, 0) >= 0, "send");
}

static void receive_task(void *socket, struct task *task) {
    check(zmq_recv(socket, &task->command, 1, 0) >= 0, "receive");
    check(zmq_recv(socket, &task->id, sizeof task->id, 0) >= 0, "receive");
    check(zmq_recv(socket, task->payload, payload_size, 0) >= 0, "receive");
}

// Answers every task with its own bytes until it is told to quit.
static void work(const char *endpoint) {
    alarm(longest_run_s);
    void *context = zmq_ctx_new(), *dealer = open_socket(context, ZMQ_DEALER);
    check(zmq_connect(dealer, endpoint) == 0, "connect");
    struct task task = {.command = 'R'};
    send_task(dealer, &task);
    for (;;) {
        zmq_pollitem_t item = {dealer, 0, ZMQ_POLLIN, 0};
        check(zmq_poll(&item, 1, patience_ms) > 0, "poll");
        // Drained before the next poll, as any serious program does.
        while (zmq_recv(dealer, &task.command, 1, ZMQ_DONTWAIT) >= 0) {
            check(zmq_recv(dealer, &task.id, sizeof task.id, 0) >= 0, "receive");
            check(zmq_recv(dealer, task.payload, payload_size, 0) >= 0, "receive");
            if (task.command == 'Q') {
                zmq_close(dealer);
                zmq_ctx_term(context);
                _exit(0);
            }
            task.command = 'A';
            send_task(dealer, &task);
        }
    }
}

struct peer {
    void *router;
    char name[16];
    size_t name_size;
    struct task task;
};

static void submit(struct peer *peer, uint64_t id, char command) {
    peer->task.id = id;
    peer->task.command = command;
    check(zmq_send(peer->router, peer->name, peer->name_size, ZMQ_SNDMORE) >= 0, "send");
    send_task(peer->router, &peer->task);
}

// Whether an answer was there.
static int collect(struct peer *peer, int flags) {
    int size = zmq_recv(peer->router, peer->name, sizeof peer->name, flags);
    if (size < 0) {
        check(errno == EAGAIN && flags == ZMQ_DONTWAIT, "waiting for an answer");
        return 0;
    }
    peer->name_size = (size_t)size;
    receive_task(peer->router, &peer->task);
    return 1;
}

// Seconds that `count` tasks take with up to `window` of them outstanding.
static double throughput(struct peer *peer, long count, long window) {
    uint64_t start = now_ns();
    for (long sent = 0, answered = 0; answered < count;) {
        while (sent < count && sent - answered < window) submit(peer, (uint64_t)sent++, 'T');
        zmq_pollitem_t item = {peer->router, 0, ZMQ_POLLIN, 0};
        check(zmq_poll(&item, 1, patience_ms) > 0, "poll");
        while (collect(peer, ZMQ_DONTWAIT)) answered++;
    }
    return (double)(now_ns() - start) / 1e9;
}

static int ascending(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: floor PORT COUNT WINDOW LATENCY-COUNT\n");
        return 64;
    }
    long count = atol(argv[2]), window = atol(argv[3]), singles = atol(argv[4]);
    char endpoint[64];
    snprintf(endpoint, sizeof endpoint, "tcp://127.0.0.1:%s", argv[1]);
    pid_t child = fork();  // before any context exists: libzmq's sockets do not survive a fork
    check(child >= 0, "fork");
    if (child == 0) work(endpoint);
    alarm(longest_run_s);

    void *context = zmq_ctx_new();
    struct peer peer = {.router = open_socket(context, ZMQ_ROUTER)};
    int mandatory = 1;
    zmq_setsockopt(peer.router, ZMQ_ROUTER_MANDATORY, &mandatory, sizeof mandatory);
    check(zmq_bind(peer.router, endpoint) == 0, "bind");
    collect(&peer, 0);  // the child is there
    memset(peer.task.payload, 'x', payload_size);

    throughput(&peer, window, window);  // warm-up
    double cpu = cpu_seconds(RUSAGE_SELF), seconds = throughput(&peer, count, window);
    double own_cpu = cpu_seconds(RUSAGE_SELF) - cpu;

    uint64_t *latency = calloc((size_t)singles + 1, sizeof *latency);
    for (long i = 0; i < singles; i++) {
        uint64_t start = now_ns();
        submit(&peer, (uint64_t)i, 'T');
        collect(&peer, 0);
        latency[i] = now_ns() - start;
    }
    qsort(latency, (size_t)singles, sizeof *latency, ascending);

    submit(&peer, 0, 'Q');
    waitpid(child, NULL, 0);
    zmq_close(peer.router);
    zmq_ctx_term(context);
    printf("{\"effects\": %ld, \"seconds\": %.6f, \"cpu\": %.3f, \"p50\": %.1f, \"p99\": %.1f}\n", count, seconds,
           count ? own_cpu * 1e6 / (double)count : 0, (double)latency[singles / 2] / 1e3,
           (double)latency[singles * 99 / 100] / 1e3);
    return 0;
}
