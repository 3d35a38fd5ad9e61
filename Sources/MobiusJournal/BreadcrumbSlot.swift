public import MobiusWire
import Synchronization

/// Keeps one ``Breadcrumb`` in memory that outlives a crash, such as a shared mapping of a file.
///
/// It does no more than copy an event's bytes and sum them up, without an allocation: it is on the path of every event. What
/// happens to a process in the middle of it shows as an empty slot. The layout is the machine's own: the file stays where it
/// was written. One thread uses a slot; a signal handler may set the byte at ``stateOffset``.
public struct BreadcrumbSlot {
    /// How much memory a slot needs; with more of it, larger events are kept whole.
    public static let minimumSize = 4096
    /// Where the byte is that says what the slot holds, a ``State``: a signal handler that finds `applying` makes it
    /// `trapped`.
    public static let stateOffset = 0

    /// What a slot holds.
    public enum State: UInt8, Sendable {
        /// Nothing: no `update` is at work.
        case empty = 0
        /// The event that `update` has been given.
        case applying = 1
        /// The event on which it crashed.
        case trapped = 2
    }

    /// What was found in a slot.
    public struct Trace: Equatable, Sendable {
        /// Whether `update` crashed, or something else ended the process while it was at work.
        public var state: State
        /// Which journal the process wrote.
        public var journal: JournalID
        /// Its epoch.
        public var epoch: UInt64
        /// Which build of the program it was.
        public var build: String
        /// The event.
        public var breadcrumb: Breadcrumb

        /// Describes what was found in a slot.
        public init(state: State, journal: JournalID, epoch: UInt64, build: String, breadcrumb: Breadcrumb) {
            self.state = state
            self.journal = journal
            self.epoch = epoch
            self.build = build
            self.breadcrumb = breadcrumb
        }
    }

    private let memory: UnsafeMutableRawBufferPointer
    /// What stands before the bytes of the event: as a rule the next one is of the same loop and kind.
    private var strings: BreadcrumbLayout.Strings?

    /// Begins with an empty slot; ``read(_:)`` what an earlier process left there before.
    ///
    /// The memory is the caller's, who keeps it as long as the slot is used.
    public init(_ memory: UnsafeMutableRawBufferPointer, journal: JournalID, epoch: UInt64, build: String) {
        precondition(memory.count >= Self.minimumSize, "A breadcrumb needs \(Self.minimumSize) bytes of memory.")
        self.memory = memory
        clear()
        BreadcrumbLayout.writeHead(to: memory, journal: journal, epoch: epoch, build: build)
    }

    /// Writes down the event that `update` is about to be given.
    ///
    /// ``clear()`` comes between two of these. A key too long for the slot leaves it empty: such an event is not known after
    /// a crash.
    public mutating func lay(loop: LoopID, source: SourceKey, event: Payload?, replayed: UInt64? = nil) {
        let fits = BreadcrumbLayout.writeBody(
            to: memory, &strings, loop: loop, source: source, event: event, replayed: replayed)
        store(fits ? .applying : .empty)
    }

    /// Makes the sums of a slot right, for tests that change what is in it.
    package static func sumUp(_ memory: UnsafeMutableRawBufferPointer) {
        BreadcrumbLayout.sumUp(memory)
    }

    /// `update` has come back.
    public func clear() {
        store(.empty)
    }

    /// What is in a slot; `nil` when it is empty, was torn by a power cut, or never was one.
    public static func read(_ memory: UnsafeRawBufferPointer) -> Trace? {
        guard memory.count >= minimumSize, let state = State(rawValue: memory[stateOffset]), state != .empty,
            let head = BreadcrumbLayout.readHead(memory), let breadcrumb = BreadcrumbLayout.readBody(memory)
        else { return nil }
        return Trace(state: state, journal: head.journal, epoch: head.epoch, build: head.build, breadcrumb: breadcrumb)
    }

    // Atomic, so that the compiler neither moves the byte across the event's nor leaves a store out that nobody seems to
    // read: a signal handler does.
    private func store(_ state: State) {
        guard let address = memory.baseAddress else { return }
        let byte = (address + Self.stateOffset).assumingMemoryBound(to: Atomic<UInt8>.self)
        byte.pointee.store(state.rawValue, ordering: .releasing)
    }
}
