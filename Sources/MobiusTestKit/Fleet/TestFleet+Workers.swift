public import MobiusCore
public import MobiusProgram

extension TestFleet {
    /// A group of identical worker processes of a fleet.
    public struct Workers: Sendable {
        let pools: [String]
        let processes: Int
        let concurrency: Int
        let handlers: PlaceHandlers

        /// Creates a group of processes that serve one pool.
        ///
        /// - Parameters:
        ///   - name: The pool's name, as in the routes.
        ///   - processes: The number of processes, at least 1. The default is 1.
        ///   - concurrency: The number of effects that each process holds at once, as a worker's `--concurrency`. The
        ///     default is 16.
        ///   - handlers: Returns the handlers, as the worker's executable does. It is called at the start of each
        ///     process, so objects that it creates are lost when the process is killed, and objects that it captures
        ///     are not.
        public static func pool(
            _ name: String, processes: Int = 1, concurrency: Int = 16,
            handlers: @escaping @Sendable () -> EffectRouter<Program.Effect, Program.Event>
        ) -> Workers {
            pools([name], processes: processes, concurrency: concurrency, handlers: handlers)
        }

        /// Creates a group of processes that each serve several pools.
        ///
        /// Faults can refer to them by any of these pools. The parameters are those of
        /// ``pool(_:processes:concurrency:handlers:)``.
        public static func pools(
            _ names: [String], processes: Int = 1, concurrency: Int = 16,
            handlers: @escaping @Sendable () -> EffectRouter<Program.Effect, Program.Event>
        ) -> Workers {
            precondition(
                processes > 0 && concurrency > 0 && !names.isEmpty,
                "Workers need at least one process, one pool and a concurrency of 1.")
            return Workers(
                pools: names, processes: processes, concurrency: concurrency, handlers: PlaceHandlers(handlers))
        }

        var places: [FleetPlan<Program>.Place] {
            (0..<processes).map { number in
                var place = FleetPlan<Program>.Place(pools: pools, capacity: concurrency, handlers: handlers)
                place.name = "\(pools[0]) \(number)"
                return place
            }
        }

        var poolsOfPlaces: [[String]] { Array(repeating: pools, count: processes) }
    }
}

extension TestFleet.Workers where Program == Programs {
    /// Creates a group of processes that serve a pool for one of the programs: see ``pool(_:processes:concurrency:handlers:)``.
    public static func pool<Own: FleetProgram>(
        _ name: String, of program: Own.Type, processes: Int = 1, concurrency: Int = 16,
        handlers: @escaping @Sendable () -> EffectRouter<Own.Effect, Own.Event>
    ) -> TestFleet<Programs>.Workers {
        precondition(processes > 0 && concurrency > 0, "Workers need at least one process and a concurrency of 1.")
        return TestFleet<Programs>.Workers(
            pools: [name], processes: processes, concurrency: concurrency, handlers: PlaceHandlers(handlers))
    }
}
