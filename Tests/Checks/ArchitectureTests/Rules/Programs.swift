/// Programs decide; who carries out what they ask for stands beside them, in files of its own.
///
/// So a program can be read, and used in a plain loop, without knowing of fleets; and its routes can be tested with it.
enum Programs {
    /// The rooms that are programs.
    static let rooms: Set = ["SiteAudit", "Greeter", "Counter", "Orders"]

    /// Imports of MobiusProgram elsewhere than in `…+Routes.swift`, in `…+Versions.swift` for types that changed, and in `…+Facts.swift`.
    static func problems(in file: SourceFile) -> [Problem] {
        let others = ["+Routes.swift", "+Versions.swift", "+Facts.swift"]
        guard rooms.contains(file.room), !others.contains(where: file.path.hasSuffix) else { return [] }
        return ImportWalls.imports(of: file).filter { $0.module == "MobiusProgram" }.map { _, line in
            file.problem(
                line, "a program knows no routes: put them into a file of their own, \(file.room)+Routes.swift")
        }
    }

    /// Ways to a program's code that leave no breadcrumb.
    private static let unguarded = [
        "TypedLoop", "ProgramCodecs", "TypedCodec", "ProgramMask", "ProgramFacts", "Program.initiate", "Program.step",
        "Program.update",
    ]

    /// Calls of a program by the driver, which runs in the process of all loops, other than through its guarded ones.
    static func unguardedCalls(in file: SourceFile) -> [Problem] {
        guard file.room == "MobiusDriver", !file.path.hasSuffix("/Quarantine/ProgramCalls.swift") else { return [] }
        return unguarded.flatMap { name in
            file.occurrences(of: name).map { index in
                file.problem(
                    file.code[index].line,
                    "no \(name): a trap there would end all loops, so call the program through ProgramCalls")
            }
        }
    }
}
