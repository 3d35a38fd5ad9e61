import CoreMetrics
import Synchronization

/// A metric of a ``MetricsRegistry``.
protocol Instrument: AnyObject, Sendable {
    /// Its values now.
    var reading: Reading { get }
}

/// The values of one metric at one moment.
enum Reading: Equatable, Sendable {
    case counter(Double)
    case gauge(Double)
    /// The number of values up to each bound, in ascending order of bounds; then the total.
    case histogram(bounds: [Double], counts: [UInt64], count: UInt64, sum: Double)
}

/// Counts up.
final class CounterInstrument: Instrument, CounterHandler {
    private let value = Atomic<Int64>(0)

    func increment(by amount: Int64) { value.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { value.store(0, ordering: .relaxed) }

    var reading: Reading { .counter(Double(value.load(ordering: .relaxed))) }
}

/// Sums up.
final class SumInstrument: Instrument, FloatingPointCounterHandler {
    private let value = Mutex(0.0)

    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func reset() { value.withLock { $0 = 0 } }

    var reading: Reading { .counter(value.withLock { $0 }) }
}

/// Shows the newest value.
final class GaugeInstrument: Instrument, MeterHandler, RecorderHandler {
    private let value = Mutex(0.0)

    func set(_ value: Int64) { self.value.withLock { $0 = Double(value) } }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func record(_ value: Int64) { set(value) }
    func record(_ value: Double) { set(value) }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }

    var reading: Reading { .gauge(value.withLock { $0 }) }
}

/// Counts values by their size; times are in seconds.
final class HistogramInstrument: Instrument, RecorderHandler, TimerHandler {
    private struct State {
        var counts: [UInt64]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Mutex<State>

    /// Counts by these bounds, which rise.
    init(_ bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: [UInt64](repeating: 0, count: bounds.count + 1)))
    }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        // With a dozen bounds a linear search is as fast as any other.
        let place = bounds.firstIndex { value <= $0 } ?? bounds.endIndex
        state.withLock { state in
            state.counts[place] += 1
            state.sum += value
        }
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    var reading: Reading {
        let (counts, sum) = state.withLock { ($0.counts, $0.sum) }
        var total: UInt64 = 0
        let rising = counts.map { count in
            total += count
            return total
        }
        return .histogram(bounds: bounds, counts: Array(rising.dropLast()), count: total, sum: sum)
    }
}
