import Testing
@Suite struct Many {
  @Test(arguments: [0]) func all(_ t: Int) { 
    guard TRACE2 else { return }
    var bad: [String] = []
    for seed in UInt64(300)..<3500 { let c = FleetTests.run(seed: seed, troubles: FleetTroubles(rawValue: t)); if !c.isEmpty { bad.append("\(seed): \(c.first ?? "")") } }
    print("MANY", t, bad.count, bad.prefix(12).joined(separator: "\n   "))
  }
}
import Foundation
let TRACE2 = ProcessInfo.processInfo.environment["MANY"] != nil
