import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusTestKit
import MobiusWire

/// A request for models, loops or histories that was not answered yet.
struct OpenRead {
    let loop: LoopID
    /// The number of the last event of the loop that was confirmed to a sender before.
    let confirmed: UInt64
    /// The event whose model it asks for; `nil` for the current one.
    var past: UInt64?
    /// The watcher that sent it.
    var watcher: Int?
}

/// A client that watches a loop's models.
struct Watcher {
    let loop: LoopID
    var seen: ModelVersion?
    /// Its newest request, which was not answered yet.
    var request: RequestID?
    /// The coordinator that got the request.
    var coordinator: String?
}

// Clients that read and watch: what they get is on disk, and never older than what was confirmed before they asked.
extension Simulation {
    func simulateReaders() {
        past.begin()
        for index in 0..<scenario.readers {
            watchers.append(Watcher(loop: scenario.loops[index % scenario.loops.count]))
            plan(after: chance.milliseconds(1...300)) { $0.keepWatching(index) }
            plan(after: chance.milliseconds(1...300)) { $0.read() }
        }
    }

    private func read() {
        guard !isClosing else { return }
        plan(after: chance.milliseconds(20...400)) { $0.read() }
        let loop = chance.pick(scenario.loops)
        let first = chance.percent(50) ? nil : history.next[loop].map { $0 / 2 }
        let limit = UInt32(chance.number(0...40))
        let models = chance.percent(20)
        let request = chance.pick([
            ClientRequest.model(loop), .model(loop), .loops(prefix: "", state: nil, after: nil, limit: 0),
            .history(HistoryRequest(loop, first: first, limit: limit, models: models)),
        ])
        guard let last = history.lastConfirmed[loop], chance.percent(20) else {
            ask(request, of: loop)
            return
        }
        let past = last - min(last, UInt64(chance.number(0...5)))
        ask(.model(loop, at: past), of: loop, past: past)
    }

    /// Asks for the model after the last seen one.
    private func watch(_ index: Int) {
        let watcher = watchers[index]
        let number = ask(.watch(watcher.loop, seen: watcher.seen), of: watcher.loop, watcher: index)
        // That a loop has ended is answered at once.
        watchers[index].request = number.flatMap { reads[$0] == nil ? nil : $0 }
        watchers[index].coordinator = coordinator(of: watcher.loop)?.name
    }

    /// Asks again from time to time, as a client does that got no model, or whose coordinator is gone.
    ///
    /// A request that waits at the living coordinator is not repeated: it must be answered after the next event.
    private func keepWatching(_ index: Int) {
        let watcher = watchers[index]
        if watcher.request == nil || watcher.coordinator != coordinator(of: watcher.loop)?.name { watch(index) }
        plan(after: chance.milliseconds(100...600)) { $0.keepWatching(index) }
    }

    @discardableResult
    private func ask(
        _ request: ClientRequest, of loop: LoopID, past: UInt64? = nil, watcher: Int? = nil
    ) -> RequestID? {
        guard let coordinator = coordinator(of: loop), coordinator.isAlive else { return nil }
        let number = newRequest()
        reads[number] = OpenRead(loop: loop, confirmed: history.lastConfirmed[loop] ?? 0, past: past, watcher: watcher)
        trace("reader", "sends \(request.command) of \(loop) to \(coordinator.name)")
        coordinator.handle(request, as: number)
        return number
    }

    /// Handles the answer to a reader's request.
    ///
    /// - Returns: whether the request was one of a reader.
    func handleRead(_ number: RequestID, _ answer: ClientAnswer) -> Bool {
        guard let read = reads.removeValue(forKey: number) else { return false }
        world.callers.run(nil) { handle(answer, number, read) }
        return true
    }

    private func handle(_ answer: ClientAnswer, _ number: RequestID, _ read: OpenRead) {
        trace("reader", "gets \(answer.command) of \(read.loop)")
        let watcher = read.watcher.flatMap { watchers[$0].request == number ? $0 : nil }
        if let watcher { watchers[watcher].request = nil }
        switch answer {
        case .model(let summary, let model) where read.past != nil: checkPast(summary, model, read)
        case .model(let summary, let model): check(summary, model, read, watcher)
        case .refused(let refusal) where refusal.code == .unknownEvent && isGone(read): pastModels.refused += 1
        case .loops(let loops, _): check(loops, read)
        case .history(let page): check(page, read)
        case .busy: break
        case .unchanged: checkUnchanged(read)
        case .notFound where history.next[read.loop] == nil: break
        case .refused(let refusal) where refusal.code == .ended && history.ends[read.loop] != nil: break
        case .refused(let refusal) where refusal.code == .held && mayBeHeld(read.loop): break
        default: violated(.reading, "a reader of loop \(read.loop) got \(answer)")
        }
    }

