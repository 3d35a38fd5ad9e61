import MobiusEngine
import MobiusWire

/// What the fuzzer does to the machines: messages that were decoded, time that passes, handlers that report.
///
/// An input is a run of steps: a byte that says what happens, and for a message two bytes of its length and its frame.
struct MachineInput {
    private var rest: UnsafeRawBufferPointer.SubSequence

    private init(_ bytes: UnsafeRawBufferPointer) {
        rest = bytes[...]
    }

    private static let pauses: [Duration] = [.milliseconds(1), .milliseconds(700), .seconds(4), .seconds(5_000_000)]

    /// Plays an input to a coordinator; traps when what it leads to is wrong.
    static func checkCoordinator(_ bytes: UnsafeRawBufferPointer) {
        var input = MachineInput(bytes)
        var drive = CoordinatorDrive()
        while let step = input.rest.popFirst() {
            if step & 1 == 1 {
                drive.wait(pauses[Int(step >> 1 & 3)])
                if step & 8 != 0 { drive.look() }
            } else if let envelope = input.frame({ try? Envelope<WorkerMessage>(decoding: $0.span.bytes) }) {
                drive.receive(envelope, from: Peer(UInt64(step >> 1 & 3)), fits: step & 8 == 0)
            }
        }
        drive.look()
        precondition(drive.faults.isEmpty, "the coordinator is wrong: \(drive.faults)")
    }

    /// Plays an input to a worker.
    static func checkWorker(_ bytes: UnsafeRawBufferPointer) {
        var input = MachineInput(bytes)
        var drive = WorkerDrive()
        while !drive.hasLeft, let step = input.rest.popFirst() {
            switch step & 7 {
            case 1: drive.wait(pauses[Int(step >> 3 & 3)])
            case 3: drive.report(final: step & 8 != 0)
            case 5: drive.fail()
            default:
                guard let envelope = input.frame({ try? Envelope<CoordinatorMessage>(decoding: $0.span.bytes) })
                else { continue }
                drive.receive(envelope, fits: step & 8 == 0)
            }
        }
    }

    private mutating func frame<Message>(_ decode: ([UInt8]) -> Message?) -> Message? {
        guard let low = rest.popFirst(), let high = rest.popFirst() else { return nil }
        let length = min(rest.count, Int(low) | Int(high) << 8)
        defer { rest = rest.dropFirst(length) }
        return decode(Array(rest.prefix(length)))
    }

    /// Runs of messages with numbers at their limits, for a corpus that is still empty.
    static func seeds<Message>(
        _ message: (inout LimitNumbers) -> Envelope<Message>, _ encode: (Envelope<Message>, inout [UInt8]) -> Void
    ) -> [[UInt8]] {
        (0..<24 as Range<UInt64>).map { seed in
            var numbers = LimitNumbers(seed: seed)
            var bytes: [UInt8] = []
            for _ in 0..<8 {
                var frame: [UInt8] = []
                encode(message(&numbers), &frame)
                bytes += [UInt8(numbers.number(upTo: 3) * 2), UInt8(frame.count & 255), UInt8(frame.count >> 8)]
                bytes += frame + [UInt8(numbers.number(upTo: 15) | 1)]
            }
            return bytes
        }
    }
}
