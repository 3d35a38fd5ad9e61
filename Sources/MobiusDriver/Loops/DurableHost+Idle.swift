import MobiusCodec
package import MobiusEngine
import MobiusJournal
import MobiusProgram
package import MobiusWire

// Loops that leave memory and return. A loop that is not in memory is read by the journal's thread, in the background;
// what is for it waits meanwhile.
extension DurableHost {
    /// Something that waits for a loop that is not in memory.
    enum Waiter {
        /// An event of a sender, in this process or not.
        case event(RequestID, key: String, Payload)
        case request(ClientRequest, RequestID, traceparent: String)
        /// A request for the current model, or for the next one.
        case read(RequestID)
        case watch(RequestID)
        /// A watcher in this process.
        case show
        /// Events of other loops, which the machine keeps.
        case delivery
    }

    /// A loop that was read from the journal; `nil` without an outcome if it does not exist.
    package struct Fetched: Sendable {
        let loop: LoopID
        let outcome: HandedOver<Result<LoopRecovery<Program>.Outcome?, any Error>>
    }

    /// The most loops that are read at a time, before other commits.
    private static var fetchedLoops: Int { 256 }
    /// The most names that are known to be new.
    private static var absentLoops: Int { 10_000 }
    /// The outside keys that a returning loop remembers; it looks up others in the journal.
    static var rememberedKeys: Int { 10_000 }

    // MARK: - Waiting

    package func isAway(_ loop: LoopID) -> Bool {
        // Behind what waits, also when the loop has just returned.
        if waiting.has(loop) { return true }
        guard awayCount > 0, hosted(loop) == nil, held[loop] == nil, end(loop) == nil else { return false }
        return !absent.contains(loop)
    }

    package func wait(_ request: ClientRequest, for loop: LoopID, _ id: RequestID, traceparent: String) -> Bool {
        wait(.request(request, id, traceparent: traceparent), for: loop, bytes: request.waitingBytes)
    }

    package func wait(_ request: RequestID, _ loop: LoopID, key: String, event: Payload) -> Bool {
        wait(.event(request, key: key, event), for: loop, bytes: event.bytes.count + key.utf8.count)
    }

    private func wait(_ waiter: Waiter, for loop: LoopID, bytes: Int) -> Bool {
        guard !isStopping, waiting.hasRoom(bytes: bytes) else { return false }
        fetch(loop, for: waiter, bytes: bytes)
        return true
    }

    /// A watcher in this process watches a loop that is not in memory.
    func fetch(_ loop: LoopID, for waiter: Waiter, bytes: Int = 0) {
        guard waiting.add(waiter, bytes: bytes, for: loop) else { return }
        wanted.append(loop)
        if fetching == 0 { fetchNext() }
    }

    /// Reads the next loops in the background.
    private func fetchNext() {
        guard !wanted.isEmpty else { return }
        let loops = Array(wanted.prefix(Self.fetchedLoops))
        wanted.removeFirst(loops.count)
        fetching = loops.count
        setting.journal.read {
            [preparer = setting.preparer, post = setting.post, breadcrumbs = setting.breadcrumbs, crashes] store in
            let trail = breadcrumbs.map { $0.trail(.journal) }
            store.prefetch(loops)
            defer { store.prefetch([]) }
            store.together {
                for loop in loops {
                    let outcome = Result { () -> LoopRecovery<Program>.Outcome? in
                        guard try store.contains(loop) else { return nil }
                        // Its model is not checked, which would take longer than all else; `--verify` checks all.
                        return try preparer.prepare(
                            loop, from: store, trail: trail, crashes: crashes, keys: Self.rememberedKeys,
                            checksModel: false)
                    }
                    post(.fetched(Fetched(loop: loop, outcome: HandedOver(outcome))))
                }
            }
        }
    }

    /// Takes a loop that was read, and then what waited for it.
    func fetched(_ fetched: Fetched, _ tell: (CoordinatorInput) throws -> Void) throws {
        fetching -= 1
        if fetching == 0 { fetchNext() }
        // The machine accepts no more loops: this one stays in the journal, and requests for it are answered BUSY.
        guard !isStopping else { return }
        switch fetched.outcome.value {
        case .failure(let error):
            awayCount -= 1
            let cause = HeldLoop.Cause.unreadable(nil, reason: "it could not be read when it was needed: \(error)")
            let held = HeldLoop(
                loop: fetched.loop, cause: cause, sequence: 0, pending: 0, since: setting.preparer.calendar(),
                build: setting.preparer.build)
            try returned(held, tell)
        case .success(nil):
            if absent.count >= Self.absentLoops { absent.removeAll(keepingCapacity: true) }
            absent.insert(fetched.loop)
            try tell(.returned(fetched.loop, sequence: nil))
        case .success(.ready(let prepared)?):
            awayCount -= 1
            install(prepared, isParked: true)
            setting.returned(prepared)
            for event in prepared.stats.recovered { forget(event) }
            try tell(prepared.input)
            try tell(.returned(fetched.loop, sequence: prepared.lastSequence))
        case .success(.held(let loop)?):
            awayCount -= 1
            try returned(loop, tell)
        case .success(.ended(let end, let pending)?):
            awayCount -= 1
            try tell(.recoverEnded(end, pending: pending))
            try tell(.returned(fetched.loop, sequence: end.sequence))
        }
    }

