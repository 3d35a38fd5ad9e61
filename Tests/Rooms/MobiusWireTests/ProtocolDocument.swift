import Foundation

/// The specification beside the code: its fenced blocks, so that examples cannot drift from what it says.
struct ProtocolDocument {
    private let lines: [String]

    init(_ page: String = "Protocol") throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/MobiusWire/MobiusWire.docc/\(page).md")
        lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
    }

    /// The content of the fenced blocks of a language.
    func blocks(_ language: String) -> [[String]] {
        var blocks: [[String]] = []
        var current: [String]?
        for line in lines {
            if let block = current {
                if line == "```" { blocks.append(block) }
                current = line == "```" ? nil : block + [line]
            } else if line == "```\(language)" {
                current = []
            }
        }
        return blocks
    }

    /// The examples in hex, by the name in their first line; what follows `;` is for readers.
    func examples() throws -> [String: [UInt8]] {
        var examples: [String: [UInt8]] = [:]
        for block in blocks("hex") {
            let name = block[0].drop { $0 == ";" || $0 == " " }
            let digits = block.flatMap { $0.prefix { $0 != ";" }.split(separator: " ") }
            examples[String(name)] = try digits.map { digits in
                guard let byte = UInt8(digits, radix: 16) else { throw NotHex(digits: String(digits)) }
                return byte
            }
        }
        for block in blocks("message") { try add(block, to: &examples) }
        return examples
    }

    /// An example whose body is text: `NAME: command N, epoch N, request N`, then lines that are joined.
    private func add(_ block: [String], to examples: inout [String: [UInt8]]) throws {
        guard let head = block[0].wholeMatch(of: /(.+): command (\d+), epoch (\d+), request (\d+)/),
            let command = UInt8(head.2), let epoch = UInt64(head.3), let request = UInt64(head.4)
        else { throw NotHex(digits: block[0]) }
        let numbers = [epoch, request].flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        let body = block.dropFirst().map { $0.drop { $0 == " " } }.joined()
        examples[String(head.1)] = [0x4D, 0x46, 2, command] + numbers + Array(body.utf8)
    }

    struct NotHex: Error {
        let digits: String
    }
}
