import MobiusRuntime
import Testing

@Suite("What jobs took lately")
struct LatencyEstimatorTests {
    private var times = LatencyEstimator(processors: 2)

    private mutating func took(_ time: Int64, _ count: Int = 1) {
        for _ in 0..<count { times.note(time) }
    }

    @Test("is unknown before the first has ended")
    func unknown() {
        #expect(!times.areQuick(1))
    }

    @Test("lets one thread do many jobs of a microsecond, and few of a tenth of a millisecond")
    mutating func quick() {
        took(1_000, 100)
        #expect(times.areQuick(1) && times.areQuick(100_000))
        took(100_000, 100)
        #expect(times.areQuick(2) && !times.areQuick(3))
    }

    @Test("does not change for one job whose thread lost its processor")
    mutating func outlier() {
        took(1_500, 300)
        for _ in 1...100 {
            took(4_000_000)
            #expect(times.areQuick(1_000))
            took(1_500, 2_000)
        }
    }

    @Test("does not change where a thread often loses its processor, and jobs take three times as long as usual")
    mutating func busyMachine() {
        took(6_000, 300)
        for _ in 1...20 {
            took(4_000_000)
            took(6_000, 10)
            took(4_000_000)
            #expect(times.areQuick(1_000))
            took(6_000, 1_000)
        }
    }

    @Test("lets threads share jobs of six microseconds where there are processors for them")
    mutating func manyProcessors() {
        times = LatencyEstimator(processors: 3)
        took(3_000, 300)
        #expect(times.areQuick(1_000))
        took(6_000, 300)
        #expect(!times.areQuick(1_000))
    }

    @Test("counts long jobs among short ones")
    mutating func someAreLong() {
        took(1_500, 300)
        for _ in 1...20 { took(1_500, 19); took(1_000_000) }
        #expect(!times.areQuick(1_000))
        took(1_500, 1_000)
        #expect(times.areQuick(1_000))
    }

    @Test("is known within twenty jobs when they turn long", arguments: [50_000, 1_000_000, 60_000_000_000])
    mutating func turn(time: Int64) {
        took(1_500, 300)
        took(time, 20)
        #expect(!times.areQuick(1_000))
    }

    @Test("is forgotten within two thousand jobs, even of an hour")
    mutating func forgotten() {
        took(3_600_000_000_000, 300)
        #expect(!times.areQuick(1))
        took(1_500, 2_000)
        #expect(times.areQuick(1_000))
    }
}
