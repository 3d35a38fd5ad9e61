import AllocationCounter
import CodecCases

/// Counts what a case of `CodecCases` allocates beside its floor: `codec-allocations NAME`, or all of them: `codec-allocations`.
///
/// Prints one line of JSON with allocations per value, with several cases a line each behind its name; an empty object where
/// they cannot be counted.
@main
enum CodecAllocations {
    static func main() throws {
        guard allocation_counter_works() else { return print("{}") }
        switch CommandLine.arguments.count {
        case 1:
            for one in CodecCase.all { print(one.name, try line(one)) }
        case 2:
            guard let chosen = CodecCase.all.first(where: { $0.name == CommandLine.arguments[1] }) else { fallthrough }
            print(try line(chosen))
        default:
            fatalError("usage: codec-allocations [NAME], one of \(CodecCase.all.map(\.name).joined(separator: ", "))")
        }
    }

    private static func line(_ chosen: CodecCase) throws -> String {
        let floor = try allocations(of: chosen.makeFloor(), chosen.batch)
        let ours = try allocations(of: chosen.makeOurs(), chosen.batch)
        return "{\"floor\": \(floor), \"ours\": \(ours)}"
    }

    private static func allocations(of batch: CodecCase.Batch, _ values: Int) throws -> Double {
        // What grows once (buffers, caches of the runtime) has grown then.
        try batch(values)
        let before = allocation_counter_value()
        try batch(values)
        return Double(allocation_counter_value() - before) / Double(values)
    }
}
