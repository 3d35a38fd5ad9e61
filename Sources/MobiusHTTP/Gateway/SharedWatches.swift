#if HTTP
    package import MobiusWire
    import Synchronization

    /// The requests that wait for a loop's next model: streams that wait for the same share one.
    ///
    /// So any number of browsers that watch a loop cost the coordinator what one costs.
    package final class SharedWatches: Sendable {
        private typealias Outcome = Result<ClientAnswer, Problem>

        private struct Key: Hashable {
            let loop: LoopID
            let seen: ModelVersion?
            let caller: LoopCaller
        }

        private struct Waiting {
            var streams: [UInt64: CheckedContinuation<Outcome, Never>] = [:]
            var request: Task<Void, Never>?
        }

        private struct State {
            var waiting: [Key: Waiting] = [:]
            var next: UInt64 = 0
        }

        private let service: any LoopService
        private let state = Mutex(State())

        package init(_ service: any LoopService) {
            self.service = service
        }

        /// The answer to WATCH-MODEL for one stream; the request ends when no stream waits for it any more.
        package func next(
            of loop: LoopID, after seen: ModelVersion?, for caller: LoopCaller
        ) async throws(Problem) -> ClientAnswer {
            let key = Key(loop: loop, seen: seen, caller: caller)
            let number = state.withLock { state in
                state.next += 1
                return state.next
            }
            let outcome = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    state.withLock { state in
                        state.waiting[key, default: Waiting()].streams[number] = continuation
                        if state.waiting[key]?.request == nil { state.waiting[key]?.request = ask(key) }
                    }
                    // A cancellation before this point came too early to find the continuation.
                    if Task.isCancelled { leave(key, number) }
                }
            } onCancel: {
                leave(key, number)
            }
            return try outcome.get()
        }

        private func ask(_ key: Key) -> Task<Void, Never> {
            Task {
                let outcome: Outcome
                do throws(Problem) {
                    outcome = .success(
                        try await service.ask(.watch(key.loop, seen: key.seen), as: key.caller, traceparent: ""))
                } catch {
                    outcome = .failure(error)
                }
                // One that was cancelled has nobody, and its key may have another by now.
                guard !Task.isCancelled else { return }
                let streams = state.withLock { $0.waiting.removeValue(forKey: key)?.streams ?? [:] }
                for stream in streams.values { stream.resume(returning: outcome) }
            }
        }

        private func leave(_ key: Key, _ number: UInt64) {
            let stream = state.withLock { state in
                let stream = state.waiting[key]?.streams.removeValue(forKey: number)
                if stream != nil, state.waiting[key]?.streams.isEmpty == true {
                    state.waiting.removeValue(forKey: key)?.request?.cancel()
                }
                return stream
            }
            stream?.resume(returning: .failure(.cancelled))
        }
    }

    extension Problem {
        /// Nobody waits for the answer any more.
        static let cancelled = Problem(
            .busy, "The request was cancelled; what it asked for may be done or not.", retryAfter: 1000)
    }
#endif
