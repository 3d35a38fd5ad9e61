package import MobiusClient
import MobiusProcess

/// The status of a fleet in lines that fit a screen, as `mobius status --watch` shows it.
package struct WatchText {
    /// A process of `mobius up`.
    package struct Process: Equatable, Sendable {
        let name: String
        let pool: String?
        let state: String
        let restarts: Int

        package init(name: String, pool: String?, state: String, restarts: Int) {
            self.name = name
            self.pool = pool
            self.state = state
            self.restarts = restarts
        }
    }

    private let status: FleetStatus
    private let processes: [Process]?
    private let rate: Double?
    private let now: WallTime

    /// Describes a status; `processes` are those of `mobius up`, nil when it does not run on this machine.
    package init(_ status: FleetStatus, processes: [Process]?, rate: Double?, now: WallTime) {
        self.status = status
        self.processes = processes
        self.rate = rate
        self.now = now
    }

    /// At most `height` lines of at most `width` columns; workers without a line are counted.
    package func lines(width: Int, height: Int) -> [String] {
        let head = [top, counts, ""]
        let pools =
            Self.table(
                ["POOL", "PENDING", "OLDEST", "RUNNING", "CREDIT", "WORKERS", "RESTARTS"], poolRows, width)
            + status.stoppedPools
        let room = max(1, height - head.count - pools.count - 1)
        let workers = Self.table(["WORKER", "   STATE", "RUNNING", "CREDIT", "HEARD", "RESTARTS"], workerRows, width)
        var lines = head + pools
        if workers.count > 1 {
            let shown = workers.prefix(workers.count <= room ? room : max(1, room - 1))
            lines += [""] + shown
            let missing = workers.count - shown.count
            if missing > 0 { lines.append("… and \(missing) more worker\(missing == 1 ? "" : "s")") }
        } else {
            lines += ["", "No worker is there."]
        }
        return lines.prefix(height).map { TerminalText.cut($0, to: width) }
    }

    private var top: String {
        let lasted = UInt64(max(0, now.milliseconds &- status.started.milliseconds))
        var parts = [
            TerminalText.line(status.program), "epoch \(status.epoch) for \(Times.span(milliseconds: lasted))",
        ]
        if let restarts = processes?.first(where: { $0.pool == nil })?.restarts, restarts > 0 {
            parts.append("restarted \(restarts == 1 ? "once" : "\(restarts) times")")
        }
        parts.append(Times.point(now))
        return parts.joined(separator: "   ")
    }

    private var counts: String {
        let held = status.held
        let all = held > 0 && held == status.loopCount
        let parts = [
            "loops \(status.loopCount)" + (all ? " (ALL HELD)" : held > 0 ? " (\(held) held)" : ""),
            "pending \(status.pending)",
            "dead letters \(status.letters)", "events/s \(Self.text(rate))",
        ]
        return parts.joined(separator: "   ")
    }

    private static func text(_ rate: Double?) -> String {
        guard let rate else { return "-" }
        let tenths = Int((rate * 10).rounded())
        if tenths == 0 { return "0" }
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\((tenths + 5) / 10)"
    }

    private var poolRows: [[String]] {
        let known = status.pools.map { pool in
            let processes = processes?.filter { $0.pool == pool.pool && $0.state != "ended" }
            let wanted = processes.map { $0.isEmpty ? "" : "/\($0.count)" } ?? ""
            return [
                pool.pool, "\(pool.waiting &+ pool.running)", pool.oldest.map { Times.span(milliseconds: $0) } ?? "-",
                "\(pool.running)", "\(pool.credit)", "\(pool.workers)\(wanted)", restarts(in: pool.pool),
            ]
        }
        // The coordinator may not list a pool before its first worker joins.
        var others: [String] = []
        for pool in (processes ?? []).compactMap(\.pool)
        where !others.contains(pool) && !status.pools.contains(where: { $0.pool == pool }) {
            others.append(pool)
        }
        return known
            + others.map { pool in
                let count = processes?.count { $0.pool == pool && $0.state != "ended" } ?? 0
                return [pool, "0", "-", "0", "0", "0/\(count)", restarts(in: pool)]
            }
    }

    private func restarts(in pool: String) -> String {
        guard let processes = processes?.filter({ $0.pool == pool }), !processes.isEmpty else { return "-" }
        return "\(processes.reduce(0) { $0 + $1.restarts })"
    }

    private var workerRows: [[String]] {
        var rest = processes?.filter { $0.pool != nil } ?? []
        let joined = status.workers.map { worker in
            // The second run of a process is named name~2.
            let name = worker.name.split(separator: "~").first.map(String.init) ?? ""
            let process = rest.firstIndex { $0.name == name }.map { rest.remove(at: $0) }
            let state = worker.isDraining ? "drains" : worker.silence >= 3000 ? "silent" : "joined"
            return [
                worker.name.isEmpty ? "\(worker.label) \(worker.pools.joined(separator: ","))" : worker.name, state,
                "\(worker.running)", "\(worker.free)", Times.span(milliseconds: worker.silence),
                process.map { "\($0.restarts)" } ?? "-",
            ]
        }
        return joined + rest.map { [$0.name, $0.state, "-", "-", "-", "\($0.restarts)"] }
    }

    /// A table whose first column is cut if necessary and whose other columns are aligned to the right.
    private static func table(_ heads: [String], _ rows: [[String]], _ width: Int) -> [String] {
        let all = [heads] + rows.map { $0.map(TerminalText.line) }
        let widths = heads.indices.map { column in all.map { TerminalText.width($0[column]) }.max() ?? 0 }
        let others = widths.dropFirst().reduce(0) { $0 + $1 + 2 }
        let first = max(8, min(widths[0], width - others))
        return all.map { row in
            let name = TerminalText.cut(row[0], to: first)
            let start = name + String(repeating: " ", count: max(0, first - TerminalText.width(name)))
            return row.indices.dropFirst().reduce(start) { line, column in
                line + String(repeating: " ", count: widths[column] - TerminalText.width(row[column]) + 2) + row[column]
            }
        }
    }
}
