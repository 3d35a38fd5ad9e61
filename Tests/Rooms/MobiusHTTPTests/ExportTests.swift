#if HTTP
    import FleetTestSupport
    import Foundation
    import MobiusHTTP
    import TestTraits
    import Testing

    /// Loops as files: `mobius export` writes them, `mobius view` shows them where neither a coordinator nor a journal is.
    @Suite(.patient)
    struct ExportTests {
        private let folder: TestFolder
        private var endpoint: String { "ipc://\(folder.file("s"))" }
        private var file: String { folder.file("orders.jsonl") }

        init() throws {
            folder = try TestFolder()
        }

        private func coordinator(_ options: String...) throws -> TestProcess {
            try TestProcess(
                "orders-coordinator", ["--bind", endpoint, "--keep-history"] + options, in: folder.path)
        }

        /// Runs `mobius export`, and returns what it wrote.
        private func export(
            _ arguments: String..., code: Int32 = 0
        ) async throws -> (output: [String], errors: String) {
            let process = try TestProcess(
                "mobius", ["export"] + arguments + ["--connect", "\(endpoint)-client", "--timeout", "60s"])
            let end = try await process.end()
            #expect(end == .exited(code), "\(process.errors.elements)")
            return (process.output.elements, process.errors.elements.joined(separator: "\n"))
        }

        /// The names of files like the export's in its folder.
        private var files: [String] {
            get throws {
                try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.contains("jsonl") }
            }
        }

        private func place(_ loop: String, _ server: Server) async throws {
            let order = #"{"placed":{"_0":{"customer":"Ada","article":"tea","quantity":1,"city":"Bergen"}}}"#
            #expect(try await server.send(order, to: loop).status == 200)
        }

        @Test func theFileAnswersAsTheFleetDid() async throws {
            let coordinator = try coordinator()
            let live = try await Server(of: coordinator)
            for loop in ["order%2F1", "order%2F2", "order%2F3"] { try await place(loop, live) }
            #expect(try await live.send(#"{"reserved":{}}"#, to: "order%2F1").status == 200)
            #expect(try await live.send(#"{"cancelled":{}}"#, to: "order%2F2").status == 200)
            let ended = try TestProcess(
                "mobius", ["end", "order/3", "--why", "a trial", "--connect", "\(endpoint)-client"])
            #expect(try await ended.end() == .exited(0), "\(ended.errors.elements)")

            let done = try await export("order/3", "--prefix", "order/", "--output", file)
            #expect(done.errors.contains("3 loops with "), "\(done.errors)")
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            // Nothing else is left in the folder.
            #expect(try files == ["orders.jsonl"])

            var paths: [String] = []
            for loop in ["order%2F1", "order%2F2", "order%2F3"] {
                paths += ["/loops/\(loop)", "/loops/\(loop)/history", "/loops/\(loop)/history?from=2&limit=1"]
                for event in 1...4 { paths.append("/loops/\(loop)?at=\(event)") }
            }
            paths += [
                "/loops/order%2F9", "/loops?prefix=order/", "/loops?prefix=order/2", "/loops?state=ended",
                "/openapi.json",
            ]
            var answers: [Reply] = []
            for path in paths { answers.append(try await live.ask(path)) }
            let waits = try await live.ask("/loops/order%2F1/waits").json
            let effects = try await live.ask("/effects?loop=order%2F1").json
            try await coordinator.kill()

            let view = try await Server(viewing: file)
            for (path, answer) in zip(paths, answers) {
                let shown = try await view.ask(path)
                #expect(shown.status == answer.status, "\(path): \(shown)")
                // What is not in the file is said in other words.
                guard answer.status == 200 else {
                    #expect(shown.problem == answer.problem, "\(path): \(shown)")
                    continue
                }
                #expect(
                    NSDictionary(dictionary: shown.json) == NSDictionary(dictionary: answer.json),
                    "\(path): \(shown.body)")
            }
            #expect(answers.contains { $0.status == 404 } && answers.filter { $0.status == 200 }.count > 15)
            #expect(
                try await view.ask("/loops/order%2F1/waits").json["sentence"] as? String == waits["sentence"] as? String
            )
            let shown = try await view.ask("/effects?loop=order%2F1").json["effects"] as? [[String: Any]]
            let asked = try #require(effects["effects"] as? [[String: Any]])
            #expect(!asked.isEmpty && shown?.map { $0["id"] as? String } == asked.map { $0["id"] as? String })
            #expect((try await view.ask("/session").json["rights"] as? [String]) == ["read", "models"])
            #expect(try await view.ask("/session").json["exported"] as? String != nil)
            #expect(try await view.ask("/").status == 200)
            #expect(try await view.ask("/status").json["loopCount"] as? Int != nil)
            // It cannot act.
            let sent = try await view.send(#"{"cancelled":{}}"#, to: "order%2F1")
            #expect(sent.status == 403 && sent.problem == "forbidden", "\(sent)")
            #expect((sent.json["detail"] as? String)?.contains("an export:") == true, "\(sent)")
        }

        @Test func aPartOfAHistoryOnStandardOutput() async throws {
            let coordinator = try coordinator()
            let live = try await Server(of: coordinator)
            try await place("order%2F1", live)
            #expect(try await live.send(#"{"reserved":{}}"#, to: "order%2F1").status == 200)
            let done = try await export("order/1", "--from", "2")
            let lines = try done.output.map { line in
                try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            }
            #expect(lines.allSatisfy { $0.count == 1 })
            #expect(lines.first?.keys.first == "head" && lines.last?.keys.first == "end")
            let entries = lines.compactMap { $0["entry"] as? [String: Any] }
            #expect(entries.first?["sequence"] as? Int == 2, "\(entries)")
            let after = try #require(entries.last?["after"] as? [String: Any])
            #expect(after["model"] != nil)
            // What came before is not in the file, and is said to be missing.
            try done.output.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
            let view = try await Server(viewing: file)
            #expect(try await view.ask("/loops/order%2F1?at=2").status == 200)
            let missing = try await view.ask("/loops/order%2F1?at=1")
            #expect(missing.problem == "unknown-event", "\(missing)")
            try await coordinator.kill()
        }

        @Test func whatCannotBeWrittenLeavesNothingBehind() async throws {
            let coordinator = try coordinator()
            let live = try await Server(of: coordinator)
            try await place("order%2F1", live)
            for (loops, output, code, words) in [
                ("order/1", folder.file("none/x.jsonl"), Int32(73), "none/x.jsonl cannot be written"),
                ("order/9", file, 1, "order/9"), ("--limit=0", file, 64, "--limit"),
            ] {
                try "before".write(toFile: file, atomically: true, encoding: .utf8)
                let failed = try await export("order/1", loops, "--output", output, code: code)
                #expect(failed.errors.contains(words), "\(failed.errors)")
                #expect(try files == ["orders.jsonl"])
                #expect(try String(contentsOfFile: file, encoding: .utf8) == "before")
            }
            try await coordinator.kill()
        }

        @Test func filesThatAreNoExportAreRefusedWithTheirLine() async throws {
            let coordinator = try coordinator()
            let live = try await Server(of: coordinator)
            for loop in ["order%2F1", "order%2F2"] { try await place(loop, live) }
            _ = try await export("--prefix", "order/", "--output", file)
            try await coordinator.kill()
            let whole = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
            let first = try #require(whole.firstIndex { $0.contains(#"{"loop":{"#) })
            let entry = try #require(whole.firstIndex { $0.hasPrefix(#"{"entry""#) })
            var later = whole
            later[0] = later[0].replacing(#""version":1"#, with: #""version":2"#)
            var mixed = whole
            mixed.insert(whole[entry], at: first)
            var twice = whole
            twice.insert(whole[entry], at: entry)
            var broken = whole
            broken[entry] = String(broken[entry].dropLast())
            for (lines, words) in [
                ([], "it is empty"), (["hello"], "line 1"), (Array(whole.dropFirst()), "its first line"),
                (later, "version 2"), (mixed, "line \(first + 1)"), (twice, "line \(entry + 2)"),
                (broken, "line \(entry + 1)"),
                ([whole[0]] + whole, "two beginnings"),
            ] {
                try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
                let refused = try TestProcess("mobius-serve", ["view", file])
                #expect(try await refused.end() == .exited(66), "\(words): \(refused.errors.elements)")
                #expect(refused.errors.elements.joined().contains(words), "\(words): \(refused.errors.elements)")
            }
            let none = try TestProcess("mobius-serve", ["view", folder.file("none")])
            #expect(try await none.end() == .exited(66))
            // One that was cut is shown as far as it goes.
            let last = try #require(whole.lastIndex { $0.hasPrefix(#"{"entry""#) })
            let text = whole[...last].joined(separator: "\n")
            try String(text.dropLast(whole[last].count / 2)).write(toFile: file, atomically: true, encoding: .utf8)
            let view = try await Server(viewing: file)
            #expect(view.serve.process.errors.elements.joined().contains("the file was cut"))
            #expect(try await view.ask("/loops/order%2F1/history").status == 200)
        }

        @Test func anExportIsShownToThisMachineOnly() async throws {
            let refused = try TestProcess("mobius-serve", ["view", file, "--listen", "0.0.0.0:0"])
            #expect(try await refused.end() == .exited(78))
        }
    }
#endif
