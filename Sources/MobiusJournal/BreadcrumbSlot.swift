public import MobiusWire
import Synchronization

/// Keeps one ``Breadcrumb`` in memory that survives a crash, such as a shared mapping of a file.
///
/// It only copies and sums an event's bytes, without an allocation, because it is on the path of every event. If the
/// process ends during a write, the slot is empty. The byte order is the machine's own, so the file is valid only on
/// the machine that wrote it. One thread uses a slot; a signal handler may set the byte at ``stateOffset``.
public struct BreadcrumbSlot {
    /// The minimum size of a slot's memory; with more memory, larger events are kept whole.
    public static let minimumSize = 4096
    /// The offset of the byte with the slot's ``State``: a signal handler changes `applying` to `trapped`.
    public static let stateOffset = 0

    /// The state of a slot.
    public enum State: UInt8, Sendable {
        /// Empty: no `update` is running.
        case empty = 0
        /// An event that `update` is processing.
        case applying = 1
        /// An event on which `update` crashed.
        case trapped = 2
    }

    /// The contents of a slot.
    public struct Trace: Equatable, Sendable {
        /// Whether `update` crashed, or something else ended the process during `update`.
        public var state: State
        /// The journal of the process.
        public var journal: JournalID
        /// Its epoch.
        public var epoch: UInt64
        /// The build of the program.
        public var build: String
        /// The event.
        public var breadcrumb: Breadcrumb

        /// Describes the contents of a slot.
        public init(state: State, journal: JournalID, epoch: UInt64, build: String, breadcrumb: Breadcrumb) {
            self.state = state
            self.journal = journal
            self.epoch = epoch
            self.build = build
            self.breadcrumb = breadcrumb
        }
    }

    private let memory: UnsafeMutableRawBufferPointer
    /// The strings before the bytes of the event, which the next event usually shares.
    private var strings: BreadcrumbLayout.Strings?

    /// Begins with an empty slot; call ``read(_:)`` before to get what an earlier process left.
    ///
    /// The caller owns the memory and must keep it as long as the slot is used.
    public init(_ memory: UnsafeMutableRawBufferPointer, journal: JournalID, epoch: UInt64, build: String) {
        precondition(memory.count >= Self.minimumSize, "A breadcrumb needs \(Self.minimumSize) bytes of memory.")
        self.memory = memory
        clear()
        BreadcrumbLayout.writeHead(to: memory, journal: journal, epoch: epoch, build: build)
    }

    /// Records the event that is about to be passed to `update`.
    ///
    /// Call ``clear()`` between two calls. If the key is too long for the slot, the slot stays empty: such an event is
    /// unknown after a crash.
    public mutating func record(loop: LoopID, source: SourceKey, event: Payload?, replayed: UInt64? = nil) {
        let fits = BreadcrumbLayout.writeBody(
            to: memory, &strings, loop: loop, source: source, event: event, replayed: replayed)
        store(fits ? .applying : .empty)
    }

    /// Corrects the checksums of a slot, for tests that change its contents.
    package static func sumUp(_ memory: UnsafeMutableRawBufferPointer) {
        BreadcrumbLayout.sumUp(memory)
    }

    /// Empties the slot after `update` has returned.
    public func clear() {
        store(.empty)
    }

    /// The contents of a slot; `nil` when it is empty, was torn by a power cut, or is not a slot.
    public static func read(_ memory: UnsafeRawBufferPointer) -> Trace? {
        guard memory.count >= minimumSize, let state = State(rawValue: memory[stateOffset]), state != .empty,
            let head = BreadcrumbLayout.readHead(memory), let breadcrumb = BreadcrumbLayout.readBody(memory)
        else { return nil }
        return Trace(state: state, journal: head.journal, epoch: head.epoch, build: head.build, breadcrumb: breadcrumb)
    }

    // Atomic, so that the compiler neither reorders the store with the event's bytes nor removes it: a signal handler
    // reads the byte.
    private func store(_ state: State) {
        guard let address = memory.baseAddress else { return }
        let byte = (address + Self.stateOffset).assumingMemoryBound(to: Atomic<UInt8>.self)
        byte.pointee.store(state.rawValue, ordering: .releasing)
    }
}
