import FleetTestSupport
import Foundation
import MobiusTransport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

struct KeyDirectoryTests {
    private let folder: TestFolder
    private let keys: KeyDirectory
    private let worker = Rights(pools: .these(["a"]))

    init() throws {
        folder = try TestFolder()
        keys = KeyDirectory(folder.file("keys"))
    }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test func aPeerGetsOneFileWithAllItNeeds() throws {
        let key = try keys.add("ada", worker, file: keys.path(ofKey: "ada"))
        #expect(try PeerKey(file: keys.path(ofKey: "ada")) == key)
        #expect(try key.coordinator == keys.pair().publicKey)
        #expect(try text(folder.file("keys/coordinator.pub")) == key.coordinator + "\n")
        #expect(try keys.allowList()[publicKey: key.publicKey]?.rights == worker)
        #expect(try mode(keys.path(ofKey: "ada")) == 0o600)
        #expect(try mode(folder.file("keys/coordinator.key")) == 0o600)
        #expect(try mode(keys.path) == 0o700)
        // The next one is for the same coordinator.
        #expect(try keys.add("ben", worker, file: folder.file("b")).coordinator == key.coordinator)
        #expect(try FileManager.default.contentsOfDirectory(atPath: keys.path).count == 4, "nothing is left over")
    }

    @Test func whoIsRevokedIsGone() throws {
        let key = try keys.add("ada", worker, file: keys.path(ofKey: "ada"))
        let before = keys.allowListStamp
        #expect(try keys.revoke("ada").publicKey == key.publicKey)
        #expect(keys.allowListStamp != before)
        #expect(try keys.allowList().entries == [])
        #expect(!FileManager.default.fileExists(atPath: keys.path(ofKey: "ada")))
        #expect(throws: KeyError.self) { try keys.revoke("ada") }
        _ = try keys.add("ada", worker, file: keys.path(ofKey: "ada"))
    }

    @Test func nothingIsOverwritten() throws {
        _ = try keys.add("ada", worker, file: folder.file("k"))
        let before = try text(folder.file("k"))
        #expect(throws: KeyError.self) { try keys.add("ada", worker, file: folder.file("other")) }
        let error = #expect(throws: KeyError.self) { try keys.add("ben", worker, file: folder.file("k")) }
        #expect(error?.code == .exists)
        #expect(try text(folder.file("k")) == before)
        #expect(try keys.allowList().entries.map(\.name) == ["ada"])
    }

    @Test func manyAtOnceAreAllThere() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { _ = try keys.add("p\(number)", worker, file: keys.path(ofKey: "p\(number)")) }
            }
            try await group.waitForAll()
        }
        #expect(try keys.allowList().entries.count == 20)
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o644])
    func aSecretThatOthersMayReadIsRefused(mode: Int) throws {
        _ = try keys.add("ada", worker, file: keys.path(ofKey: "ada"))
        for path in [keys.path(ofKey: "ada"), folder.file("keys/coordinator.key")] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        let error = #expect(throws: KeyError.self) { try PeerKey(file: keys.path(ofKey: "ada")) }
        #expect(error?.code == .exposed)
        #expect(error?.message.contains("chmod 600 \(keys.path(ofKey: "ada"))") == true)
        #expect(throws: KeyError.self) { try keys.pair() }
    }

    @Test func anAllowListThatOthersMayChangeIsRefused() throws {
        _ = try keys.add("ada", worker, file: keys.path(ofKey: "ada"))
        try FileManager.default.setAttributes([.posixPermissions: 0o664], ofItemAtPath: keys.allowListPath)
        #expect(#expect(throws: KeyError.self) { try keys.allowList() }?.code == .exposed)
    }

    @Test(arguments: [0o770, 0o777, 0o702, 0o720])
    func aFolderThatOthersMayWriteIsRefused(mode: Int) throws {
        _ = try keys.add("ada", worker, file: keys.path(ofKey: "ada"))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: keys.path)
        let errors = [
            #expect(throws: KeyError.self) { try keys.pair() },
            #expect(throws: KeyError.self) { try keys.allowList() },
            #expect(throws: KeyError.self) { try keys.add("ben", worker, file: keys.path(ofKey: "ben")) },
            #expect(throws: KeyError.self) { try keys.revoke("ada") },
        ]
        for error in errors {
            #expect(error?.code == .exposed)
            #expect(error?.message.contains("Run: chmod go-w \(keys.path)") == true)
        }
        #expect(!FileManager.default.fileExists(atPath: keys.path(ofKey: "ben")))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: keys.path)
        #expect(try keys.allowList().entries.map(\.name) == ["ada"])
    }

    @Test(.enabled(if: geteuid() == 0, "only root may give a folder away"))
    func aFolderOfAnotherUserIsRefused() throws {
        _ = try keys.add("ada", worker, file: keys.path(ofKey: "ada"))
        #expect(chown(keys.path, 65534, 65534) == 0)
        let error = #expect(throws: KeyError.self) { try keys.allowList() }
        #expect(error?.code == .exposed)
        #expect(error?.message.contains("belongs to another user (65534)") == true)
        // As Kubernetes mounts secrets: root's, and nobody may remove the files of others.
        #expect(chown(keys.path, 0, 0) == 0)
        #expect(chmod(keys.path, 0o1777) == 0)
        #expect(try keys.allowList().entries.map(\.name) == ["ada"])
    }

    @Test func aFolderWithoutKeysNamesTheCommand() {
        let error = #expect(throws: KeyError.self) { try keys.pair() }
        #expect(error?.message.contains("mobius keys new NAME --worker POOL --keys \(keys.path)") == true)
    }

    @Test func aFileThatIsNoKeySaysWhatIsWrong() throws {
        let key = try keys.add("ada", worker, file: folder.file("k"))
        let whole = try text(folder.file("k"))
        for (change, words) in [
            (whole.replacingOccurrences(of: "secret ", with: "# "), "no line 'secret'"),
            (whole + "public x\n", "k:6: public is there twice"),
            (whole.replacingOccurrences(of: key.publicKey, with: key.coordinator), "does not belong"),
            (whole.replacingOccurrences(of: key.coordinator, with: "x"), "k:5: coordinator: a key is 40"),
            (whole.replacingOccurrences(of: "ada\n", with: "a/a\n"), "a name has"),
            ("hello world\n", "k:1: this is no key file"), ("", "no line 'name'"),
        ] {
            let error = #expect(throws: KeyError.self) { try PeerKey(text: change, path: "k") }
            #expect(error?.message.contains(words) == true, "\(error?.message as Any)")
            #expect(error?.message.contains(key.pair.secretKey) == false)
        }
        #expect(!"\(key) \(String(reflecting: key))".contains(key.pair.secretKey))
    }
}
