#if HTTP
    import FleetTestSupport
    import MobiusHTTP
    import MobiusWire
    import Synchronization
    import TestTraits
    import Testing

    /// Streams that wait for the same model.
    @Suite(.patient) @MainActor
    struct SharedWatchTests {
        private let caller = LoopCaller(token: "", isMasked: true)

        @Test func manyStreamsCostOneRequestAndTheLastThatGoesEndsIt() async throws {
            let service = Patient()
            let watches = SharedWatches(service)
            var streams: [Task<ClientAnswer, any Error>] = []
            for _ in 0..<5 {
                let (begun, begins) = AsyncStream.makeStream(of: Void.self)
                streams.append(
                    Task { @MainActor [caller] in
                        // On one actor, what follows runs before the test goes on.
                        begins.yield()
                        return try await watches.next(of: .main, after: nil, for: caller)
                    })
                for await _ in begun { break }
            }
            try await service.asked.wait(for: "the request") { !$0.isEmpty }
            streams[0].cancel()
            await #expect(throws: Problem.self) { try await streams[0].value }
            service.answer(.unchanged)
            for stream in streams.dropFirst() { #expect(try await stream.value == .unchanged) }
            #expect(service.asked.elements.count == 1)

            // Another caller's answer is another.
            let other = LoopCaller(token: "t", isMasked: true)
            let mine = Task { @MainActor [caller] in try await watches.next(of: .main, after: nil, for: caller) }
            let theirs = Task { @MainActor in try await watches.next(of: .main, after: nil, for: other) }
            try await service.asked.wait(for: "both requests") { $0.count == 3 }
            mine.cancel()
            try await service.cancelled.wait(for: "its request ends") { $0 == [caller] }
            service.answer(.notFound)
            #expect(try await theirs.value == .notFound)
        }
    }

    /// Answers when the test says so.
    private final class Patient: LoopService {
        let access = LoopAccess.tokens
        let asked = Journey<LoopCaller>()
        let cancelled = Journey<LoopCaller>()
        private let gates = Mutex<[AsyncStream<ClientAnswer>.Continuation]>([])

        /// Answers all that wait.
        func answer(_ answer: ClientAnswer) {
            for gate in gates.withLock({ $0 }) { gate.yield(answer) }
        }

        func ask(
            _ request: ClientRequest, as caller: LoopCaller, traceparent: String
        ) async throws(Problem) -> ClientAnswer {
            let (answers, gate) = AsyncStream.makeStream(of: ClientAnswer.self)
            gates.withLock { $0.append(gate) }
            asked.add(caller)
            for await answer in answers { return answer }
            // A stream ends for a task that is cancelled.
            cancelled.add(caller)
            throw Problem(.busy, "cancelled")
        }
    }
#endif
