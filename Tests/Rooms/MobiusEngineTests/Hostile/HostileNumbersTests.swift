import MobiusEngine
import MobiusWire
import Testing

/// No number that a peer sends makes a machine trap, whatever is asked of it then.
struct HostileNumbersTests {
    @Test func twoWorkersWithAllTheCreditThatThereIsMakeNoTrap() {
        var stage = Stage.begun(.work())
        for worker in [Incarnation.ann, .bob] { stage.play(.hello(worker, credit: .max)) }
        var status = FleetStatus(
            program: "p", build: "b", journal: .ours, epoch: 1, started: WallTime(milliseconds: 0), maximumPayload: 1)
        stage.machine.fill(&status, at: stage.now)
        #expect(status.pools.map(\.credit) == [.max])
        #expect(stage.machine.poolStatuses(at: stage.now).map(\.credit) == [.max])
    }

    @Test(arguments: [0..<30 as Range<UInt64>, 30..<60])
    func aCoordinatorTakesEveryIntegerAtItsLimits(seeds: Range<UInt64>) {
        for seed in seeds {
            var numbers = LimitNumbers(seed: seed)
            var drive = CoordinatorDrive()
            for _ in 0..<60 {
                let message = numbers.workerMessage()
                let envelope = numbers.envelope(message)
                let fits = numbers.number(upTo: 7) > 0
                drive.receive(envelope, from: Peer(numbers.number(upTo: 2)), fits: fits)
                if numbers.number(upTo: 2) == 0 {
                    drive.wait([.milliseconds(1), .milliseconds(700), .seconds(4)][Int(numbers.number(upTo: 2))])
                }
                if numbers.number(upTo: 4) == 0 { drive.look() }
            }
            drive.look()
            #expect(drive.faults.isEmpty, "seed \(seed)")
        }
    }

    @Test func aWorkerTakesEveryIntegerAtItsLimits() {
        for seed in 0..<60 as Range<UInt64> {
            var numbers = LimitNumbers(seed: seed)
            var drive = WorkerDrive()
            for _ in 0..<60 where !drive.hasLeft {
                let message = numbers.coordinatorMessage()
                drive.receive(numbers.envelope(message), fits: numbers.number(upTo: 7) > 0)
                switch numbers.number(upTo: 5) {
                case 0: drive.report(final: false)
                case 1: drive.report(final: true)
                case 2: drive.fail()
                case 3:
                    drive.wait([.milliseconds(300), .seconds(3), .seconds(5_000_000)][Int(numbers.number(upTo: 2))])
                default: break
                }
            }
        }
    }
}
