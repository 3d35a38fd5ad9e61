import BankSimulation
import Foundation
import MobiusTestKit

// Runs the simulated bank for many seeds; see Tests/run simulate.
let options = Options(CommandLine.arguments.dropFirst())
if let seed = options.trace {
    exit(Replay.trace(seed) ? 0 : 1)
}
TrapReport.install(threads: options.threads)
let campaign = Campaign(options)
exit(campaign.run() ? 0 : 1)
