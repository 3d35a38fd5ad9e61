import Dispatch
import MobiusProcess

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The only writer to stderr: complete lines from all processes and from `mobius up` itself, never mixed.
///
/// Nothing is buffered without limit: a slow reader of stderr slows the processes down through their pipes.
final class OutputMultiplexer: Sendable {
    /// Whether stderr is a terminal: then prefixes are coloured, and an incomplete progress line of the coordinator is
    /// cleared.
    let isTerminal: Bool
    private let colours: Bool
    private let isRaw: Bool
    private let queue = DispatchQueue(label: "mobius.output")
    private let poller: ReadPoller

    /// - Parameter isRaw: Whether lines of processes are written unchanged, with their control characters.
    /// - Throws: ``SystemFailure`` when no pipe can be created.
    init(environment: [String: String], isRaw: Bool) throws {
        self.isRaw = isRaw
        isTerminal = isatty(STDERR_FILENO) == 1
        poller = try ReadPoller(queue: queue)
        colours = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// Writes text that ends in a line break, after all earlier writes.
    func write(_ text: String) {
        queue.async { self.put(Array(text.utf8)) }
    }

    /// Returns when all earlier writes are done.
    func flush() {
        queue.sync {}
    }

    /// Copies a pipe, line by line with a prefix; takes over the descriptor.
    func attach(_ descriptor: Int32, name: ProcessName, style: Topology.LogStyle) -> PrefixedStream {
        let word = style.prefix ?? "\(name)"
        let colour = style.colour.map(Self.code) ?? Self.colour(of: name)
        let prefix = colours && colour != 0 ? "\u{1B}[\(colour)m\(word) |\u{1B}[0m " : "\(word) | "
        let prefixer = LinePrefixer(prefix: prefix, isRaw: isRaw)
        return PrefixedStream(descriptor, prefixer, queue: queue, poller) { self.put($0) }
    }

    private func put(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        // The cursor may be in an incomplete progress line: clear it; its program paints it again.
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

    /// A colour per pool, one of six that are readable on dark and light, derived from the name so that it does not
    /// change.
    private static func colour(of name: ProcessName) -> Int {
        guard case .worker(let pool, _) = name else { return 1 }
        return 31 + pool.utf8.reduce(5) { ($0 &* 31 &+ Int($1)) % 6 }
    }
}

/// The output of one process, copied from its pipe to stderr.
///
/// `@unchecked Sendable`: its mutable state is touched on the multiplexer's serial queue only.
final class PrefixedStream: @unchecked Sendable {
    private static let bufferSize = 64 << 10
    /// The maximum number of reads per turn, so that one process with much output does not starve the others.
    private static let readsPerTurn = 8

    private let descriptor: Int32
    private let queue: DispatchQueue
    private let put: @Sendable ([UInt8]) -> Void
    private let poller: ReadPoller
    /// The number at the poller; touched on the queue, where it is set before anything is read.
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

    /// Copies the rest of the pipe and closes it, even if a grandchild still holds the other end; call it after the
    /// process ended.
    func finish() {
        queue.async { [self] in
            while readSome() {}
            end()
        }
    }

    /// Reads for one turn; returns false when the pipe is empty or has ended.
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
