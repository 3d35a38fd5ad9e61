import MobiusProcess

extension Supervisor {
    /// Begins to stop the fleet, workers first.
    mutating func stop(because reason: String, at now: Duration) -> [Action] {
        phase = .stoppingWorkers
        for (name, record) in records where !record.isPending {
            // A process that waits for its restart is not restarted.
            records[name]?.state = .gone
        }
        return [.note(.stopping(because: reason))] + endReplacements()
            + endChange(because: "the fleet is stopping", code: 75) + terminate(workers, at: now) + proceed(at: now)
    }

    /// Stops the fleet because it cannot work; if it is already stopping, the verdict is ignored.
    mutating func giveUp(_ verdict: Verdict, at now: Duration) -> [Action] {
        guard phase == .running else { return proceed(at: now) }
        self.verdict = verdict
        return stop(because: verdict.sentence ?? "exit code \(verdict.code)", at: now)
    }

    /// Gives up a process that ends too often: a worker alone, and with the coordinator the fleet.
    mutating func giveUp(on name: ProcessName, _ end: String, at now: Duration) -> [Action] {
        let policy = rules(of: name).restart
        let times = policy.times == 1 ? "once" : "\(policy.times) times"
        let often =
            policy.times == 0
            ? "its restart policy allows no restart"
            : "it was restarted \(times) within \(DurationArgument(policy.within))"
        func sentence(_ conclusion: String) -> String {
            "\(name) ended again (\(end)), and \(often), so \(conclusion); see its output above, or allow more with "
                + "'restart: {times: …, within: …}' in the topology file."
        }
        guard name == coordinator else { return giveUp(worker: name, sentence("it is given up")) }
        return giveUp(Verdict(code: 70, sentence: sentence("mobius up gives up")), at: now)
    }

    /// Gives up a worker that has ended: it stays away until an operator scales its pool.
    ///
    /// The number of its pool's workers does not follow the load meanwhile, which would start it again and again.
    mutating func giveUp(worker name: ProcessName, _ reason: String) -> [Action] {
        guard case .worker(let pool, _) = name else { return [] }
        records[name]?.isGivenUp = true
        return [.note(.givenUp(name, reason: reason, left: members(of: pool).count))]
    }

    /// Begins the next phase if all processes of this one have ended.
    mutating func proceed(at now: Duration) -> [Action] {
        if phase == .stoppingWorkers, !workers.contains(where: { records[$0]?.isPending == true }) {
            phase = .stoppingCoordinator
            let actions = terminate([coordinator], at: now)
            if !actions.isEmpty { return actions }
        }
        guard phase == .stoppingCoordinator, records[coordinator]?.isPending == false else { return [] }
        phase = .finished
        return [.finish(code: verdict?.code ?? coordinatorEnd?.code ?? 0, sentence: verdict?.sentence)]
    }

    /// Asks those of the processes that run to stop, and sets their deadlines.
    mutating func terminate(_ names: [ProcessName], at now: Duration) -> [Action] {
        var deadlines: [Duration] = []
        let actions = names.compactMap { name -> Action? in
            guard case .running = records[name]?.state else { return nil }
            let deadline = now + rules(of: name).grace
            records[name]?.state = .stopping(deadline: deadline)
            if !deadlines.contains(deadline) { deadlines.append(deadline) }
            return .terminate(name)
        }
        return actions + deadlines.map { .wake(at: $0) }
    }

    /// Whether a process that has just started must be stopped.
    func mustStop(_ name: ProcessName) -> Bool {
        switch phase {
        case .idle, .running: records[name]?.isRetiring == true || (name == coordinator && isStoppedForChange)
        case .stoppingWorkers: name != coordinator
        case .stoppingCoordinator, .finished: true
        }
    }

    /// The verdict when a worker ends with a code after which restarting it cannot help.
    static func verdict(on name: ProcessName, _ termination: Termination) -> Verdict? {
        guard case .worker = name, case .exited(let code) = termination else { return nil }
        switch code {
        case 64:
            return Verdict(
                code: 64,
                sentence: "\(name) reports that it was called wrongly (exit code 64), so restarting it cannot help; "
                    + "correct its command or environment in the topology file.")
        case 77, 78:
            let what = code == 77 ? "the coordinator refuses it" : "its configuration is wrong"
            return Verdict(
                code: code,
                sentence: "\(name) reports that \(what) (exit code \(code)), so restarting it cannot help; "
                    + "see its output above.")
        case 126, 127:
            return Verdict(
                code: 69,
                sentence: "\(name) cannot be started (exit code \(code)); "
                    + "see its output above and correct its command in the topology file.")
        default:
            return nil
        }
    }
}
