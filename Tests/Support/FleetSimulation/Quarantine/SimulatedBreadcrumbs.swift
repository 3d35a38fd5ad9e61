import MobiusDriver
import MobiusJournal
import MobiusTestKit
package import MobiusWire

/// The breadcrumbs of a simulated coordinator process: the production slots, of which the disk keeps what a trap leaves.
final class SimulatedBreadcrumbs: Breadcrumbs, @unchecked Sendable {
    // @unchecked: a world runs on one thread at a time.

    let traces: [BreadcrumbSlot.Trace]
    /// The number of the program's build in the process.
    let build: Int
    /// The loop for which the program has trapped: nothing counts that the process does since.
    private(set) var trapped: LoopID?
    /// Where, in the program's words.
    private(set) var place = ""
    /// Called when the program traps.
    var onTrap: () -> Void = {}
    /// The traps that the journal knew when the process began, and the loops that operators have released since.
    private(set) var crashes: [Crash] = []
    var released: Set<LoopID> = []
    private let disk: Disk
    let epoch: UInt64
    private let memory: UnsafeMutableRawBufferPointer

    private static let slotSize = 2 * BreadcrumbSlot.minimumSize

    init(_ disk: Disk, epoch: UInt64, build: Int) {
        self.disk = disk
        self.epoch = epoch
        self.build = build
        traces = disk.traces
        memory = .allocate(byteCount: Self.slotSize * BreadcrumbPlace.allCases.count, alignment: 8)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit { memory.deallocate() }

    /// The name of the build.
    var buildName: String { "build \(build)" }

    func clear() {
        disk.traces = []
        crashes = (try? disk.content.crashes()) ?? []
    }

    func trail(_ place: BreadcrumbPlace) -> EventTrail {
        EventTrail(
            BreadcrumbSlot(part(place), journal: disk.identity, epoch: epoch, build: buildName), watch: self)
    }

    private func part(_ place: BreadcrumbPlace) -> UnsafeMutableRawBufferPointer {
        let start = place.rawValue * Self.slotSize
        return UnsafeMutableRawBufferPointer(rebasing: memory[start..<start + Self.slotSize])
    }

    /// The program traps in a call for a loop: does what the signal's handler does, and keeps what the next process finds.
    func trap(for loop: LoopID, at place: String) {
        guard trapped == nil else { return }
        trapped = loop
        self.place = place
        disk.traces = BreadcrumbPlace.allCases.compactMap { place in
            let slot = part(place)
            let isApplying = slot[BreadcrumbSlot.stateOffset] == BreadcrumbSlot.State.applying.rawValue
            if isApplying { slot[BreadcrumbSlot.stateOffset] = BreadcrumbSlot.State.trapped.rawValue }
            return BreadcrumbSlot.read(UnsafeRawBufferPointer(slot))
        }
        onTrap()
    }
}

/// The calls of a program with mistakes: a trap ends the process that calls it.
///
/// The rest of such a call has no consequences, because the process is dead when it returns.
package final class ProgramTraps {
    private let callers: ProgramCallers

    init(_ callers: ProgramCallers) {
        self.callers = callers
    }

    private var running: SimulatedBreadcrumbs? { callers.running as? SimulatedBreadcrumbs }

    /// The number of the build of the program that is called; `nil` when nothing can trap.
    package var build: Int? { running?.build }

    /// The program traps in a call for this loop.
    package func trap(for loop: LoopID, at place: String) { running?.trap(for: loop, at: place) }
}
