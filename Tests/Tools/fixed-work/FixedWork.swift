import Foundation

/// Does one row of fixed work, always the same: `fixed-work NAME`, `fixed-work --list`, `fixed-work --journal FILE`.
///
/// It prints how many units it did of what is counted. `--journal` writes the journal that the row `recovery` reads.
@main
enum FixedWork {
    /// A row: its name, what one unit is, and the work, which returns how many units were counted.
    struct Row: Sendable {
        let name: String
        let unit: String
        let run: @Sendable () throws -> Int
    }

    static let rows: [Row] =
        MachineWork.rows + EffectWork.rows + LoopWork.rows + CodecWork.rows + RecoveryWork.rows + CancelWork.rows

    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments == ["--list"] { return rows.forEach { print("\($0.name)\t\($0.unit)") } }
        if arguments.count == 2, arguments[0] == "--journal" { return try RecoveryWork.write(to: arguments[1]) }
        guard arguments.count == 1, let row = rows.first(where: { $0.name == arguments[0] }) else {
            FileHandle.standardError.write(Data("usage: fixed-work NAME | --list | --journal FILE\n".utf8))
            exit(64)
        }
        print(try row.run())
    }
}
