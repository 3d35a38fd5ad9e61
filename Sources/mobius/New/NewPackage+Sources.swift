extension NewPackage {
    var program: String {
        #"""
        import MobiusCore

        /// Items are added, a worker processes each of them, and the results are kept.
        public enum \#(module): LoopProgram {
            /// What is known: a value, which the journal keeps.
            public struct Model: Codable, Equatable, Sendable {
                /// The results, by item.
                public var results: [String: String]
                /// The items that could not be processed, with the reason.
                public var failures: [String: String]

                /// A model with these results and failures.
                public init(results: [String: String] = [:], failures: [String: String] = [:]) {
                    self.results = results
                    self.failures = failures
                }
            }

            /// What can happen.
            public enum Event: Codable, Equatable, Sendable {
                /// Somebody added an item.
                case added(item: String)
                /// A worker processed an item.
                case processed(item: String, result: String)
                /// An item could not be processed, and why.
                case failed(item: String, reason: String)
            }

            /// What the program asks for.
            public enum Effect: Codable, Equatable, Sendable {
                /// Process the item.
                case process(item: String)
            }

            /// The beginning: nothing is known.
            public static func initiate() -> First<Model, Effect> {
                First(model: Model())
            }

            /// Decides what an event changes and what is to be done; it is pure: it only computes.
            public static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
                var model = model
                switch event {
                case .added(let item):
                    // An item that has its result is not processed again.
                    guard model.results[item] == nil else { return .noChange }
                    model.failures[item] = nil
                    return .next(model, effects: [.process(item: item)])
                case .processed(let item, let result):
                    model.results[item] = result
                case .failed(let item, let reason):
                    model.failures[item] = reason
                }
                return .next(model)
            }
        }

        """#
    }

    var routes: String {
        #"""
        import MobiusCore
        import MobiusProgram

        extension \#(module) {
            /// Where each effect runs.
            ///
            /// An effect whose worker is lost, or whose handler throws, is tried up to five times. An attempt that takes
            /// longer than 30 seconds ends the effect, because the handler may still be at work; to try again then, too,
            /// use `policy:` with `RetryPolicy(onTimeout: true)`. The closure makes an event of the failure.
            public static var routes: EffectRouter<Effect, Event> {
                EffectRouter()
                    .routeCase(Effect.process).toWorkers("\#(text)", timeout: .seconds(30)) { item, failure in
                        .failed(item: item, reason: failure.description)
                    }
            }
        }

        """#
    }

    var coordinator: String {
        #"""
        import \#(module)
        import MobiusCoordinator
        import MobiusCore

        /// The process that holds the models, writes the journal and hands out the effects.
        @main struct \#(module)Coordinator: CoordinatorCommand {
            typealias Program = \#(module)

            static let name = "\#(text)"

            var routes: Routes { \#(module).routes }

            func configure(_ settings: inout CoordinatorSettings) {
                // One loop for each entity: `mobius send … --loop customer/42` begins one.
                settings.clientsMayStartLoops = true
            }

            func run(_ loop: LoopHandle<\#(module)>) async throws {
                // From here an event for another loop is: try await loop.loop("customer/42").send(.added(item: "apple"))
                for await model in loop.models {
                    print("results: \(model.results.count), failures: \(model.failures.count)")
                }
            }
        }

        """#
    }

    var worker: String {
        #"""
        import \#(module)
        import MobiusCore
        import MobiusWorker

        /// A process that does the work; start as many as you like.
        @main struct \#(module)Worker: WorkerCommand {
            static let pool = "\#(text)"

            var handler: EffectRouter<\#(module).Effect, \#(module).Event> { \#(module).handlers }
        }

        """#
    }

    var handlers: String {
        #"""
        import \#(module)
        import MobiusCore
        import MobiusWorker

        extension \#(module) {
            /// The work of each effect.
            ///
            /// An effect may run again after a crash, so repeating it must do no harm: `context.idempotencyKey` is the same in
            /// every attempt. A handler that throws has failed, and is tried again.
            static var handlers: EffectRouter<Effect, Event> {
                EffectRouter().routeCase(Effect.process).toWork { item, context in
                    .processed(item: item, result: item.uppercased())
                }
            }
        }

        """#
    }
}
