import Dispatch
import Foundation
import JSONAgreement
import Synchronization

/// Compares our JSON with Foundation's, in all processors: `json-agreement [VALUES [SEED]]`.
@main
enum JSONAgreementRun {
    /// A type takes memory for ever, so each serves for many values.
    private static let valuesOfType = 2000

    static func main() {
        let numbers = CommandLine.arguments.dropFirst().map { Int($0) }
        guard numbers.count <= 2, !numbers.contains(nil) else {
            fatalError("usage: json-agreement [VALUES [SEED]]")
        }
        let count = numbers.first.flatMap { $0 } ?? 100_000
        let seed = numbers.dropFirst().first.flatMap { $0 } ?? Int.random(in: 1...1_000_000)
        print("seed \(seed)")
        let rounds = (count + valuesOfType - 1) / valuesOfType
        let sums = Mutex((values: 0, texts: 0, known: 0, differences: [String]()))
        let processors = ProcessInfo.processInfo.activeProcessorCount
        DispatchQueue.concurrentPerform(iterations: processors) { processor in
            for round in stride(from: processor, to: rounds, by: processors) {
                guard sums.withLock({ $0.differences.count < 20 }) else { return }
                var agreement = Agreement(seed: UInt64(seed) << 32 + UInt64(round))
                agreement.compare(values: valuesOfType, mistakes: 2)
                sums.withLock {
                    $0.values += agreement.values
                    $0.texts += agreement.texts
                    $0.known += agreement.known
                    $0.differences += agreement.differences
                }
            }
        }
        let (values, texts, known, differences) = sums.withLock { $0 }
        for difference in differences.prefix(20) { print(difference) }
        print(
            "\(values) values of \(rounds) types, \(texts) texts with mistakes: \(differences.count) differences, \(known) known ones"
        )
        exit(differences.isEmpty ? 0 : 1)
    }
}
