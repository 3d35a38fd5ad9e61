import Foundation
import MobiusCommand

/// Where a new package gets Mobius Fleet from.
enum PackageSource {
    /// A clone in this folder.
    case folder(String)
    /// A git repository.
    case repository(String)

    /// The source that was given, or the clone in which this executable was built.
    init(_ given: String?) throws(FleetExit) {
        if let given, given.contains("://") || given.hasPrefix("git@") {
            self = .repository(given)
            return
        }
        if let given {
            let folder = URL(fileURLWithPath: given).standardizedFileURL
            guard Self.isFleet(folder) else {
                throw FleetExit(
                    .usage, "--package is '\(given)', which is not a folder with Mobius Fleet's Package.swift.")
            }
            self = .folder(folder.path)
            return
        }
        var folder = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
        while let place = folder, place.path != "/" {
            if Self.isFleet(place) {
                self = .folder(place.path)
                return
            }
            folder = place.deletingLastPathComponent()
        }
        throw FleetExit(
            .usage,
            "This mobius was not built in a clone of Mobius Fleet, so it needs to be told where the package is: "
                + "--package, with the folder of a clone or the URL of a git repository.")
    }

    private static func isFleet(_ folder: URL) -> Bool {
        let manifest = try? String(contentsOf: folder.appendingPathComponent("Package.swift"), encoding: .utf8)
        return manifest?.contains("let package = Package(\n    name: \"mobius-fleet\"") == true
    }

    /// The dependency, as in a Package.swift.
    var dependency: String {
        switch self {
        case .folder(let path): ".package(name: \"mobius-fleet\", path: \(Self.literal(path)))"
        case .repository(let url): ".package(url: \(Self.literal(url)), from: \"\(FleetVersion.current)\")"
        }
    }

    /// The package's name in dependencies of targets: SwiftPM takes it from the URL.
    var identity: String {
        switch self {
        case .folder: return "mobius-fleet"
        case .repository(let url):
            let last = url.split(whereSeparator: { $0 == "/" || $0 == ":" }).last.map(String.init) ?? url
            return last.hasSuffix(".git") ? String(last.dropLast(4)) : last
        }
    }

    private static func literal(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
