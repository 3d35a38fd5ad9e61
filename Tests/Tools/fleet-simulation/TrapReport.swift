import Foundation

/// Says which seeds were running when the process traps, as a machine's precondition does.
enum TrapReport {
    // Written by each thread before it begins a seed and read by the signal handler of the thread that traps, which
    // may use nothing but plain memory.
    nonisolated(unsafe) private static var seeds: UnsafeMutablePointer<UInt64>?
    nonisolated(unsafe) private static var count = 0

    static func install(threads: Int) {
        seeds = .allocate(capacity: threads)
        seeds?.initialize(repeating: 0, count: threads)
        count = threads
        for trap in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT] {
            signal(trap) { _ in
                TrapReport.say()
                _exit(1)
            }
        }
    }

    static func begins(_ seed: UInt64, thread: Int) {
        seeds?[thread] = seed
    }

    private static func say() {
        write("failed, a trap in one of the seeds")
        for thread in 0..<count {
            write(" ")
            write(seeds?[thread] ?? 0)
        }
        write("\n")
    }

    private static func write(_ text: StaticString) {
        _ = Foundation.write(STDOUT_FILENO, text.utf8Start, text.utf8CodeUnitCount)
    }

    private static func write(_ number: UInt64) {
        var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
        withUnsafeMutableBytes(of: &digits) { buffer in
            var rest = number
            var start = buffer.count
            repeat {
                start -= 1
                buffer[start] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            } while rest > 0
            _ = Foundation.write(STDOUT_FILENO, buffer.baseAddress! + start, buffer.count - start)
        }
    }
}
