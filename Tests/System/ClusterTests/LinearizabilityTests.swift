#if PostgreSQL
    import BankFleet
    import FleetTestSupport
    import MobiusClient
    import MobiusWire
    import Synchronization
    import TestTraits
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// Confirmed sends and reads of a cluster, while its coordinators are killed, stopped and suspended.
    @Suite(
        "What a cluster answers",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)), .patience(minutes: 20))
    struct LinearizabilityTests {
        /// What all customers did, and the coordinators that there were.
        private final class Record: Sendable {
            private let histories = Mutex([LoopID: OperationHistory]())
            private let processes = Mutex([TestProcess]())

            func keep(_ process: TestProcess) -> TestProcess {
                processes.withLock { $0.append(process) }
                return process
            }

            /// The last that each coordinator logged.
            var logs: String {
                processes.withLock { $0 }.suffix(4).map { process in
                    "process \(process.pid), \(process.isGone ? "gone" : "there"):\n"
                        + process.errors.elements.suffix(40).joined(separator: "\n")
                }.joined(separator: "\n")
            }

            var count: Int { histories.withLock { $0.values.reduce(0) { $0 + $1.operations.count } } }

            func note(_ operation: OperationHistory.Operation, of loop: LoopID) {
                histories.withLock { $0[loop, default: OperationHistory()].operations.append(operation) }
            }

            func history(of loop: LoopID) -> OperationHistory { histories.withLock { $0[loop] } ?? OperationHistory() }
        }

        private typealias Event = RegisterCluster.Event
        private static let operations = 10_000
        private let cluster: RegisterCluster

        init() async throws {
            cluster = try await RegisterCluster()
        }

        private func coordinator(_ name: String, _ record: Record) throws -> TestProcess {
            record.keep(try cluster.coordinator(name, lease: "1s"))
        }

        @Test("is linearizable for each loop, over ten thousand operations")
        func linearizable() async throws {
            let record = Record()
            let coordinators = [try coordinator("a", record), try coordinator("b", record)]
            let loops = try (1...8).map { try #require(LoopID("register/\($0)")) }
            async let faults = disturb(coordinators, record)
            do {
                try await work(on: loops, record)
            } catch {
                Issue.record("\(error)\n\(record.logs)")
                throw error
            }
            #expect(try await faults >= 3, "or the test shows little")
            for loop in loops { #expect(record.history(of: loop).complaints == [], "\(loop)") }
            #expect(record.count == Self.operations)
        }

        private func work(on loops: [LoopID], _ record: Record) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                // Customers of several processes, as far as the coordinators can tell.
                for customer in 0..<16 {
                    let client = cluster.client(of: "a", "b")
                    group.addTask {
                        for number in 0..<Self.operations / 16 {
                            let id = customer * Self.operations + number + 1
                            let loop = loops[(customer + number) % loops.count]
                            let operation = try await Self.act(id, on: loop, by: client)
                            record.note(operation, of: loop)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }

        /// Writes, inserts or reads, and repeats that until it is answered.
        private static func act(
            _ id: Int, on loop: LoopID, by client: FleetClient
        ) async throws -> OperationHistory.Operation {
            let begin = ContinuousClock.now
            let answer = Mutex<(OperationHistory.Deed, UInt64?)?>(nil)
            try await eventually("operation \(id) of \(loop)") {
                switch id % 4 {
                case 0:
                    let sent = try await client.send(Event.write(id), loop: loop, key: "\(id)", timeout: .seconds(5))
                    answer.withLock { $0 = (.write(id), sent.number) }
                case 1:
                    let sent = try await client.send(Event.insert(id), loop: loop, key: "\(id)", timeout: .seconds(5))
                    answer.withLock { $0 = (.insert(id), sent.number) }
                default:
                    do {
                        let (model, sequence) = try await RegisterCluster.model(of: loop, by: client)
                        answer.withLock { $0 = (.read(value: model.value, members: model.members), sequence) }
                    } catch let error as FleetClientError where error.code == .notFound {
                        answer.withLock { $0 = (.read(value: 0, members: []), 0) }
                    }
                }
                return true
            }
            let (deed, event) = try #require(answer.withLock { $0 })
            return OperationHistory.Operation(begin: begin, end: .now, deed: deed, event: try #require(event))
        }

        /// Kills, stops and suspends the coordinators by turns, one every few hundred operations, and returns how often.
        private func disturb(_ first: [TestProcess], _ record: Record) async throws -> Int {
            var (coordinators, count) = (first, 0)
            let pause = Self.operations / 20
            while record.count < Self.operations - pause {
                let next = record.count + pause
                try await eventually("\(pause) operations") { record.count >= next }
                for coordinator in coordinators { try await coordinator.log("runs the loops") }
                let place = count % 2
                let victim = coordinators[place]
                count += 1
                switch count % 3 {
                case 0:
                    let before = coordinators[1 - place].errors.elements.count { $0.contains("runs the loops") }
                    victim.signal(SIGSTOP)
                    let other = coordinators[1 - place]
                    try await eventually("the other takes its shards") {
                        other.errors.elements.count { $0.contains("runs the loops") } > before
                            || record.count == Self.operations
                    }
                    victim.signal(SIGCONT)
                    continue
                case 1: victim.signal(SIGKILL)
                default: victim.signal(SIGTERM)
                }
                try await victim.end()
                coordinators[place] = try coordinator(place == 0 ? "a" : "b", record)
            }
            return count
        }
    }
#endif
