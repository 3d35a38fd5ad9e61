import MobiusTransport
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Why nothing is reached at an endpoint.
struct EndpointProbeTests {
    /// Which of an endpoint's addresses refuse a connection; those at which something listens do not.
    private static func refusals(at endpoint: String) -> [Bool] {
        EndpointProbe.answers(at: endpoint).map { $0 == .failed("Connection refused", isRefusal: true) }
    }

    @Test func theSystemsReason() {
        #expect(EndpointProbe.problem(at: "tcp://127.0.0.1:1") == "Connection refused")
        #expect(EndpointProbe.problem(at: "tcp://[::1]:1") != nil)
        #expect(EndpointProbe.problem(at: "ipc:///no/such/folder/s") == "No such file or directory")
        #expect(EndpointProbe.problem(at: "tcp://no-such-host.invalid:1")?.hasPrefix("no-such-host.invalid: ") == true)
        #expect(EndpointProbe.problem(at: "inproc://a") == nil)
    }

    @Test func onlyTheSystemRefuses() throws {
        #expect(Self.refusals(at: "tcp://127.0.0.1:1") == [true])
        #expect(Self.refusals(at: "ipc:///no/such/folder/s") == [false], "a path of another host, perhaps")
        #expect(Self.refusals(at: "tcp://no-such-host.invalid:1") == [false])
        #expect(Self.refusals(at: "inproc://a") == [])
    }

    @Test(.enabled(if: LocalAddresses.areTwo, "this host's name localhost has one address only"))
    func anAddressThatDoesNotAnswerIsNoRefusal() throws {
        // Nobody listens at the other address, and this one's queue is full, so that it answers nobody more.
        for listens in [false, true] {
            let port = try FullListener(fills: listens)
            let refusals = Self.refusals(at: "tcp://localhost:\(port.number)")
            #expect(refusals.contains(true) && refusals.contains(false) == listens)
            port.close()
        }
    }

    @Test func nothingWhereSomethingListens() throws {
        let context = Context()
        let socket = try context.socket(.router)
        try socket.bind("tcp://127.0.0.1:*")
        #expect(EndpointProbe.problem(at: try socket.lastEndpoint) == nil)
        #expect(EndpointProbe.answers(at: try socket.lastEndpoint) == [.accepted])
    }
}

/// The addresses of `localhost`.
private enum LocalAddresses {
    /// Whether it has one of each kind.
    static var areTwo: Bool {
        var hints = addrinfo()
        hints.ai_socktype = stream
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo("localhost", nil, &hints, &found) == 0, let found else { return false }
        defer { freeaddrinfo(found) }
        var families: Set<CInt> = []
        var next: UnsafeMutablePointer<addrinfo>? = found
        while let address = next?.pointee {
            families.insert(address.ai_family)
            next = address.ai_next
        }
        return families == [AF_INET, AF_INET6]
    }

    #if canImport(Darwin)
        static let stream = SOCK_STREAM
    #else
        static let stream = CInt(SOCK_STREAM.rawValue)
    #endif
}

/// A port of 127.0.0.1 where a process listens that takes no connection, and has as many waiting as it may have.
private struct FullListener {
    let number: UInt16
    private var sockets: [CInt] = []

    struct Failure: Error {}

    /// - Parameter fills: Whether the process listens at all; otherwise the port is free.
    init(fills: Bool) throws {
        let listener = socket(AF_INET, LocalAddresses.stream, 0)
        sockets.append(listener)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Bool in
                bind(listener, address, size) == 0 && getsockname(listener, address, &size) == 0
            }
        }
        guard port, !fills || listen(listener, 0) == 0 else { throw Failure() }
        number = UInt16(bigEndian: address.sin_port)
        for _ in 0..<(fills ? 8 : 0) {
            let socket = socket(AF_INET, LocalAddresses.stream, 0)
            sockets.append(socket)
            _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK)
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(socket, $0, size) }
            }
        }
    }

    func close() { for socket in sockets { _ = Self.end(socket) } }

    private static func end(_ descriptor: CInt) -> CInt {
        #if canImport(Darwin)
            Darwin.close(descriptor)
        #else
            Glibc.close(descriptor)
        #endif
    }
}
