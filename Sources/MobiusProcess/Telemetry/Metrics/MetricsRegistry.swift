package import CoreMetrics
import Synchronization

/// The fleet's backend of swift-metrics: it keeps the values of a process's metrics and writes them in Prometheus'
/// format.
///
/// Recording is safe from any thread and costs an addition: counters and gauges are atomics, a histogram takes a lock
/// for a short time. The same label with the same dimensions is the same metric, however often it is made.
package final class MetricsRegistry: MetricsFactory {
    struct Key: Hashable {
        let label: String
        /// In the order of their names.
        let dimensions: [Dimension]
    }

    struct Dimension: Hashable {
        let name: String
        let value: String
    }

    private let instruments = Mutex<[Key: any Instrument]>([:])

    package init() {}

    /// The values of now, in Prometheus' text format 0.0.4: families in the order of their names.
    package var text: String { MetricsText.write(instruments.withLock { $0 }) }

    /// The instrument of this name, or a new one.
    ///
    /// A label belongs to its first kind of metric: another kind with the same label and dimensions counts, but is not
    /// shown.
    private func instrument<Made: Instrument>(
        _ label: String, _ dimensions: [(String, String)], _ make: () -> Made
    ) -> Made {
        let key = Key(
            label: MetricsText.name(label),
            dimensions: dimensions.map { Dimension(name: MetricsText.name($0.0), value: $0.1) }
                .sorted { $0.name < $1.name })
        return instruments.withLock { instruments in
            if let known = instruments[key] { return known as? Made ?? make() }
            let made = make()
            instruments[key] = made
            return made
        }
    }

    private func forget(_ handler: AnyObject) {
        instruments.withLock { instruments in
            guard let key = instruments.first(where: { $0.value === handler })?.key else { return }
            instruments[key] = nil
        }
    }

    // MARK: - MetricsFactory

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        instrument(label, dimensions) { CounterInstrument() }
    }

    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        instrument(label, dimensions) { SumInstrument() }
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        instrument(label, dimensions) { GaugeInstrument() }
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        guard aggregate else { return instrument(label, dimensions) { GaugeInstrument() } }
        return instrument(label, dimensions) { HistogramInstrument(FleetMetric.buckets(of: label)) }
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        instrument(label, dimensions) { HistogramInstrument(FleetMetric.buckets(of: label)) }
    }

    package func destroyCounter(_ handler: any CounterHandler) { forget(handler) }
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { forget(handler) }
    package func destroyMeter(_ handler: any MeterHandler) { forget(handler) }
    package func destroyRecorder(_ handler: any RecorderHandler) { forget(handler) }
    package func destroyTimer(_ handler: any TimerHandler) { forget(handler) }
}
