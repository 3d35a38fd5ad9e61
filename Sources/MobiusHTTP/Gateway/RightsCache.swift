#if HTTP
    import MobiusWire
    import Synchronization

    /// The rights of callers, as the coordinator reported them within the last second: so a body is not read in vain.
    ///
    /// The coordinator decides again when it gets the event.
    final class RightsCache: Sendable {
        private struct Known {
            let rights: CallerRights
            let until: ContinuousClock.Instant
        }

        /// At most so many callers are known.
        private static let limit = 1024

        private let known = Mutex<[LoopCaller: Known]>([:])

        /// The caller's rights, known or asked for.
        func rights(of caller: LoopCaller, from service: any LoopService) async throws(Problem) -> CallerRights {
            if let found = known.withLock({ $0[caller] }), found.until > .now { return found.rights }
            let answer = try await service.ask(.rights, as: caller, traceparent: "")
            guard case .rights(let rights) = answer else { throw Problem(answer) }
            known.withLock { known in
                if known.count == Self.limit { known.removeAll() }
                known[caller] = Known(rights: rights, until: .now + .seconds(1))
            }
            return rights
        }
    }
#endif
