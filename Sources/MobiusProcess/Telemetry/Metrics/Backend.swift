import CoreMetrics
import Synchronization

/// The destination of this process's metrics: the served registry, the program's backend, or both.
final class Backend: Sendable {
    /// The instance of this process: swift-metrics accepts one backend per process.
    static let shared = Backend()

    private let registry = Mutex<MetricsRegistry?>(nil)

    private init() {}

    /// The registry to serve, and the factory of metrics; nil without them.
    ///
    /// The first call makes the registry swift-metrics' backend, unless the program has installed its own.
    func factory(serving: Bool) -> (MetricsRegistry?, (any MetricsFactory)?) {
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
    var own: (any MetricsFactory)? {
        let factory = MetricsSystem.factory
        return factory is NOOPMetricsHandler || factory is MetricsRegistry ? nil : factory
    }

    private func combined(_ registry: MetricsRegistry) -> any MetricsFactory {
        own.map { MultiplexMetricsHandler(factories: [registry, $0]) } ?? registry
    }
}
