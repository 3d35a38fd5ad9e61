import ArgumentParser
import Foundation
import MobiusCommand

/// The command `mobius new NAME`.
struct New: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes a package for an app of your own: program, coordinator, worker, topology and tests.",
        discussion: """
            Writes the folder NAME with a Swift package that builds, runs and passes its tests as it is. Its README.md \
            says how to run it and what to change. NAME may be a path; its last part names the package: lower-case \
            letters, digits and hyphens, such as invoice-pipeline.

            The package needs Mobius Fleet. A mobius that was built in a clone of it uses that clone; otherwise say \
            where it is: --package, with a folder or the URL of a git repository.

            Exit codes: 0 when it is written; 64 for an invalid name, or without a place of Mobius Fleet; 73 when the \
            folder exists or cannot be written.

            Examples:
              mobius new invoices
              mobius new ../invoice-pipeline --package ../mobius-fleet
            """)

    @Argument(help: "The folder to write; its last part is the name.", completion: .directory)
    var name: String

    @Option(
        help: ArgumentHelp(
            "Mobius Fleet: the folder of a clone, or the URL of a git repository (default: the clone in which this "
                + "mobius was built).", valueName: "folder-or-url"),
        completion: .directory)
    var package: String?

    func run() throws {
        do throws(FleetExit) {
            let folder = URL(fileURLWithPath: name)
            let files = try files()
            guard !FileManager.default.fileExists(atPath: folder.path) else {
                throw FleetExit(.cannotCreate, "\(folder.path) exists. Choose another name, or remove it.")
            }
            do {
                for file in files { try file.write(in: folder) }
            } catch {
                throw FleetExit(.cannotCreate, "\(folder.path) cannot be written: \(error.localizedDescription)")
            }
            print("Wrote \(files.count) files:")
            for file in files { print("  \(name)/\(file.path)") }
            print("Next: cd \(name), then read README.md, or")
            print("  swift build && swift run mobius up \(folder.lastPathComponent).yaml")
            print("  swift test")
        } catch {
            throw error.report()
        }
    }

    private func files() throws(FleetExit) -> [NewFile] {
        let text = URL(fileURLWithPath: name).lastPathComponent
        guard let name = PackageName(text) else {
            throw FleetExit(.usage, "'\(text)' cannot name a package: \(PackageName.rule).")
        }
        guard !name.isTaken else {
            throw FleetExit(
                .usage,
                "'\(text)' cannot name a package: its module \(name.module) would clash with another of that name. "
                    + "Choose another name, such as my-\(text).")
        }
        return NewPackage(name: name, source: try PackageSource(package)).files
    }
}

/// A file of a new package.
struct NewFile {
    /// Relative to the package's folder.
    let path: String
    let text: String

    /// Writes it, with the folders on its way.
    func write(in folder: URL) throws {
        let file = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file, options: .withoutOverwriting)
    }
}
