import MobiusProcess

// MARK: - An operator restarts the coordinator, or replaces it by a new build; the workers stay
extension Supervisor {
    /// An operator's order to start the coordinator anew.
    package struct CoordinatorOrder: Hashable, Sendable {
        /// Whether a new build takes over: then the running build is kept, and serves again if the new one does not
        /// become ready.
        package var replaces: Bool
        /// Whether the new build verifies the journal first.
        package var verifies: Bool
        /// The time that a run may take to become ready.
        package var readyLimit: Duration

        /// Makes an order; only a replacement verifies.
        package init(replaces: Bool, verifies: Bool = true, readyLimit: Duration = .seconds(60)) {
            self.replaces = replaces
            self.verifies = verifies && replaces
            self.readyLimit = readyLimit
        }
    }

    /// A restart or a replacement of the coordinator in progress.
    struct CoordinatorChange: Equatable, Sendable {
        let request: Int
        let order: CoordinatorOrder
        var step: Step
        /// The reason why the new build was given up; set while the old one starts again.
        var failure: String?
        /// Whether the next status was requested before the current run began.
        var ignoresReply = false

        enum Step: Equatable, Sendable {
            case keeping
            case verifying
            case stopping
            /// Waits until the run that was started is ready.
            case waiting(until: Duration)
        }
    }

    /// Begins to carry out an operator's order.
    mutating func change(_ order: CoordinatorOrder, request: Int, at now: Duration) -> [Action] {
        guard phase == .running else { return refuse(request, 75, "The fleet is stopping.") }
        guard coordinatorChange == nil else {
            return refuse(
                request, 75, "The coordinator is being restarted or replaced; try again when that has ended.")
        }
        guard case .running = records[coordinator]?.state else {
            return refuse(request, 75, "The coordinator does not run at the moment; try again when it does.")
        }
        coordinatorChange = CoordinatorChange(request: request, order: order, step: .keeping)
        return order.replaces ? [.keep(coordinator, request: request)] : stopForChange(at: now)
    }

    mutating func kept(request: Int, problem: String?, at now: Duration) -> [Action] {
        guard let change = coordinatorChange, change.request == request, change.step == .keeping else { return [] }
        if let problem { return endChange(because: problem, code: 1) }
        guard change.order.verifies else { return stopForChange(at: now) }
        coordinatorChange?.step = .verifying
        return [
            .tell(request: request, "the new build verifies the journal"), .verify(coordinator, request: request),
        ]
    }

    mutating func verified(request: Int, problem: String?, at now: Duration) -> [Action] {
        guard let change = coordinatorChange, change.request == request, change.step == .verifying else { return [] }
        if let problem { return endChange(because: "the new build did not verify the journal: \(problem)", code: 1) }
        return stopForChange(at: now)
    }

    private mutating func stopForChange(at now: Duration) -> [Action] {
        coordinatorChange?.step = .stopping
        return tell("the coordinator stops") + terminate([coordinator], at: now)
    }

    /// Whether the coordinator stops only in order to be started again.
    var isStoppedForChange: Bool { coordinatorChange?.step == .stopping }

    /// Whether an operator waits until the coordinator is ready.
    var isWaitedFor: Bool { if case .waiting? = coordinatorChange?.step { true } else { false } }

    /// Starts the coordinator again after it has stopped for a change; nil when it did not stop for one.
    mutating func stoppedForChange(at now: Duration) -> [Action]? {
        guard let change = coordinatorChange, change.step == .stopping else { return nil }
        if change.order.replaces { runsKept = change.failure != nil }
        return startForChange(change, at: now)
    }

    /// Handles the end of a new build that is not ready yet: the old one starts again; nil in any other case.
    mutating func newRunEnded(_ reason: String, at now: Duration) -> [Action]? {
        guard phase == .running, isWaitedFor, let change = coordinatorChange, change.order.replaces,
            change.failure == nil
        else { return nil }
        coordinatorChange?.failure = reason
        runsKept = true
        return rolledBack(reason) + startForChange(change, at: now)
    }

    private mutating func startForChange(_ change: CoordinatorChange, at now: Duration) -> [Action] {
        let deadline = now + change.order.readyLimit
        coordinatorChange?.step = .waiting(until: deadline)
        coordinatorChange?.ignoresReply = statusSchedule.isUnderWay
        records[coordinator]?.state = .starting
        records[coordinator]?.delay = nil
        let build = change.order.replaces ? (runsKept ? "the old build" : "the new build") : "the coordinator"
        return tell("\(build) starts") + [start(coordinator), .wake(at: deadline)]
    }

