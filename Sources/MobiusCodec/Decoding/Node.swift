/// One scanned value or key: its place, and that of the next node.
///
/// Nodes are in the order of the bytes: a container is followed by its contents, a key by its value.
struct Node {
    /// The kind of node.
    enum Kind: UInt8 {
        case null, `true`, `false`
        /// A number as text.
        case number
        /// Text whose bytes are its UTF-8, or text with escapes.
        case text, escapedText
        case array, object
    }

    let kind: Kind
    /// Whether it is a key that stood in its object before: the first one counts.
    var isRepeated = false
    /// Text of ASCII only, without control characters or escapes: it needs no further check.
    var isPlain = false
    /// The first byte of a leaf or key, behind a quotation mark.
    ///
    /// Of an object whether questions about its members may be asked: 0 for not yet, ``plain``, or one more than that and the
    /// place of a table of its keys.
    var offset: UInt32
    /// The bytes of a leaf or key; the members or elements of a container.
    var length: UInt32
    /// The node behind this one and all that it holds.
    var next: UInt32

    /// In an object's ``offset``: it is small, and its keys are checked.
    static let plain: UInt32 = 1
    /// Objects with more members than this get a table.
    static let smallCount = 16
}

/// Whether the keys of an object are plain and differ, as nearly always is seen without comparing them.
struct KeyMarks {
    private(set) var arePlain = true
    private var seen: UInt64 = 0

    /// A key with its first byte, which may turn out to be like another when it is not.
    @inline(__always)
    mutating func add(_ key: Node, first: UInt8) {
        let mark: UInt64 = 1 << UInt64((UInt32(first) &+ key.length &* 27) & 63)
        arePlain = arePlain && key.isPlain && seen & mark == 0
        seen |= mark
    }
}

/// The nodes of one scan, in memory that is kept for the next.
struct NodeList {
    private(set) var base: UnsafeMutablePointer<Node>
    private(set) var count = 0
    private var capacity = 64

    init() {
        base = .allocate(capacity: capacity)
    }

    func deallocate() {
        base.deallocate()
    }

    subscript(index: Int) -> Node {
        unsafeAddress { UnsafePointer(base + index) }
        nonmutating unsafeMutableAddress { base + index }
    }

    mutating func append(_ node: Node) {
        if count == capacity { grow() }
        (base + count).initialize(to: node)
        count &+= 1
    }

    /// Ends a container, which holds all nodes behind it.
    ///
    /// The numbers fit, as those of leaves.
    @inline(__always)
    mutating func close(_ place: Int, length: UInt32) {
        base[place].length = length
        base[place].next = UInt32(truncatingIfNeeded: count)
    }

    /// Ends an object.
    @inline(__always)
    mutating func close(_ place: Int, length: UInt32, _ keys: KeyMarks) {
        close(place, length: length)
        // Nothing is left to be made ready then.
        if keys.arePlain, length <= Node.smallCount { base[place].offset = Node.plain }
    }

    /// Forgets the nodes from a place on.
    mutating func truncate(to count: Int) {
        self.count = count
    }

    /// Forgets all nodes; much memory is given back.
    mutating func removeAll() {
        count = 0
        guard capacity > 1 << 16 else { return }
        base.deallocate()
        capacity = 64
        base = .allocate(capacity: capacity)
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<Node>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: base, count: count)
        base.deallocate()
        base = larger
        capacity *= 2
    }
}
