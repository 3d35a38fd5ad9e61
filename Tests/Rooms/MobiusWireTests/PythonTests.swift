import Foundation
import MobiusWire
import Testing

/// A worker in another language, as the specification shows it.
@Suite("The specification's Python", .enabled(if: Python.path != nil, "python3 is not installed"))
struct PythonTests {
    @Test("answers the example of EFFECT with the example of EVENT")
    func answer() throws {
        let document = try ProtocolDocument()
        let code = try #require(document.blocks("python").first).joined(separator: "\n")
        let effect = Examples.command(.effect).encoded.map { String($0, radix: 16, padding: 2) }.joined()
        let event = Examples.command(.event).encoded.map { String($0, radix: 16, padding: 2) }.joined()
        let call = "print(*(frame.hex() for frame in greet(bytes.fromhex('\(effect)'), credit=3)))"
        #expect(try Python.run(code + "\n\n" + call) == event + "\n")
    }
}

private enum Python {
    static let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { "\($0)/python3" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    /// What a program prints.
    static func run(_ program: String) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: try #require(path))
        process.arguments = ["-c", program]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: printed, as: UTF8.self)
    }
}

extension String {
    fileprivate init(_ value: UInt8, radix: Int, padding: Int) {
        let digits = String(value, radix: radix)
        self = String(repeating: "0", count: padding - digits.count) + digits
    }
}
