import CodecCases
import Measuring

/// Times a case of `CodecCases` beside its floor: `codec-timing NAME`, or all of them: `codec-timing`.
///
/// Prints one line of JSON with nanoseconds of CPU time per value, with several cases a line each behind its name. Batches of
/// floor and ours take turns, so that what else goes on in the machine meets both; the figures are medians over the batches.
@main
enum CodecTiming {
    private static let batches = 101

    static func main() throws {
        switch CommandLine.arguments.count {
        case 1:
            for one in CodecCase.all { print(one.name, try line(one)) }
        case 2:
            guard let chosen = CodecCase.all.first(where: { $0.name == CommandLine.arguments[1] }) else { fallthrough }
            print(try line(chosen))
        default: fatalError("usage: codec-timing [NAME], one of \(CodecCase.all.map(\.name).joined(separator: ", "))")
        }
    }

    private static func line(_ chosen: CodecCase) throws -> String {
        let (floor, ours) = (try chosen.makeFloor(), try chosen.makeOurs())
        var times: (floor: [Double], ours: [Double]) = ([], [])
        for round in 0...batches {
            let pair = (try time(floor, chosen.batch), try time(ours, chosen.batch))
            // The first round warms caches and branch predictors up.
            guard round > 0 else { continue }
            times.floor.append(pair.0)
            times.ours.append(pair.1)
        }
        return "{\"floor\": \(times.floor.sorted()[batches / 2]), \"ours\": \(times.ours.sorted()[batches / 2])}"
    }

    private static func time(_ batch: CodecCase.Batch, _ values: Int) throws -> Double {
        let start = CPUTime.ofThisThread()
        try batch(values)
        return (CPUTime.ofThisThread() - start) * 1e9 / Double(values)
    }
}