    private func rolledBack(_ reason: String) -> [Action] {
        [.note(.rolledBack(coordinator, reason: reason))] + tell("the new build is given up: \(reason)")
    }

    /// The action that starts a process with its current build.
    func start(_ name: ProcessName) -> Action {
        name == coordinator && runsKept ? .startKept(name) : .start(name)
    }

    /// Whether the coordinator's status shows that it is ready.
    var awaitsCoordinator: Bool {
        guard isWaitedFor, coordinatorRules.health == nil, coordinatorRules.readiness == .session,
            case .running = records[coordinator]?.state
        else { return false }
        return true
    }

    /// Handles an answer of the coordinator's.
    mutating func answered(at now: Duration) -> [Action] {
        awaitsCoordinator ? coordinatorReady(at: now) : []
    }

    /// Checks whether the coordinator has run long enough to count as ready.
    mutating func checkCoordinator(at now: Duration) -> [Action] {
        guard isWaitedFor, coordinatorRules.health == nil, case .after(let time) = coordinatorRules.readiness,
            case .running(let since) = records[coordinator]?.state, now - since >= time
        else { return [] }
        return coordinatorReady(at: now)
    }

    /// Handles a coordinator that became ready: ends the change.
    mutating func coordinatorReady(at now: Duration) -> [Action] {
        guard isWaitedFor, let change = coordinatorChange else { return [] }
        coordinatorChange = nil
        if let failure = change.failure {
            return refuse(
                change.request, 1,
                "The new build was given up: \(failure). The old build serves again, until another one replaces it or "
                    + "mobius up ends. Install a build that works before mobius up is started again.")
        }
        guard change.order.replaces else {
            let build = runsKept ? ", with the build that ran before; the one on disk was refused" : ""
            return [.answer(request: change.request, .done("the coordinator is ready: restarted\(build)"))]
        }
        return [.discardKept, .answer(request: change.request, .done("the new build is ready: replaced"))]
    }

    /// Gives up a run that is not ready in time.
    mutating func checkChange(at now: Duration) -> [Action] {
        guard let change = coordinatorChange, case .waiting(let deadline) = change.step, deadline <= now else {
            return []
        }
        let late = "it was not ready within \(DurationArgument(change.order.readyLimit))"
        guard change.order.replaces, change.failure == nil else {
            let which = change.failure.map { "The new build was given up: \($0). The old build was started: " } ?? ""
            coordinatorChange = nil
            return refuse(change.request, 1, "\(which)\(late); it keeps running: see its output.")
        }
        coordinatorChange?.failure = late
        return rolledBack(late) + stopForChange(at: now)
    }

    /// Ends the change in progress, if there is one, with a refusal.
    ///
    /// The build that runs stays the one to start, also after crashes: the one on disk did not take over.
    mutating func endChange(because reason: String, code: Int32) -> [Action] {
        guard let change = coordinatorChange else { return [] }
        coordinatorChange = nil
        guard change.order.replaces else {
            return refuse(change.request, code, "The coordinator was not restarted: \(reason).")
        }
        let isKept = change.step != .keeping
        runsKept = runsKept || isKept
        let earlier = change.failure.map { "; the new build had been given up: \($0)" } ?? ""
        let advice =
            isKept && phase == .running
            ? " The build that ran before stays in use, also after a crash. The one on disk was not accepted: install a "
                + "build that works before mobius up is started again." : ""
        let discard: [Action] = runsKept ? [] : [.discardKept]
        return discard + refuse(change.request, code, "The coordinator was not replaced: \(reason)\(earlier).\(advice)")
    }

    /// Returns the end of the coordinator; SIGTERM from here is an orderly end.
    static func end(_ termination: Termination, of record: Record) -> Termination {
        if case .stopping = record.state, termination == .signaled(15) { return .exited(0) }
        return termination
    }

    private func tell(_ words: String) -> [Action] {
        coordinatorChange.map { [.tell(request: $0.request, words)] } ?? []
    }

    private func refuse(_ request: Int, _ code: Int32, _ sentence: String) -> [Action] {
        [.answer(request: request, .refused(code: code, sentence))]
    }
}
