/// Small habits that keep the rooms readable and the tests honest.
enum Habits {
    /// Files beyond 400 lines.
    static func longFiles(in file: SourceFile) -> [Problem] {
        guard file.lines > 400 else { return [] }
        return [file.problem(401, "the file has \(file.lines) lines, 400 at most: a concept wants a file of its own")]
    }

    /// Notes about work not done; an issue is their place.
    static func unfinishedWork(in file: SourceFile) -> [Problem] {
        let comments = file.tokens.filter { $0.kind == .comment || $0.kind == .documentation }
        return comments.flatMap { comment in
            comment.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap {
                offset, line in
                let isNote = !Set(["TODO", "FIXME", "XXX"]).isDisjoint(
                    with: line.split { !$0.isLetter }.map(String.init))
                guard isNote else { return nil }
                return file.problem(comment.line + offset, "finish it now, or open an issue and delete the note")
            }
        }
    }

    /// Sources of libdispatch that watch descriptors: on Linux their cancellation can crash the process.
    static func descriptorSources(in file: SourceFile) -> [Problem] {
        ["makeReadSource(", "makeWriteSource("].flatMap { call in
            file.occurrences(of: call).map { index in
                file.problem(file.code[index].line, "no \(call)…): poll the descriptor on a thread (ReadPoller)")
            }
        }
    }

    /// Waits that end by the calendar: when it is set back, they last longer by that much.
    static func calendarWaits(in file: SourceFile) -> [Problem] {
        let waits = [
            "Date(timeIntervalSinceNow:", "wait(until: Date", "condition.wait(until:", "wait(wallTimeout:",
            "wait(timeout: .now()",
        ]
        return waits.flatMap { wait in
            file.occurrences(of: wait).map { index in
                file.problem(
                    file.code[index].line,
                    "no \(wait)…: it goes by the calendar, which may be set back; MonotonicCondition waits for a time")
            }
        }
    }

    /// Tests that look inside; `package` access is what other rooms may see.
    static func testableImports(in file: SourceFile) -> [Problem] {
        file.occurrences(of: "@testable").map { index in
            file.problem(
                file.code[index].line, "no @testable: make what the test needs `package`, or test the public face")
        }
    }

    /// Limits that a test sets by itself.
    static func ownLimits(in file: SourceFile) -> [Problem] {
        guard !file.path.contains("/Support/") else { return [] }
        return file.occurrences(of: ".timeLimit(").map { index in
            file.problem(
                file.code[index].line, "no .timeLimit(…): .patient has the one limit, which follows the machine's speed"
            )
        }
    }

    /// Tests that wait for time to pass instead of for what they need.
    ///
    /// `Tests/Support` and a suite's `Support` folder may, for their one helper that looks again until a deadline; and
    /// programs in `Tests/Tools`.
    /// Ten minutes' sleep or more is nobody's wait but the stand-in for work that hangs until it is cancelled; and what
    /// is called `clock` is a `TestClock`, whose time passes when the test says so.
    static func sleeps(in file: SourceFile) -> [Problem] {
        guard !file.path.contains("/Support/"), !file.path.hasPrefix("Tests/Tools/") else { return [] }
        let naps = file.occurrences(of: "sleep(for: .seconds(")
        let hangs = Set(naps.filter { (file.code[min($0 + 7, file.code.count - 1)].number ?? 0) >= 600 })
        // The occurrence begins with the receiver, so the call itself is two tokens on.
        let virtual = Set(file.occurrences(of: "clock.sleep(").map { $0 + 2 })
        return ["sleep(", "usleep(", "nanosleep("].flatMap { call in
            file.occurrences(of: call).filter { !hangs.contains($0) && !virtual.contains($0) }.map { index in
                file.problem(
                    file.code[index].line,
                    "no \(call)…) in tests: wait for the condition itself, with a deadline (FleetTestSupport)")
            }
        }
    }
}
