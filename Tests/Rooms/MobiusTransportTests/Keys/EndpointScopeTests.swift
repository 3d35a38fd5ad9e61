import FleetTestSupport
import Foundation
import MobiusTransport
import Testing

struct EndpointScopeTests {
    @Test(arguments: [
        "tcp://127.0.0.1:5701", "tcp://127.8.9.10:*", "tcp://localhost:1", "tcp://[::1]:1", "tcp://lo:1",
        "tcp://[::ffff:127.0.0.1]:1", "ipc:///run/x", "ipc://*", "inproc://a", "tcp://127.0.0.1:0;127.0.0.1:5701",
    ])
    func fromThisMachineOnlyNoKeyIsNeeded(endpoint: String) throws {
        #expect(EndpointScope(of: endpoint) == .thisMachine)
        try EndpointScope.check(toBind: endpoint, hasKeys: false)
        try EndpointScope.check(toConnect: endpoint, hasKey: false)
    }

    @Test(arguments: [
        "tcp://*:5701", "tcp://0.0.0.0:5701", "tcp://[::]:5701", "tcp://eth0:1", "tcp://10.0.0.1:1",
        "tcp://example.org:1",
        "tcp://127.1:1", "tcp://localhost.example.org:1", "tcp://[fe80::1]:1", "tcp://128.0.0.1:1", "tcp://:1",
        "tcp://127.0.0.1:0;10.0.0.1:1", "tipc://{5560,0,0}", "vmci://1:1", "ws://127.0.0.1:1",
    ])
    func everywhereElseItIs(endpoint: String) throws {
        #expect(EndpointScope(of: endpoint) == .network)
        let bind = try #require(throws: KeyError.self) { try EndpointScope.check(toBind: endpoint, hasKeys: false) }
        #expect(bind.code == .unprotected)
        #expect(bind.message.contains("mobius keys new NAME --worker POOL --keys keys"))
        let connect = try #require(throws: KeyError.self) {
            try EndpointScope.check(toConnect: endpoint, hasKey: false)
        }
        #expect(connect.message.contains("--key FILE"))
        try EndpointScope.check(toBind: endpoint, hasKeys: true)
        try EndpointScope.check(toConnect: endpoint, hasKey: true)
    }

    @Test func anAbstractSocketIsEverybodysHere() throws {
        for endpoint in ["ipc://@fleet", "ipc://@"] {
            #expect(EndpointScope(of: endpoint) == .everybodyHere)
            let bind = try #require(throws: KeyError.self) { try EndpointScope.check(toBind: endpoint, hasKeys: false) }
            #expect(bind.code == .unprotected)
            #expect(bind.message.contains("in a folder of your own"))
            let connect = try #require(throws: KeyError.self) {
                try EndpointScope.check(toConnect: endpoint, hasKey: false)
            }
            #expect(connect.code == .unprotected)
            try EndpointScope.check(toBind: endpoint, hasKeys: true)
            try EndpointScope.check(toConnect: endpoint, hasKey: true)
        }
    }

    @Test func whatNoLibraryKnowsIsLeftToIt() throws {
        for endpoint in ["carrier-pigeon://roof", "tcp://nowhere", "tcp://", ""] {
            try EndpointScope.check(toBind: endpoint, hasKeys: false)
            try EndpointScope.check(toConnect: endpoint, hasKey: false)
        }
    }

    @Test func aSocketsFolderIsItsOwnersAlone() throws {
        let folder = try TestFolder()
        let inner = folder.file("inner")
        try SocketFolder.prepare(for: "ipc://\(inner)/socket")
        func mode() throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: inner)[.posixPermissions] as? Int
        }
        #expect(try mode() == 0o700)
        try SocketFolder.prepare(for: "ipc://\(inner)/socket")
        for open in [0o755, 0o710, 0o701] {
            try FileManager.default.setAttributes([.posixPermissions: open], ofItemAtPath: inner)
            let error = try #require(throws: KeyError.self) { try SocketFolder.prepare(for: "ipc://\(inner)/socket") }
            #expect(error.message.contains("chmod 700 \(inner)"))
        }
        #expect(throws: KeyError.self) { try SocketFolder.prepare(for: "ipc:///tmp/socket") }
        for endpoint in ["ipc://*", "ipc:///no/such/folder/socket", "tcp://127.0.0.1:1"] {
            try SocketFolder.prepare(for: endpoint)
        }
    }
}
