// Connected clients and workers, until standard input ends: guests CLIENT-ENDPOINT CLIENTS WORKER-ENDPOINT WORKERS.
//
// Each client has asked for the model of `main` and stays. Each worker is admitted for the pool `guests`, which gets no
// effects, and sends a sign of life every second, as all do. Prints "ready" once all of them were answered. A process has at
// most 4,000 sockets, each with two descriptors.

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

enum { sockets_per_process = 4000, patience_ms = 60000, longest_run_s = 600 };

static const unsigned char client_hello[] = {
    'M', 'F', 1, 140, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,  // READ-MODEL, request 1
    1, 5, 0, 0, 0, 4, 'm', 'a', 'i', 'n', 0};                         // of the loop "main"

static void check(int ok, const char *what) {
    if (ok) return;
    fprintf(stderr, "guests: %s: %s\n", what, zmq_strerror(zmq_errno()));
    _exit(70);
}

// HELLO of a worker of its own, for the pool "guests", with a credit of 0.
static int worker_hello(unsigned char *bytes) {
    static const unsigned char head[] = {'M', 'F', 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                         1,   1,   0, 0, 0, 1, 2, 16, 0, 0, 0};
    static const unsigned char pool[] = {4, 7, 0, 0, 0, 6, 'g', 'u', 'e', 's', 't', 's', 0};
    memcpy(bytes, head, sizeof head);
    for (size_t index = 0; index < 16; index++) bytes[sizeof head + index] = (unsigned char)rand();
    memcpy(bytes + sizeof head + 16, pool, sizeof pool);
    return (int)(sizeof head + 16 + sizeof pool);
}

// Connects `number` sockets, tells the parent once all are answered, and stays for ever.
static void attend(const char *endpoint, int number, int are_workers, int ready) {
    void *context = zmq_ctx_new();
    check(zmq_ctx_set(context, ZMQ_MAX_SOCKETS, number + 1) == 0, "ZMQ_MAX_SOCKETS");
    void **sockets = calloc((size_t)number, sizeof *sockets);
    unsigned char(*heads)[16] = calloc((size_t)number, sizeof *heads);
    unsigned char bytes[128], answer[1 << 16];
    srand((unsigned)getpid());
    for (int index = 0; index < number; index++) {
        int linger = 0, patience = patience_ms;
        sockets[index] = zmq_socket(context, ZMQ_DEALER);
        check(sockets[index] != NULL, "zmq_socket");
        zmq_setsockopt(sockets[index], ZMQ_LINGER, &linger, sizeof linger);
        zmq_setsockopt(sockets[index], ZMQ_RCVTIMEO, &patience, sizeof patience);
        check(zmq_connect(sockets[index], endpoint) == 0, "zmq_connect");
        if (are_workers) {
            check(zmq_send(sockets[index], bytes, (size_t)worker_hello(bytes), 0) >= 0, "send");
        } else {
            check(zmq_send(sockets[index], client_hello, sizeof client_hello, 0) >= 0, "send");
        }
        // One after the other, because many without a message at once would be shown out.
        check(zmq_recv(sockets[index], answer, sizeof answer, 0) >= 20, "no answer");
        if (are_workers) {
            check(answer[3] == 65, "the worker was not admitted");
            memcpy(heads[index], answer + 4, 16);  // epoch and session
        }
    }
    check(write(ready, "1", 1) == 1, "write");
    while (are_workers) {
        for (int index = 0; index < number; index++) {
            while (zmq_recv(sockets[index], answer, sizeof answer, ZMQ_DONTWAIT) >= 0) {}
            unsigned char heartbeat[48] = {'M', 'F', 1, 3};
            memcpy(heartbeat + 4, heads[index], 16);
            check(zmq_send(sockets[index], heartbeat, sizeof heartbeat, ZMQ_DONTWAIT) >= 0, "send");
        }
        struct timespec second = {.tv_sec = 1};
        nanosleep(&second, NULL);
    }
    for (;;) pause();
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: guests CLIENT-ENDPOINT CLIENTS WORKER-ENDPOINT WORKERS\n");
        return 64;
    }
    int ready[2], children = 0;
    check(pipe(ready) == 0, "pipe");
    pid_t pids[64];
    for (int kind = 0; kind < 2; kind++) {
        for (int left = atoi(argv[kind * 2 + 2]); left > 0 && children < 64; left -= sockets_per_process) {
            int number = left < sockets_per_process ? left : sockets_per_process;
            pid_t pid = fork();
            check(pid >= 0, "fork");
            if (pid == 0) {
                close(STDIN_FILENO);
                alarm(longest_run_s);
                attend(argv[kind * 2 + 1], number, kind, ready[1]);
            }
            pids[children++] = pid;
        }
    }
    close(ready[1]);
    char byte;
    int answered = 0;
    while (answered < children && read(ready[0], &byte, 1) == 1) answered++;
    if (answered == children) {
        printf("ready\n");
        fflush(stdout);
        struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
        while (poll(&input, 1, -1) < 0) {}
    }
    for (int index = 0; index < children; index++) kill(pids[index], SIGKILL);
    while (wait(NULL) > 0) {}
    return answered == children ? 0 : 70;
}
