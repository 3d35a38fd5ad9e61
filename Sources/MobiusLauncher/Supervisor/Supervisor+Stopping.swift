import MobiusCommand

extension Supervisor {
    /// Begins the end: workers first.
    mutating func stop(because reason: String, at now: Duration) -> [Action] {
        phase = .stoppingWorkers
        for (name, record) in records where !record.isPending {
            // What waited for its restart stays away.
            records[name]?.state = .gone
        }
        return [.note(.stopping(because: reason))] + endReplacements() + terminate(workers, at: now) + proceed(at: now)
    }

    /// Ends the fleet because it cannot work; a stop that is under way only takes note.
    mutating func giveUp(_ verdict: Verdict, at now: Duration) -> [Action] {
        guard phase == .running else { return proceed(at: now) }
        self.verdict = verdict
        return stop(because: verdict.sentence ?? "exit code \(verdict.code)", at: now)
    }

    /// Ends the fleet because a process ends too often.
    mutating func giveUp(on name: ProcessName, _ end: String, at now: Duration) -> [Action] {
        let policy = rules(of: name).restart
        let often =
            policy.times == 0
            ? "its restart policy allows no restart"
            : "it was restarted \(policy.times == 1 ? "once" : "\(policy.times) times") within \(DurationArgument(policy.within))"
        let sentence =
            "\(name) ended again (\(end)), and \(often), so mobius up gives up; see its output above, or allow more with "
            + "'restart: {times: …, within: …}' in the topology file."
        return giveUp(Verdict(code: 70, sentence: sentence), at: now)
    }

    /// The next phase, as soon as nothing of this one is left.
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

    /// Asks the running ones among the processes to stop, and sets their deadlines.
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

    /// Whether a process that just started is no longer wanted.
    func mustStop(_ name: ProcessName) -> Bool {
        switch phase {
        case .idle, .running: records[name]?.isRetiring == true
        case .stoppingWorkers: name != coordinator
        case .stoppingCoordinator, .finished: true
        }
    }

    /// Ends of a worker after which no restart could help.
    static func verdict(on name: ProcessName, _ termination: Termination) -> Verdict? {
        guard case .worker = name, case .exited(let code) = termination else { return nil }
        switch code {
        case 64:
            return Verdict(
                code: 64,
                sentence: "\(name) says that it was called wrongly (exit code 64), so restarting it cannot help; "
                    + "correct its command or environment in the topology file.")
        case 77, 78:
            let what = code == 77 ? "the coordinator refuses it" : "its configuration is wrong"
            return Verdict(
                code: code,
                sentence: "\(name) says that \(what) (exit code \(code)), so restarting it cannot help; "
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
