import Foundation
import Testing

/// What the README shows is what is built.
@Suite("The README")
struct ReadmeTests {
    @Test("shows the small app's files as they are")
    func showsFiles() throws {
        let root = Repository.root
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let pieces = readme.components(separatedBy: "<!-- ").dropFirst()
        var shown = 0
        for piece in pieces {
            let parts = piece.components(separatedBy: " -->\n```swift\n")
            guard parts.count == 2, let end = parts[1].range(of: "\n```") else { continue }
            let file = try String(contentsOf: root.appending(path: parts[0]), encoding: .utf8)
            #expect(parts[1][..<end.lowerBound] + "\n" == file, "\(parts[0]) differs from what README.md shows of it")
            shown += 1
        }
        #expect(shown == 3)
    }

    @Test("names files and folders that exist")
    func namesFiles() throws {
        let root = Repository.root
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let links = readme.matches(of: /\]\((?<path>[A-Za-z][A-Za-z0-9_.\/-]*)\)/).map { String($0.output.path) }
        #expect(links.count >= 3)
        for path in links {
            #expect(FileManager.default.fileExists(atPath: root.appending(path: path).path), "\(path) is missing")
        }
    }
}
