import Dispatch
import MobiusCommand

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The one writer to stderr: whole lines from all processes and from `mobius up` itself, never mixed.
///
/// A slow reader of stderr slows the processes down through their pipes; nothing piles up here.
final class OutputBoard: Sendable {
    /// Whether stderr is a terminal: then prefixes have colours, and a live line of the coordinator makes way.
    let isTerminal: Bool
    private let colours: Bool
    private let isRaw: Bool
    private let queue = DispatchQueue(label: "mobius.output")
    private let poller: ReadPoller

    /// - Parameter isRaw: Whether lines of processes are written as they are, with their control characters.
    /// - Throws: ``SystemFailure`` when no pipe can be made.
    init(environment: [String: String], isRaw: Bool) throws {
        self.isRaw = isRaw
        isTerminal = isatty(STDERR_FILENO) == 1
        poller = try ReadPoller(queue: queue)
        colours = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// Writes text that ends in a line break, in turn.
    func write(_ text: String) {
        queue.async { self.put(Array(text.utf8)) }
    }

    /// Returns when everything given so far is written.
    func flush() {
        queue.sync {}
    }

    /// Begins to copy a pipe, line by line with a prefix; takes over the descriptor.
    func attach(_ descriptor: Int32, name: ProcessName, style: Topology.LogStyle) -> PrefixedStream {
        let word = style.prefix ?? "\(name)"
        let colour = style.colour.map(Self.code) ?? Self.colour(of: name)
        let prefix = colours && colour != 0 ? "\u{1B}[\(colour)m\(word) |\u{1B}[0m " : "\(word) | "
        let prefixer = LinePrefixer(prefix: prefix, isRaw: isRaw)
        return PrefixedStream(descriptor, prefixer, queue: queue, poller) { self.put($0) }
    }

    private func put(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        // A progress line may stand there unfinished: clear it, its program paints it again.
        let output = isTerminal ? Array("\r\u{1B}[K".utf8) + bytes : bytes
        output.withUnsafeBytes { _ = StandardError.writeAll($0, to: STDERR_FILENO) }
    }

    private static func code(of colour: Topology.Colour) -> Int {
        switch colour {
        case .none: 0
        case .red: 31
        case .green: 32
        case .yellow: 33
        case .blue: 34
        case .magenta: 35
        case .cyan: 36
        }
    }

    /// A colour per pool: the six that are readable on dark and light, chosen by the name so that it stays.
    private static func colour(of name: ProcessName) -> Int {
        guard case .worker(let pool, _) = name else { return 1 }
        return 31 + pool.utf8.reduce(5) { ($0 &* 31 &+ Int($1)) % 6 }
    }
}

/// One pipe of a process on its way to stderr.
///
/// `@unchecked Sendable`: its mutable state is touched on the board's serial queue only.
final class PrefixedStream: @unchecked Sendable {
    private static let bufferSize = 64 << 10
    /// Reads per turn, so that one chatty process leaves the others their turn.
    private static let readsPerTurn = 8

    private let descriptor: Int32
    private let queue: DispatchQueue
    private let put: @Sendable ([UInt8]) -> Void
    private let poller: ReadPoller
    /// Its name there; touched on the queue, where it is set before anything is read.
    private var number = 0
    private var prefixer: LinePrefixer
    private var hasEnded = false

    fileprivate init(
        _ descriptor: Int32, _ prefixer: LinePrefixer, queue: DispatchQueue, _ poller: ReadPoller,
        put: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.descriptor = descriptor
        self.queue = queue
        self.put = put
        self.prefixer = prefixer
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        self.poller = poller
        queue.async { [self] in number = poller.add(descriptor) { [self] _ in _ = readSome() } }
    }

    /// The process is gone: copies what it left in the pipe, then closes it, even if a grandchild still holds the other end.
    func finish() {
        queue.async { [self] in
            while readSome() {}
            end()
        }
    }

    /// Reads up to a turn's worth; false when the pipe is empty or ended.
    private func readSome() -> Bool {
        guard !hasEnded else { return false }
        return withUnsafeTemporaryAllocation(byteCount: Self.bufferSize, alignment: 1) { buffer in
            for _ in 0..<Self.readsPerTurn {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                if count > 0 {
                    put(prefixer.append(UnsafeRawBufferPointer(rebasing: buffer[..<count])))
                } else if count == 0 {
                    end()
                    return false
                } else if errno != EINTR {
                    return false
                }
            }
            return true
        }
    }

    private func end() {
        guard !hasEnded else { return }
        hasEnded = true
        put(prefixer.finish())
        poller.remove(number)
    }
}
