import Logging
package import MobiusEngine
package import MobiusJournal
package import MobiusWire

// Facts of loops: written with the events that change them, read for clients, and computed anew after another build.
extension DurableHost {
    /// The progress of the computing of facts, in the order of its steps.
    package enum FactReport: Sendable {
        /// The journal has noted this.
        case noted(FactProgress)
        /// These were computed from the journal, and are to be written.
        case computed([RebuiltFacts], FactStep)
        /// The journal could not be read.
        case failed(JournalError)
    }

    // MARK: - With each commit

    /// Returns the facts that change with the events of these loops, which are in their models.
    func changedFacts(of loops: [HostedLoop<Program>]) -> [FactChange] {
        loops.compactMap { loop in
            guard let prefix = loop.factPrefix else { return nil }
            let facts = facts(of: loop, prefix)
            defer { loop.facts = facts }
            guard let known = loop.facts else { return FactChange(loop.id, replacedBy: facts) }
            return FactChange(loop.id, from: known, to: facts)
        }
    }

    private func facts(of loop: HostedLoop<Program>, _ prefix: String) -> [StoredFact] {
        let place = SourceKey.place(.facts, of: loop.id)
        if !crashes.isEmpty, skips(CrashLedger.Event(loop: loop.id, source: place)) { return [] }
        let facts = setting.preparer.calls.facts(of: loop.typed.model, of: loop.id, prefix: prefix, trail)
        forgetTrap(at: place, of: loop.id)
        return facts
    }

    /// Whether a loop has not ended and begun again.
    func isNewest(_ loop: HostedLoop<Program>) -> Bool { loops[loop.id].map { $0 === loop } ?? true }

    /// Computes the facts of a loop from its records, after all that were appended so far.
    func refreshFacts(of loop: LoopID) {
        guard writesFacts else { return }
        let (recovery, breadcrumbs) = (setting.preparer, setting.breadcrumbs)
        setting.journal.perform { [crashes] store throws(JournalError) in
            let trail = breadcrumbs.map { $0.trail(.journal) }
            let facts = try recovery.facts(of: loop, in: store, trail, crashes)
            if let facts { try store.rebuild([facts], step: nil) }
        }
    }

    /// The same for the loops that are held since the last append.
    func refreshFactsOfHeld() {
        for loop in factless { refreshFacts(of: loop) }
        factless.removeAll()
    }

    // MARK: - After another build

    /// The most loops of one step: its commit delays others, by a round trip for each.
    private static var rebuiltLoops: Int { 16 }
    /// The number of traps of a build after which it computes no facts: each costs a start.
    static var factTraps: Int { 3 }
    /// The number of commits after which the computing begins again when the journal could not be read.
    private static var retriedCommits: Int { 256 }

    /// Finds out whether another build wrote the facts, and computes them anew if so.
    func startFacts() {
        setting.journal.read { [post = setting.post] store in
            do throws(JournalError) {
                post(.facts(.noted(try store.factProgress())))
            } catch {
                post(.facts(.failed(error)))
            }
        }
    }

    /// Whether the computing is to begin again with this append.
    func isFactRetryDue() -> Bool {
        guard let left = factRetry else { return false }
        factRetry = left > 0 ? left - 1 : nil
        return left == 0
    }

    func handle(_ report: FactReport) {
        guard !isStopping else { return }
        switch report {
        case .noted(let progress):
            if progress == .complete, factProgress != nil { setting.preparer.logger.info("facts computed anew") }
            factProgress = progress
            if case .upTo(let loop) = progress { computeFacts(after: loop) }
        case .computed(let facts, let step):
            for facts in facts { forgetTrap(at: .place(.facts, of: facts.loop), of: facts.loop) }
            setting.journal.perform { [post = setting.post] store throws(JournalError) in
                try store.rebuild(facts, step: step)
                post(.facts(.noted(step.progress)))
            }
        case .failed(let error):
            factRetry = Self.retriedCommits
            setting.preparer.logger.warning(
                "facts are computed later, because the journal cannot be read", metadata: ["error": "\(error.message)"])
        }
    }

