import FleetTestSupport
import Foundation
import Logging
import PageFetching
import SiteAudit
import TestTraits
import Testing

@Suite("Certificate authorities", .ownThread, .patient)
struct TrustTests {
    @Test("that are one's own are trusted where a file or a folder names them, and nowhere else")
    func ownAuthority() async throws {
        let authority = try Authority()
        let server = try authority.server()
        defer { (server.process.standardInput as? Pipe)?.fileHandleForWriting.closeFile() }
        let address = "https://localhost:\(server.port)/"
        let file = authority.folder.file("ca.pem")

        #expect(await outcome(address, Trust()) == .failed(.insecure))
        for trust in [
            Trust(file: file), Trust(environment: ["SSL_CERT_FILE": file]),
            Trust(environment: ["SSL_CERT_DIR": authority.folder.file("hashed")]),
            Trust(file: file, environment: ["SSL_CERT_FILE": "/nowhere"]),
        ] {
            guard case .answered(let answer) = await outcome(address, trust) else {
                Issue.record("no answer with \(trust)")
                continue
            }
            #expect(answer.status == 200)
            #expect(answer.page != nil)
        }
        let other = "https://127.0.0.1:\(server.port)/"
        #expect(await outcome(other, Trust(file: file)) == .failed(.insecure), "the certificate is for localhost only")
        #expect(await outcome(address, Trust(file: "/nowhere")) == .failed(.insecure))
    }

    private func outcome(_ url: String, _ trust: Trust) async -> FetchOutcome {
        let fetcher = Fetcher(
            limits: .patient, trust: trust, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let outcome = await fetcher.fetch(FetchRequest(url: url, purpose: .page))
        await fetcher.shutdown()
        return outcome
    }
}

/// An authority of its own, in a folder: `ca.pem`, `hashed/`, and `server.pem` for localhost.
private struct Authority {
    let folder: TestFolder

    init() throws {
        folder = try TestFolder()
        try run(
            """
            set -e
            new="openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
            $new -x509 -days 2 -subj /CN=Test -keyout ca.key -out ca.pem
            $new -subj /CN=localhost -keyout server.key -out server.csr
            echo subjectAltName=DNS:localhost > extensions
            openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile extensions \\
                -out server.pem
            mkdir hashed
            cp ca.pem hashed
            openssl rehash hashed
            """
        ).waitUntilExit()
    }

    /// A server that answers every request over TLS with a page, as long as its input is open.
    func server() throws -> (process: Process, port: Int) {
        let output = Pipe()
        let process = try run(
            """
            openssl s_server -accept 127.0.0.1:0 -cert server.pem -key server.key -www &
            read line
            kill -KILL $!
            """, output: output)
        // "ACCEPT 127.0.0.1:PORT"
        var text = ""
        while text.firstMatch(of: /ACCEPT .*\n/) == nil {
            let part = output.fileHandleForReading.availableData
            guard part.isEmpty == false else { throw NoServer(output: text) }
            text += String(decoding: part, as: UTF8.self)
        }
        let port = text.firstMatch(of: /ACCEPT .*:([0-9]+)\n/).flatMap { Int($0.1) }
        return (process, try #require(port))
    }

    struct NoServer: Error { var output: String }

    @discardableResult
    private func run(_ script: String, output: Any = FileHandle.nullDevice) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", script]
        process.currentDirectoryURL = URL(filePath: folder.path)
        process.standardInput = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }
}
