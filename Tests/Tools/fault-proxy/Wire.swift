#if HTTP
    import NIOCore
    import NIOPosix

    /// Where bytes go.
    enum Direction: String, CaseIterable {
        /// From workers to the coordinator.
        case up
        /// From the coordinator to workers.
        case down
    }

    /// How the bytes of all connections are treated.
    ///
    /// It belongs to one event loop.
    final class Wire {
        private enum Treatment {
            case flow
            case stall
            case swallow
        }

        private let loop: any EventLoop
        private var target: Endpoint
        private var treatments: [Direction: Treatment] = [:]
        private var delay = TimeAmount.zero
        private var isRefusing = false
        /// How many more bytes pass before all is cut.
        private var allowance: [Direction: Int] = [:]
        private var counts: [Direction: Int] = [.up: 0, .down: 0]
        private var links: [ObjectIdentifier: Link] = [:]

        init(to target: Endpoint, on loop: any EventLoop) {
            self.target = target
            self.loop = loop
        }

        /// Does what a line says; returns the answer, or `nil` when the line makes no sense.
        func obey(_ line: String) -> String? {
            let words = line.split(separator: " ").map(String.init)
            switch (words.first, words.count) {
            case ("flow", 1): flow()
            case ("stall", 2), ("swallow", 2):
                guard let directions = Self.directions(words[1]) else { return nil }
                for direction in directions { treatments[direction] = words[0] == "stall" ? .stall : .swallow }
            case ("delay", 2):
                guard let milliseconds = Int64(words[1]) else { return nil }
                delay = .milliseconds(milliseconds)
            case ("cut", 1): cut()
            case ("cut-after", 3):
                guard let direction = Direction(rawValue: words[1]), let bytes = Int(words[2]) else { return nil }
                allowance[direction] = bytes
            case ("refuse", 1): isRefusing = true
            case ("admit", 1): isRefusing = false
            case ("target", 2):
                guard let endpoint = try? Endpoint(words[1]) else { return nil }
                target = endpoint
            case ("count", 1):
                return "count up=\(counts[.up] ?? 0) down=\(counts[.down] ?? 0) connections=\(links.count)"
            default: return nil
            }
            return "done \(line)"
        }

        private static func directions(_ word: String) -> [Direction]? {
            word == "both" ? Direction.allCases : Direction(rawValue: word).map { [$0] }
        }

        private func flow() {
            treatments = [:]
            delay = .zero
            for link in links.values { link.release() }
        }

        private func cut() {
            for link in links.values { link.close() }
        }

        // MARK: - Connections

        /// A worker has connected: leads it to the coordinator, or sends it away.
        func connect(_ worker: any Channel) throws {
            guard !isRefusing else {
                worker.close(promise: nil)
                return
            }
            let link = Link(worker: worker)
            try worker.pipeline.syncOperations.addHandler(Tap(.up, of: link, wire: self))
            links[ObjectIdentifier(link)] = link
            let wire = NIOLoopBound(self, eventLoop: loop)
            let bound = NIOLoopBound(link, eventLoop: loop)
            let bootstrap = ClientBootstrap(group: loop).channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        Tap(.down, of: bound.value, wire: wire.value))
                }
            }
            let connected =
                switch target {
                case .tcp(let host, let port): bootstrap.connect(host: host, port: port)
                case .ipc(let path): bootstrap.connect(unixDomainSocketPath: path)
                }
            connected.whenComplete { result in
                switch result {
                case .success(let channel): bound.value.lead(to: channel)
                case .failure: bound.value.close()
                }
            }
            worker.closeFuture.whenComplete { _ in
                bound.value.close()
                wire.value.links[ObjectIdentifier(bound.value)] = nil
            }
        }

        /// Bytes have come.
        func pass(_ bytes: ByteBuffer, _ direction: Direction, of link: Link) {
            counts[direction, default: 0] += bytes.readableBytes
            switch treatments[direction] ?? .flow {
            case .swallow: return
            case .stall: link.hold(bytes, direction)
            case .flow:
                var bytes = bytes
                let left = allowance[direction]
                if let left, bytes.readableBytes >= left {
                    allowance[direction] = nil
                    link.send(bytes.readSlice(length: left) ?? ByteBuffer(), direction)
                    cut()
                    return
                }
                allowance[direction] = left.map { $0 - bytes.readableBytes }
                guard delay > .zero else { return link.send(bytes, direction) }
                let bound = NIOLoopBound(link, eventLoop: loop)
                let late = bytes
                loop.scheduleTask(in: delay) { bound.value.send(late, direction) }
            }
        }
    }
#endif