    private func computeFacts(after: LoopID?) {
        guard crashes.trapsOfFacts(by: setting.preparer.build, replaying: true) < Self.factTraps else {
            setting.preparer.logger.error(
                "facts are not computed for all loops: this build traps on what is in the journal",
                metadata: ["do": "mobius quarantine list, and run a build that can read it"])
            return
        }
        let (recovery, breadcrumbs, post) = (setting.preparer, setting.breadcrumbs, setting.post)
        (setting.past ?? setting.queries).read { [crashes] journal throws(JournalError) in
            let trail = breadcrumbs.map { $0.trail(.past) }
            let page = try journal.loopPage(prefix: "", after: after, limit: Self.rebuiltLoops)
            var facts: [RebuiltFacts] = []
            for stored in page {
                if let found = try recovery.facts(of: stored.loop, in: journal, trail, crashes) { facts.append(found) }
            }
            let isLast = page.count < Self.rebuiltLoops
            let progress: FactProgress = isLast ? .complete : .upTo(page.last?.loop)
            post(.facts(.computed(facts, FactStep(after: after, to: progress))))
        } failed: {
            post(.facts(.failed($0)))
        }
    }

    // MARK: - For clients

    package func find(_ query: FactListing, _ request: RequestID) {
        guard let search = search(for: query, request) else { return }
        let isComplete = factProgress == .complete
        read(for: request) { journal throws(JournalError) in
            let page = try search.page(of: journal)
            let stored = try journal.storedLoops(page.found.map(\.loop))
            return .foundLoops(request, FoundPage(query: query, page: page, stored: stored, isComplete: isComplete))
        }
    }

    /// Reads a query; one that cannot be answered is refused.
    private func search(for query: FactListing, _ request: RequestID) -> FactSearch? {
        let calls = setting.preparer.calls
        func refuse(_ reason: String, _ code: ClientRefusal.Code = .unsupported) -> FactSearch? {
            give(.refused(ClientRefusal(code, reason)), to: request)
            return nil
        }
        guard calls.hasFacts else {
            return refuse(
                "No program declares facts, by which loops could be found: see FindableProgram.", .invalidQuery)
        }
        guard setting.journal.keepsSnapshots else {
            return refuse("This coordinator keeps no journal, so it finds no loops by their facts.")
        }
        guard writesFacts else {
            return refuse("This build of the program trapped while it computed facts: run one that does not.")
        }
        // One program declares them for loops of any name.
        let name = query.prefix.isEmpty || calls.kindsWithFacts == [""] ? LoopID.main.name : query.prefix
        guard let prefix = LoopID(name).flatMap({ calls.factPrefix(of: $0) }) else {
            let known = calls.kindsWithFacts.map { "\($0)/" }.joined(separator: ", ")
            return refuse("Name a kind of loops whose program declares facts, as the prefix: \(known).", .invalidQuery)
        }
        do throws(FactQueryError) {
            return FactSearch(
                kind: prefix.isEmpty ? nil : String(prefix.dropLast()), prefix: query.prefix,
                query: try query.condition.map { text throws(FactQueryError) in
                    try FactQuery(text, now: setting.preparer.calendar())
                }, sort: try query.sort.map { text throws(FactQueryError) in try FactSort(text) }, after: query.after,
                limit: Int(query.limit))
        } catch {
            return refuse(error.description, .invalidQuery)
        }
    }
}

/// A page of loops that were found by their facts, which the machine completes.
package struct FoundPage: Sendable {
    /// The request.
    package let query: FactListing
    /// The loops in their order, with their facts, and where to go on.
    package let page: (found: [FactEntry], next: FactPlace?)
    /// Those of them that the journal has.
    package let stored: [StoredLoop]
    /// Whether this build has written the facts of all loops.
    package let isComplete: Bool
}
