import Testing
import Foundation
let TRACE = ProcessInfo.processInfo.environment["SEED"] != nil
@Suite struct DebugRun {
    @Test func one() { 
        guard let s = ProcessInfo.processInfo.environment["SEED"], let seed = UInt64(s) else { return }
        print("COMPLAINTS", FleetTests.run(seed: seed, troubles: FleetTroubles(rawValue: Int(ProcessInfo.processInfo.environment["T"] ?? "0") ?? 0))) }
}