    private func check(_ summary: ModelSummary, _ model: Payload, _ read: OpenRead, _ watcher: Int?) {
        let version = summary.version
        if !summary.isHeld { check(version.sequence, read, "the model of") }
        comparePast(read.loop, model, at: version.sequence)
        guard let index = watcher else { return }
        if let seen = watchers[index].seen, seen.sequence >= version.sequence {
            violated(.reading, "a watcher of \(read.loop) has seen event \(seen.sequence), and got \(version.sequence)")
        }
        watchers[index].seen = version
        plan(after: chance.microseconds(100...5000)) { simulation in
            if simulation.watchers[index].request == nil { simulation.watch(index) }
        }
    }

    /// Checks a model of the past, which a replay of the journal has made.
    private func checkPast(_ summary: ModelSummary, _ model: Payload, _ read: OpenRead) {
        pastModels.read += 1
        if summary.version.sequence != read.past {
            violated(.reading, "a reader of \(read.loop) got another model than that after event \(read.past ?? 0)")
        }
        comparePast(read.loop, model, at: summary.version.sequence)
    }

    /// Whether a model cannot be computed: the journal does not lead to it any more, or its replay may trap.
    private func isGone(_ read: OpenRead) -> Bool {
        // Once is enough: what is only asked for is skipped then.
        let hasTrapped = trapRecord.counts[read.loop] != nil || scenario.earlier != nil
        guard let past = read.past, !hasTrapped else { return hasTrapped }
        let content = world.disks[world.shard(of: read.loop)].content
        let kept = try? content.entries(of: read.loop, JournalRange(limit: 1))
        if case .event(let first)? = kept?.entries.first?.record, first.source == .start {
            return past < first.sequence
        }
        let oldest = try? content.oldestSnapshot(of: read.loop)
        return past < max(kept?.first ?? 0, oldest?.sequence ?? 0)
    }

    /// Checks that a watcher had seen all that was confirmed before its request.
    private func checkUnchanged(_ read: OpenRead) {
        guard let index = read.watcher, let seen = watchers[index].seen, seen.sequence < read.confirmed else { return }
        violated(
            .reading, "a watcher of \(read.loop) has seen event \(seen.sequence) of \(read.confirmed), and got no model"
        )
    }

    private func check(_ loops: [LoopSummary], _ read: OpenRead) {
        for loop in loops {
            // One that is held is shown as before the event that holds it, which a replay may have reached again.
            let confirmed = loop.loop == read.loop && loop.state != .held ? read.confirmed : 0
            check(loop.sequence, OpenRead(loop: loop.loop, confirmed: confirmed), "the list with")
        }
        let names = loops.map(\.loop)
        // Others begin with their first event.
        let expected = scenario.loops.filter {
            history.next[$0] != nil && world.shard(of: $0) == world.shard(of: read.loop)
        }
        if names != names.sorted(by: { $0.name < $1.name }) || !Set(names).isSuperset(of: expected) {
            violated(.reading, "a list has the loops \(loops.map(\.loop))")
        }
    }

    private func check(_ page: HistoryPage, _ read: OpenRead) {
        if let last = page.entries.last {
            check(last.place.sequence, page.more ? OpenRead(loop: read.loop, confirmed: 0) : read, "the history of")
        }
        let sources = history.journal[read.loop] ?? []
        for entry in page.entries where entry.place.part == 0 {
            if let model = entry.after?.model {
                pastModels.read += 1
                comparePast(read.loop, model, at: entry.place.sequence)
            } else if entry.after != nil {
                var read = read
                read.past = entry.place.sequence
                if isGone(read) {
                    pastModels.refused += 1
                } else {
                    violated(.reading, "the history of \(read.loop) lacks the model after \(entry.place.sequence)")
                }
            }
            guard entry.place.sequence > 0, let key = entry.key, let position = Int(exactly: entry.place.sequence - 1)
            else { continue }
            if position >= sources.count || sources[position].source != .outside(key) {
                violated(.reading, "event \(entry.place.sequence) of \(read.loop) is not the one with the key \(key)")
            }
        }
    }

    private func check(_ sequence: UInt64, _ read: OpenRead, _ what: String) {
        if sequence >= history.next[read.loop] ?? 0 {
            violated(.reading, "\(what) loop \(read.loop) shows event \(sequence), which is not on disk")
        }
        if sequence < read.confirmed {
            violated(
                .reading,
                "\(what) loop \(read.loop) shows event \(sequence), although event \(read.confirmed) was confirmed before"
            )
        }
    }

    /// Checks that every watcher has got the last model.
    func checkWatchers() {
        for watcher in watchers {
            let (seen, last) = (watcher.seen?.sequence, history.next[watcher.loop].map { $0 - 1 })
            if seen != last {
                let (mine, theirs) = (seen.map(String.init) ?? "none", last.map(String.init) ?? "none")
                violated(.reading, "a watcher of \(watcher.loop) has model \(mine), and the last one is \(theirs)")
            }
        }
    }

    /// Compares a model that a client got with the events on disk up to its event, unless that was long ago.
    private func comparePast(_ loop: LoopID, _ model: Payload, at sequence: UInt64) {
        guard let expected = past[loop, sequence], !world.modelChecker.isEqual(expected, model, of: loop) else {
            return
        }
        violated(
            .reading, "the model of loop \(loop) differs from the one that its events up to \(sequence) produce")
    }
}
