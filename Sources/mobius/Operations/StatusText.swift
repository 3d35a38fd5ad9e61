package import MobiusClient
import MobiusProcess

extension WorkerStatus {
    /// The worker's name, or the beginning of its incarnation.
    var label: String { name.isEmpty ? "\("\(incarnation)".prefix(8))" : name }
}

extension FleetStatus {
    /// The number of held loops.
    var held: UInt64 { heldCount ?? UInt64(loops.count(where: \.isHeld)) }

    /// The number of held loops, in words that follow the number of loops.
    fileprivate var heldWords: String {
        if held == 0 { return "" }
        if held == loopCount { return ", ALL HELD: nothing is applied, see mobius quarantine list" }
        return ", \(held) held: see mobius quarantine list"
    }

    /// A line for each pool that is paused, or that effects wait for and no worker serves.
    var stoppedPools: [String] {
        pools.filter { $0.pause != nil || $0.workers == 0 && $0.waiting > 0 }.map { pool in
            if let pause = pool.pause { return TerminalText.line(pause.sentence(of: pool.pool)) }
            let effects = pool.waiting == 1 ? "1 effect waits" : "\(pool.waiting) effects wait"
            return TerminalText.line("\(EffectSummary.unserved(pool.pool)): \(effects)")
        }
    }
}

/// A fleet's status in lines for people, none longer than the screen.
package struct StatusText {
    private let status: FleetStatus
    private let width: Int
    private let limit: Int
    private let heldLimit: Int
    private let givenUp: [String]

    /// Describes a status with at most `limit` loops, pools and workers; without a limit twenty of each, and five of the
    /// loops that are held.
    ///
    /// `givenUp` are the workers that `mobius up` does not restart any more.
    package init(_ status: FleetStatus, width: Int, limit: Int? = nil, givenUp: [String] = []) {
        self.status = status
        self.width = width
        self.limit = limit ?? 20
        heldLimit = limit ?? 5
        self.givenUp = givenUp
    }

    /// The lines: the fleet first, then a table each of loops, pools and workers.
    package var lines: [String] {
        (head + loops + pools + workers + lost).map { TerminalText.cut($0, to: width) }
    }

    private var head: [String] {
        var lines = Lines()
        lines.add("Program", "\(status.program), build \(status.build)")
        lines.add("Journal", "\(status.journal), epoch \(status.epoch)")
        lines.add("Running", "since \(Times.point(status.started))")
        lines.add("Loops", "\(status.loopCount)" + status.heldWords)
        lines.add("Effects", "\(status.pending) pending")
        lines.add("Dead letters", "\(status.letters)" + (status.letters == 0 ? "" : ": see mobius dead list"))
        return lines.text
    }

    private var loops: [String] {
        var table = Table(.name("LOOP"), "EVENTS", "PENDING", "STATE")
        let shown = Array(
            (status.loops.filter(\.isHeld).prefix(heldLimit) + status.loops.filter { !$0.isHeld }).prefix(limit))
        for loop in shown {
            table.add(loop.loop.name, "\(loop.sequence)", "\(loop.pending)", loop.isHeld ? "held" : "running")
        }
        let held = status.held - UInt64(clamping: min(shown.count(where: \.isHeld), Int(clamping: status.held)))
        let missing = status.loopCount - min(status.loopCount, UInt64(shown.count))
        guard missing > 0 else { return table.lines(width: width) }
        let rest = "… and \(missing) more loop\(missing == 1 ? "" : "s")" + (held == 0 ? "" : ", \(held) of them held")
        return table.lines(width: width) + [rest]
    }

    private var pools: [String] {
        guard !status.pools.isEmpty else { return ["No pool is in use."] }
        var table = Table(.name("POOL"), "WORKERS", "WAITING", "RUNNING", "OLDEST", "CREDIT")
        for pool in status.pools.prefix(limit) {
            table.add(
                pool.pool, "\(pool.workers)", "\(pool.waiting)", "\(pool.running)",
                pool.oldest.map { Times.span(milliseconds: $0) } ?? "-", "\(pool.credit)")
        }
        return table.lines(width: width) + rest(UInt64(status.pools.count), status.pools.count, "pool")
            + status.stoppedPools
    }

    private var workers: [String] {
        guard !status.workers.isEmpty else { return ["No worker is there."] }
        var table = Table(.name("WORKER"), .name("POOLS"), "RUNNING", "CREDIT", "LAST HEARD", "BUILD")
        for worker in status.workers.prefix(limit) {
            table.add(
                worker.label, worker.pools.joined(separator: ","), "\(worker.running)",
                worker.isDraining ? "drains" : "\(worker.free)", "\(Times.span(milliseconds: worker.silence)) ago",
                worker.build)
        }
        return table.lines(width: width) + rest(UInt64(status.workers.count), status.workers.count, "worker")
    }

    /// A line for each pool of which workers were given up.
    private var lost: [String] {
        let pools = Dictionary(grouping: givenUp) { $0.prefix { $0 != "." } }
        return pools.sorted { $0.key < $1.key }.map { pool, names in
            TerminalText.line("GIVEN UP: \(names.joined(separator: " ")); see the log, then mobius scale \(pool)=COUNT")
        }
    }

    private func rest(_ count: UInt64, _ known: Int, _ name: String) -> [String] {
        let shown = UInt64(min(known, limit))
        let missing = count > shown ? count - shown : 0
        return missing == 0 ? [] : ["… and \(missing) more \(name)\(missing == 1 ? "" : "s")"]
    }
}
