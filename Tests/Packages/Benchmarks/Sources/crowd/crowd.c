// Strangers at a TCP port, until standard input ends: crowd PORT NUMBER RATE.
//
// NUMBER connections are held open: a third says nothing, a third says a ZMTP greeting a byte at a time, a third says noise.
// Beside them RATE connections a second are made, say a CURVE greeting and noise, and are closed again. Prints how many
// connections it made in all.

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const unsigned char greeting[64] = {0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 0, 'C', 'U', 'R', 'V', 'E'};

static int join(int port) {
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    if (descriptor < 0) return -1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

/// Whether the coordinator has thrown it out.
static int is_out(int descriptor) {
    char scrap[256];
    ssize_t count = recv(descriptor, scrap, sizeof scrap, MSG_DONTWAIT);
    return count == 0 || (count < 0 && errno != EAGAIN);
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: crowd PORT NUMBER RATE\n");
        return 64;
    }
    int port = atoi(argv[1]), number = atoi(argv[2]), rate = atoi(argv[3]);
    int *members = malloc(sizeof(int) * (size_t)(number + 1));
    int *said = calloc((size_t)number + 1, sizeof(int));
    long made = 0;
    unsigned char noise[256];
    for (size_t index = 0; index < sizeof noise; index++) noise[index] = (unsigned char)rand();
    for (int index = 0; index < number; index++) members[index] = -1;

    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    int next = 0;
    // A hundred rounds a second.
    while (poll(&input, 1, 10) == 0) {
        for (int step = 0; step < 1 + number / 100; step++, next = (next + 1) % (number + 1)) {
            if (next == number) continue;
            int *member = &members[next];
            if (*member >= 0 && is_out(*member)) {
                close(*member);
                *member = -1;
            }
            if (*member < 0) {
                *member = join(port);
                said[next] = 0;
                made++;
            }
            if (*member < 0) continue;
            if (next % 3 == 1 && said[next] < 64) send(*member, &greeting[said[next]++], 1, MSG_DONTWAIT | MSG_NOSIGNAL);
            if (next % 3 == 2) send(*member, noise, sizeof noise, MSG_DONTWAIT | MSG_NOSIGNAL);
        }
        for (int step = 0; step < rate / 100; step++) {
            int stranger = join(port);
            if (stranger < 0) continue;
            send(stranger, greeting, sizeof greeting, MSG_DONTWAIT | MSG_NOSIGNAL);
            send(stranger, noise, sizeof noise, MSG_DONTWAIT | MSG_NOSIGNAL);
            close(stranger);
            made++;
        }
    }
    printf("%ld\n", made);
    return 0;
}
