#if HTTP
    import ArgumentParser
    import NIOCore
    import NIOPosix

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// Stands between workers and their coordinator, and treats their bytes as the lines of its input say.
    ///
    /// It prints `listening ENDPOINT`, then `done LINE` for each line that it has obeyed:
    ///
    /// - `flow`: what was held back goes on, and all that comes passes at once; how it begins.
    /// - `stall up|down|both`: keeps what comes from workers (up) or goes to them (down) to itself.
    /// - `swallow up|down|both`: throws it away; the connection stays open until it is cut.
    /// - `delay MILLISECONDS`: passes everything so much later.
    /// - `cut`: ends all connections.
    /// - `cut-after up|down BYTES`: passes so many more bytes of that direction, in whatever message they end, then cuts.
    /// - `refuse`, `admit`: ends new connections at once, or not.
    /// - `target ENDPOINT`: where new connections lead from now on.
    /// - `count`: answers `count up=BYTES down=BYTES connections=OPEN` with what came in so far.
    @main struct FaultProxy: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "fault-proxy",
            abstract: "A wire between workers and coordinator that drops, stalls, delays and cuts.")

        @Option(help: "Where workers connect: tcp://HOST:PORT (0: any) or ipc://PATH.")
        var listen = "tcp://127.0.0.1:0"

        @Option(help: "Where the coordinator listens.")
        var target: String

        func run() async throws {
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let loop = group.next()
            let target = try Endpoint(target)
            let wire = try await loop.submit { NIOLoopBound(Wire(to: target, on: loop), eventLoop: loop) }.get()
            let server = try await Self.bind(Endpoint(listen), wire, group)
            let port = server.localAddress?.port
            say("listening \(port.map { "tcp://127.0.0.1:\($0)" } ?? listen)")
            while let line = readLine() {
                let answer = try await loop.submit { wire.value.obey(line) }.get()
                say(answer ?? "not understood: \(line)")
            }
            // The process that started it is gone.
            try await group.shutdownGracefully()
        }

        /// Prints a line at once, also into a pipe.
        private func say(_ line: String) {
            print(line)
            fflush(nil)
        }

        private static func bind(
            _ endpoint: Endpoint, _ wire: NIOLoopBound<Wire>, _ group: MultiThreadedEventLoopGroup
        ) async throws -> any Channel {
            let bootstrap = ServerBootstrap(group: group)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { try wire.value.connect(channel) }
                }
            switch endpoint {
            case .tcp(let host, let port): return try await bootstrap.bind(host: host, port: port).get()
            case .ipc(let path):
                return try await bootstrap.bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true).get()
            }
        }
    }
#else
    /// NIO comes with the trait: without it there is no proxy.
    @main struct FaultProxy {
        static func main() { fatalError("built without the trait HTTP") }
    }
#endif