    /// An idle loop cannot continue.
    private func returned(_ loop: HeldLoop, _ tell: (CoordinatorInput) throws -> Void) throws {
        held[loop.loop] = loop
        log(loop)
        try tell(.hold(loop.loop))
        try tell(.returned(loop.loop, sequence: max(1, loop.sequence) - 1))
    }

    package func takeWaiting(
        _ loop: LoopID, at now: Moment, _ tell: (CoordinatorInput) throws -> Void,
        _ handle: (ClientRequest, RequestID, String) throws -> Void
    ) throws {
        let waiter = waiting.takeFirst(of: loop)
        switch waiter {
        case nil: break
        case .event(let request, let key, let event)?: try receive(request, loop, key: key, event, tell)
        case .request(let request, let id, let traceparent)?: try handle(request, id, traceparent)
        case .read(let request)?:
            reads.read(loop, request)
            encodeModels()
        case .watch(let request)?: reads.watch(loop, request, at: now)
        case .show?: break  // a loop that comes into memory finds its watchers
        case .delivery?: try tell(.arrived(loop))
        }
    }

    package func waitingCount(of loop: LoopID) -> Int { waiting.count(of: loop) }

    /// Answers everything that waits, because the coordinator stops.
    func refuseWaiting() {
        for waiter in waiting.takeAll() {
            switch waiter {
            case .event(let request, _, _), .request(_, let request, _), .read(let request), .watch(let request):
                give(.stopping, to: request)
            case .show, .delivery: break
            }
        }
        wanted = []
    }

    // MARK: - Leaving

    package func evict(
        _ loops: [LoopID], _ sequence: (LoopID) -> (sequence: UInt64, time: WallTime?)?,
        _ tell: (CoordinatorInput) throws -> Void
    ) throws {
        var (parked, staying, parkings): ([LoopID], [LoopID], [Parking]) = ([], [], [])
        for id in loops {
            guard setting.journal.keepsSnapshots, !isStopping, let loop = hosted(id), !isUsed(loop),
                let last = sequence(id)
            else {
                staying.append(id)
                continue
            }
            if loop.isParked {
                parked.append(id)
            } else {
                parkings.append(parking(loop, last.sequence, last.time))
            }
        }
        if !staying.isEmpty { try tell(.stay(staying)) }
        if !parked.isEmpty { try tell(.parked(parked)) }
        if !parkings.isEmpty { setting.journal.park(parkings) }
    }

    /// Whether somebody watches or reads the loop, or its events were not handed to the journal.
    private func isUsed(_ loop: HostedLoop<Program>) -> Bool {
        loop.hasUnappended || loop.models != nil || isWatched(loop.id) || reads.isRead(loop.id)
    }

    private func isWatched(_ loop: LoopID) -> Bool { setting.watchers.existing(of: loop)?.demand.isThere == true }

    private func parking(_ loop: HostedLoop<Program>, _ sequence: UInt64, _ time: WallTime?) -> Parking {
        loop.isParked = true
        let idle = IdleLoop(loop: loop.id, sequence: sequence, time: time)
        guard loop.snapshots.isDueOnLeaving else { return Parking(idle: idle, snapshot: nil) }
        loop.snapshots.begin()
        let snapshot = LoopSnapshot(
            loop: loop.id, model: loop.typed.model, calls: setting.preparer.calls, breadcrumbs: setting.breadcrumbs,
            sequence: sequence, pending: [])
        return Parking(idle: idle) { Result { () throws(CodingFailure) in try snapshot.encoded() } }
    }

    func parked(_ outcome: Parking.Outcome, _ tell: (CoordinatorInput) throws -> Void) throws {
        for (id, bytes) in outcome.parked {
            if let bytes { loops[id]?.snapshots.saved(bytes: bytes) }
        }
        for (id, reason) in outcome.failed {
            loops[id]?.isParked = false
            snapshotFailed(id, reason)
        }
        if !outcome.failed.isEmpty { try tell(.stay(outcome.failed.map(\.loop))) }
        if !outcome.parked.isEmpty { try tell(.parked(outcome.parked.map(\.loop))) }
    }

    package func unload(_ loop: LoopID) {
        remove(loop)
        awayCount += 1
        // They came while the loop was leaving.
        let readers = reads.removeReaders(of: loop)
        for request in readers.waiting { fetch(loop, for: .read(request)) }
        for request in readers.watching { fetch(loop, for: .watch(request)) }
        if isWatched(loop) { fetch(loop, for: .show) }
    }
}

extension ClientRequest {
    /// The loop that must be in memory before the request is handled; `nil` when it need not be.
    package var neededLoop: LoopID? {
        switch self {
        case .check, .letter, .quarantined, .history: nil
        default: loop
        }
    }

    /// About how many bytes it takes while it waits.
    fileprivate var waitingBytes: Int {
        guard case .send(_, let key, let event, _) = self else { return 0 }
        return key.utf8.count + event.bytes.count
    }
}
