package import CoreMetrics
import Synchronization

/// Where the metrics of this process go: to the registry that is served, to the backend of the program, or to both.
package final class Backend: Sendable {
    /// The one of this process: swift-metrics takes one backend for good.
    package static let shared = Backend()

    private let registry = Mutex<MetricsRegistry?>(nil)

    private init() {}

    /// The registry to serve, and what to make metrics with; nil for neither.
    ///
    /// The first to serve makes the registry swift-metrics' backend, unless the program has given it one of its own.
    package func factory(serving: Bool) -> (MetricsRegistry?, (any MetricsFactory)?) {
        registry.withLock { registry in
            if let registry { return (serving ? registry : nil, combined(registry)) }
            guard serving else { return (nil, own) }
            let made = MetricsRegistry()
            registry = made
            if own == nil { MetricsSystem.bootstrap(made) }
            return (made, combined(made))
        }
    }

    /// The program's own backend.
    package var own: (any MetricsFactory)? {
        let factory = MetricsSystem.factory
        return factory is NOOPMetricsHandler || factory is MetricsRegistry ? nil : factory
    }

    private func combined(_ registry: MetricsRegistry) -> any MetricsFactory {
        own.map { MultiplexMetricsHandler(factories: [registry, $0]) } ?? registry
    }
}
