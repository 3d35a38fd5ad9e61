public import MobiusCore

extension TestFleet {
    /// Some worker processes of a fleet that are alike.
    public struct Workers: Sendable {
        let pools: [String]
        let processes: Int
        let concurrency: Int
        let handlers: @Sendable () -> EffectRouter<Program.Effect, Program.Event>

        /// Processes that serve one pool.
        ///
        /// - Parameters:
        ///   - name: The pool's name, as routes call it.
        ///   - processes: How many, at least 1.
        ///   - concurrency: How many effects each of them has at once, as a worker's `--concurrency`.
        ///   - handlers: The handlers, as the worker's executable has them. It is called at the start of each process, so what
        ///     it makes is lost when the process is killed, and what it captures is not.
        public static func pool(
            _ name: String, processes: Int = 1, concurrency: Int = 16,
            handlers: @escaping @Sendable () -> EffectRouter<Program.Effect, Program.Event>
        ) -> Workers {
            pools([name], processes: processes, concurrency: concurrency, handlers: handlers)
        }

        /// Processes that serve several pools each.
        ///
        /// Faults name them by any of these pools.
        public static func pools(
            _ names: [String], processes: Int = 1, concurrency: Int = 16,
            handlers: @escaping @Sendable () -> EffectRouter<Program.Effect, Program.Event>
        ) -> Workers {
            precondition(processes > 0 && concurrency > 0 && !names.isEmpty, "Workers are at least one, for one pool.")
            return Workers(pools: names, processes: processes, concurrency: concurrency, handlers: handlers)
        }

        var places: [Scenario<Program>.Place] {
            (0..<processes).map { number in
                var place = Scenario<Program>.Place(pools: pools, capacity: concurrency, handlers: handlers)
                place.name = "\(pools[0]) \(number)"
                return place
            }
        }

        var seats: [[String]] { Array(repeating: pools, count: processes) }
    }
}
