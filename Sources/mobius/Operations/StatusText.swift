package import MobiusClient
import MobiusCommand

extension WorkerStatus {
    /// The worker's name, or the beginning of its incarnation.
    var label: String { name.isEmpty ? "\("\(incarnation)".prefix(8))" : name }
}

/// A fleet's status in lines for people, none longer than the screen.
package struct StatusText {
    private let status: FleetStatus
    private let width: Int
    private let limit: Int

    /// Describes a status with at most `limit` loops, pools and workers.
    package init(_ status: FleetStatus, width: Int, limit: Int) {
        self.status = status
        self.width = width
        self.limit = limit
    }

    /// The lines: the fleet first, then a table each of loops, pools and workers.
    package var lines: [String] {
        (head + loops + pools + workers).map { TerminalText.cut($0, to: width) }
    }

    private var head: [String] {
        let held = status.loops.count(where: \.isHeld)
        var lines = Lines()
        lines.add("Program", "\(status.program), build \(status.build)")
        lines.add("Journal", "\(status.journal), epoch \(status.epoch)")
        lines.add("Running", "since \(Times.point(status.started))")
        lines.add("Loops", "\(status.loopCount)" + (held == 0 ? "" : ", \(held) held: see mobius quarantine list"))
        lines.add("Effects", "\(status.pending) pending")
        lines.add("Dead letters", "\(status.letters)" + (status.letters == 0 ? "" : ": see mobius dead list"))
        return lines.text
    }

    private var loops: [String] {
        var table = Table("LOOP", "EVENTS", "PENDING", "STATE")
        for loop in status.loops.prefix(limit) {
            table.add(name(loop.loop.name), "\(loop.sequence)", "\(loop.pending)", loop.isHeld ? "held" : "running")
        }
        return table.lines(width: width) + rest(status.loopCount, status.loops.count, "loop")
    }

    private var pools: [String] {
        guard !status.pools.isEmpty else { return ["No pool is in use."] }
        var table = Table("POOL", "WORKERS", "WAITING", "RUNNING", "OLDEST", "CREDIT")
        for pool in status.pools.prefix(limit) {
            table.add(
                name(pool.pool), "\(pool.workers)", "\(pool.waiting)", "\(pool.running)",
                pool.oldest.map { Times.span(milliseconds: $0) } ?? "-", "\(pool.credit)")
        }
        return table.lines(width: width) + rest(UInt64(status.pools.count), status.pools.count, "pool")
    }

    private var workers: [String] {
        guard !status.workers.isEmpty else { return ["No worker is there."] }
        var table = Table("WORKER", "POOLS", "RUNNING", "CREDIT", "LAST HEARD", "BUILD")
        for worker in status.workers.prefix(limit) {
            table.add(
                worker.label, name(worker.pools.joined(separator: ",")), "\(worker.running)",
                worker.isDraining ? "drains" : "\(worker.free)", "\(Times.span(milliseconds: worker.silence)) ago",
                worker.build)
        }
        return table.lines(width: width) + rest(UInt64(status.workers.count), status.workers.count, "worker")
    }

    /// A name, cut to leave room for the columns after it; the JSON output contains whole names.
    private func name(_ text: String) -> String {
        TerminalText.cut(TerminalText.line(text), to: max(12, width - 48))
    }

    private func rest(_ count: UInt64, _ known: Int, _ name: String) -> [String] {
        let shown = UInt64(min(known, limit))
        let missing = count > shown ? count - shown : 0
        return missing == 0 ? [] : ["… and \(missing) more \(name)\(missing == 1 ? "" : "s")"]
    }
}
