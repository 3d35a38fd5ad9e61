import AllocationCounter
import LoopCases

/// Counts what a case of `LoopCases` allocates beside its floor: `loop-allocations NAME`.
///
/// Prints one line of JSON with allocations per event; an empty object where they cannot be counted.
@main
enum LoopAllocations {
    static func main() {
        guard CommandLine.arguments.count == 2,
            let chosen = LoopCase.all.first(where: { $0.name == CommandLine.arguments[1] })
        else { fatalError("usage: loop-allocations NAME, one of \(LoopCase.all.map(\.name).joined(separator: ", "))") }
        guard allocation_counter_works() else { return print("{}") }
        let floor = allocations(of: chosen.makeFloor(), chosen.batch)
        let ours = allocations(of: chosen.makeOurs(), chosen.batch)
        print("{\"floor\": \(floor), \"ours\": \(ours)}")
    }

    private static func allocations(of batch: LoopCase.Batch, _ events: Int) -> Double {
        // What grows once (queues, caches of the runtime) has grown then.
        batch(events)
        let before = allocation_counter_value()
        batch(events)
        return Double(allocation_counter_value() - before) / Double(events)
    }
}
