/// The shared state of decoders and containers: the nodes of the current bytes, and reused memory.
///
/// It belongs to one thread at a time. Between ``begin(_:)`` and ``end()`` the bytes do not move. A decoder or
/// container that is used later throws an error and never reads other bytes.
final class DecodingMachine {
    /// The current bytes, behind a pointer, to avoid exclusivity checks.
    let state: UnsafeMutablePointer<State>
    /// The coder's `userInfo`.
    var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    let views = ViewPool<KeyedView>()
    let ways = TypeTable(Way.itself)

    struct State {
        var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        var nodes = NodeList()
        /// Tables of the keys of large objects; see ``DecodingMachine/find(_:in:from:)``.
        var index: [UInt32] = []
        /// Missing members that have a decoder: their nodes are after all others.
        var missing: [(place: Int, object: Int, name: String)] = []
        /// The last object that should have named one case of an enum and does not, for the error that follows.
        var choice: Choice?
        /// The last value that could not be read, for the error that follows.
        var fault: Fault?
        /// The explanation of the fault in the bytes read last, beyond the error itself.
        var explanation: Explanation?
        /// Grows with each use, to detect decoders that outlive one.
        var generation: UInt32 = 0
    }

    init() {
        state = .allocate(capacity: 1)
        state.initialize(to: State())
    }

    deinit {
        state.pointee.nodes.deallocate()
        state.deinitialize(count: 1)
        state.deallocate()
    }

    var generation: UInt32 { state.pointee.generation }

    /// Scans bytes, which must stay until ``end()``.
    ///
    /// - Throws: `DecodingError.dataCorrupted` for what is not JSON.
    func begin(_ bytes: UnsafeRawBufferPointer) throws {
        state.pointee.bytes = bytes
        state.pointee.nodes.removeAll()
        if !state.pointee.index.isEmpty { state.pointee.index.removeAll(keepingCapacity: true) }
        if !state.pointee.missing.isEmpty { state.pointee.missing.removeAll(keepingCapacity: true) }
        state.pointee.choice = nil
        state.pointee.fault = nil
        state.pointee.explanation = nil
        // An invalid place.
        state.pointee.nodes.append(Node(kind: .null, offset: 0, length: 0, next: 1))
        do throws(MalformedBytes) {
            try JSONScanner.scan(bytes, into: &state.pointee.nodes)
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: [], debugDescription: "It is not valid JSON: \(error.reason).",
                    underlyingError: error))
        }
    }

    /// Forgets the bytes.
    func end() {
        state.pointee.generation &+= 1
        state.pointee.bytes = UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// A node of bytes that are still there.
    func node(_ place: Int) -> Node { state.pointee.nodes[place] }

    /// The bytes of a leaf or a key.
    func text(of node: Node) -> UnsafeBufferPointer<UInt8> {
        let bytes = state.pointee.bytes
        guard node.length > 0 else { return UnsafeBufferPointer(start: nil, count: 0) }
        return UnsafeBufferPointer(
            start: bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self) + Int(node.offset),
            count: Int(node.length))
    }

    /// The text of a node that is one, or `nil`.
    func string(of node: Node) -> String? {
        if node.isPlain { return String(decoding: text(of: node), as: UTF8.self) }
        return node.kind == .text ? JSONText.plain(text(of: node)) : JSONText.escaped(text(of: node))
    }

    /// The place of the value that was scanned.
    static let root = 1
}
