// swift-tools-version: 6.3
import Foundation
import PackageDescription

let fleet = "mobius-fleet"
// Where libpq is, journals in PostgreSQL are measured, too.
let hasLibPQ = [
    "/usr/include/postgresql/libpq-fe.h", "/usr/include/libpq-fe.h", "/usr/local/include/libpq-fe.h",
].contains { FileManager.default.fileExists(atPath: $0) }

let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        // Preloaded into the effect programs, to count what they allocate.
        .library(name: "AllocationCounts", type: .dynamic, targets: ["AllocationCounter"])
    ],
    dependencies: [
        .package(name: "mobius-fleet", path: "../../..", traits: hasLibPQ ? ["PostgreSQL"] : []),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        // The floor: libzmq alone, in C, with the same bytes and nothing done with them.
        .executableTarget(name: "floor", linkerSettings: [.linkedLibrary("zmq")]),
        // Strangers at a coordinator's port.
        .executableTarget(name: "crowd"),
        // The way to a database on another host.
        .executableTarget(name: "slow-link", linkerSettings: [.linkedLibrary("pthread")]),
        // Clients and workers that are connected and do nothing.
        .executableTarget(name: "guests", linkerSettings: [.linkedLibrary("zmq")]),
        .target(name: "Measuring"),
        // Ours: a window of effects kept outstanding, across two processes.
        .target(
            name: "EffectLoop",
            dependencies: [
                .product(name: "MobiusCodec", package: fleet), .product(name: "MobiusCore", package: fleet),
                .product(name: "MobiusProgram", package: fleet),
            ]),
        .executableTarget(
            name: "effect-coordinator",
            dependencies: [
                "EffectLoop", "Measuring", .product(name: "MobiusCore", package: fleet),
                .product(name: "MobiusCoordinator", package: fleet),
                .product(name: "MobiusJournalPostgreSQL", package: fleet),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .executableTarget(
            name: "effect-worker",
            dependencies: [
                "EffectLoop", .product(name: "MobiusCore", package: fleet),
                .product(name: "MobiusWorker", package: fleet),
            ]),
        // A journal of small events, and the coordinator that recovers it.
        .target(name: "SmallEvents", dependencies: [.product(name: "MobiusCore", package: fleet)]),
        .executableTarget(
            name: "small-journal",
            dependencies: [
                "SmallEvents", .product(name: "MobiusCore", package: fleet),
                .product(name: "MobiusJournal", package: fleet),
                .product(name: "MobiusJournalSQLite", package: fleet), .product(name: "MobiusWire", package: fleet),
            ]),
        .executableTarget(
            name: "small-coordinator",
            dependencies: [
                "SmallEvents", .product(name: "MobiusCore", package: fleet),
                .product(name: "MobiusCoordinator", package: fleet),
            ]),
        // A coordinator with a million loops.
        .executableTarget(
            name: "many-loops",
            dependencies: [
                .product(name: "MobiusClient", package: fleet), .product(name: "MobiusCore", package: fleet),
                .product(name: "MobiusCoordinator", package: fleet), .product(name: "MobiusJournal", package: fleet),
                .product(name: "MobiusJournalPostgreSQL", package: fleet),
                .product(name: "MobiusJournalSQLite", package: fleet), .product(name: "MobiusProgram", package: fleet),
                .product(name: "MobiusWire", package: fleet), .product(name: "Logging", package: "swift-log"),
            ]),
        // The ledgers of Orders alone.
        .executableTarget(name: "order-floor", dependencies: [.product(name: "GRDB", package: "GRDB.swift")]),
        // The coordinator's machine alone.
        .executableTarget(
            name: "machine-timing",
            dependencies: [
                .product(name: "MobiusEngine", package: fleet), .product(name: "MobiusJournal", package: fleet),
                .product(name: "MobiusWire", package: fleet),
            ]),
        // Site Audit's pure loop in one process, with a small and a large model.
        .executableTarget(
            name: "audit-scaling",
            dependencies: [
                .product(name: "SiteAudit", package: fleet), .product(name: "MobiusCore", package: fleet),
            ]),
        // Loops in one process, as an app has them: what they cost, in time and in memory asked for.
        .target(name: "Opaque"),
        .target(name: "AllocationCounter"),
        .target(name: "LoopCases", dependencies: ["Opaque", .product(name: "MobiusCore", package: fleet)]),
        .executableTarget(name: "loop-timing", dependencies: ["LoopCases"]),
        .executableTarget(name: "loop-allocations", dependencies: ["AllocationCounter", "LoopCases"]),
        // Values as payloads, beside Foundation's JSON.
        .target(name: "CodecCases", dependencies: ["Opaque", .product(name: "MobiusCodec", package: fleet)]),
        .executableTarget(name: "codec-timing", dependencies: ["CodecCases", "Measuring"]),
        .executableTarget(name: "codec-allocations", dependencies: ["AllocationCounter", "CodecCases"]),
        // Runs the above, and `mobius`, in turns and makes the table.
        .executableTarget(
            name: "bench",
            dependencies: [
                "Measuring", .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "mobius", package: fleet), .product(name: "mobius-journal", package: fleet),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

if hasLibPQ {
    // The floor of a journal in PostgreSQL: libpq alone, in C.
    package.targets.append(.executableTarget(name: "postgresql-floor", linkerSettings: [.linkedLibrary("pq")]))
}

let inC = ["floor", "postgresql-floor", "crowd", "slow-link", "Opaque", "AllocationCounter"]
for target in package.targets where !inC.contains(target.name) {
    target.swiftSettings = [
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}
