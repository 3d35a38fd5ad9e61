#!/usr/bin/env python3
"""Serves TLS in front of a PostgreSQL without it, in records of 16 KiB, as PostgreSQL 17 and newer send large rows.

    tls-proxy.py CERTIFICATE KEY PORT

Prints its own port, and ends with its standard input.
"""
import select
import socket
import ssl
import sys
import threading

RECORD = 16384


def gathered(server):
    """What the server has sent, up to a record; a part of one only where no more comes at once."""
    data = b""
    while len(data) < RECORD and (not data or select.select([server], [], [], 0.02)[0]):
        more = server.recv(RECORD - len(data))
        if not more:
            break
        data += more
    return data


def serve(client, context, port):
    if client.recv(8, socket.MSG_WAITALL)[4:] != b"\x04\xd2\x16\x2f":
        return client.close()
    client.sendall(b"S")
    client = context.wrap_socket(client, server_side=True)
    server = socket.create_connection(("127.0.0.1", port))
    while True:
        readable = [client] if client.pending() else select.select([client, server], [], [])[0]
        if client in readable:
            data = client.recv(65536)
            if not data:
                break
            server.sendall(data)
        if server in readable:
            data = gathered(server)
            if not data:
                break
            client.sendall(data)
    client.close()
    server.close()


def accept(listener, context, port):
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(client, context, port), daemon=True).start()


def main():
    certificate, key, port = sys.argv[1:]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    threading.Thread(target=accept, args=(listener, context, int(port)), daemon=True).start()
    sys.stdin.read()


main()
