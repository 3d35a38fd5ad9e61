// The floor of a journal in PostgreSQL: libpq alone, in pipeline mode, with the statements and bytes of the journal's commits.
//
// postgresql-floor URL SCHEMA EFFECTS COMMITS ROWS BYTES: so many commits of so many rows of records with so many bytes each,
// one after the other. It prints what the effect programs print.
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif
#include <arpa/inet.h>
#include <endian.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static PGconn *connection;

static void fail(const char *what) {
    fprintf(stderr, "postgresql-floor: %s: %s\n", what, PQerrorMessage(connection));
    exit(1);
}

static double now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void run(const char *sql) {
    PGresult *result = PQexec(connection, sql);
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) fail(sql);
    PQclear(result);
}

static void prepare(const char *name, const char *sql, int count, const Oid *types) {
    PGresult *result = PQprepare(connection, name, sql, count, types);
    if (PQresultStatus(result) != PGRES_COMMAND_OK) fail(sql);
    PQclear(result);
}

static PGresult *next(void) {
    while (PQisBusy(connection)) {
        int rest = PQflush(connection);
        struct pollfd descriptor = {PQsocket(connection), (short)(POLLIN | (rest == 1 ? POLLOUT : 0)), 0};
        poll(&descriptor, 1, -1);
        if (!PQconsumeInput(connection)) fail("the connection is lost");
    }
    return PQgetResult(connection);
}

static int ascending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(int count, char **arguments) {
    if (count != 7) {
        fputs("usage: postgresql-floor URL SCHEMA EFFECTS COMMITS ROWS BYTES\n", stderr);
        return 64;
    }
    long effects = atol(arguments[3]), commits = atol(arguments[4]), rows = atol(arguments[5]);
    int bytes = atoi(arguments[6]);
    if (commits < 1 || rows < 1 || bytes < 1) return 64;
    connection = PQconnectdb(arguments[1]);
    if (PQstatus(connection) != CONNECTION_OK) fail("cannot connect");
    char text[256];
    snprintf(text, sizeof text, "SET search_path TO %s", arguments[2]);
    run(text);
    run("UPDATE shards SET application = 'floor', epoch = 1");
    const Oid numbers[] = {20, 20, 20, 20, 20, 20, 20, 20, 20, 17};
    prepare("begin", "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", 0, NULL);
    prepare("fence", "SELECT fence($1, $2)", 2, numbers);
    prepare(
        "insert",
        "INSERT INTO runs (shard, loop, sequence, part, epoch, last_sequence, last_part, count, checksum, content) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        10, numbers);
    prepare("commit", "COMMIT", 0, NULL);
    PQsetnonblocking(connection, 1);
    if (!PQenterPipelineMode(connection)) fail("no pipeline");

    char *content = malloc((size_t)bytes);
    double *laps = calloc((size_t)commits, sizeof *laps);
    if (content == NULL || laps == NULL) return 70;
    memset(content, 'x', (size_t)bytes);
    uint64_t values[10] = {0};
    const char *pointers[10];
    int lengths[10], formats[10];
    for (int index = 0; index < 10; index++) {
        pointers[index] = index == 9 ? content : (const char *)&values[index];
        lengths[index] = index == 9 ? bytes : 8;
        formats[index] = 1;
    }
    uint64_t sequence = 0;
    double start = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    for (long commit = 0; commit < commits; commit++) {
        double before = now(CLOCK_MONOTONIC);
        int sent = PQsendQueryPrepared(connection, "begin", 0, NULL, NULL, NULL, 1);
        values[0] = 0;
        values[1] = htobe64(1);
        sent &= PQsendQueryPrepared(connection, "fence", 2, pointers, lengths, formats, 1);
        for (long row = 0; row < rows; row++) {
            values[2] = htobe64(++sequence);
            values[4] = values[7] = htobe64(1);
            values[5] = values[2];
            sent &= PQsendQueryPrepared(connection, "insert", 10, pointers, lengths, formats, 1);
        }
        sent &= PQsendQueryPrepared(connection, "commit", 0, NULL, NULL, NULL, 1);
        if (!sent || !PQpipelineSync(connection)) fail("cannot send");
        for (long statement = 0; statement < rows + 4; statement++) {
            PGresult *result = next();
            ExecStatusType status = PQresultStatus(result);
            if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_PIPELINE_SYNC) fail("commit");
            PQclear(result);
            if (status != PGRES_PIPELINE_SYNC && next() != NULL) fail("one result each");
        }
        laps[commit] = now(CLOCK_MONOTONIC) - before;
    }
    double seconds = now(CLOCK_MONOTONIC) - start;
    cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    qsort(laps, (size_t)commits, sizeof *laps, ascending);
    printf(
        "{\"effects\":%ld,\"seconds\":%.6f,\"cpu\":%.3f,\"p50\":%.3f,\"p99\":%.3f}\n", effects, seconds,
        effects > 0 ? cpu * 1e6 / (double)effects : 0, laps[(commits - 1) / 2] * 1e6, laps[(commits - 1) * 99 / 100] * 1e6);
    PQfinish(connection);
    return 0;
}
