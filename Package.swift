// swift-tools-version: 6.3
import PackageDescription

// What most commands are made with.
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

// Journals in PostgreSQL need libpq: a build has them that asks for them.
let postgreSQL = Trait.trait(
    name: "PostgreSQL", description: "Journals in PostgreSQL; needs libpq (Deploy/setup --postgresql).")
let withPostgreSQL = TargetDependencyCondition.when(traits: [postgreSQL.name])

// Loops over HTTP need Hummingbird and NIO, which take more than half as long to compile as all the rest.
let http = Trait.trait(name: "HTTP", description: "Loops over HTTP (mobius-serve); fetches Hummingbird and SwiftNIO.")
let withHTTP = TargetDependencyCondition.when(traits: [http.name])

let package = Package(
    name: "mobius-fleet",
    platforms: [.macOS(.v15)],
    products: [
        // The rooms that users import, in dependency order.
        .library(name: "MobiusCore", targets: ["MobiusCore"]),
        .library(name: "MobiusExtras", targets: ["MobiusExtras"]),
        .library(name: "MobiusTest", targets: ["MobiusTest"]),
        .library(name: "SiteAudit", targets: ["SiteAudit"]),
        .library(name: "MobiusCodec", targets: ["MobiusCodec"]),
        .library(name: "MobiusWire", targets: ["MobiusWire"]),
        .library(name: "MobiusJournal", targets: ["MobiusJournal"]),
        .library(name: "MobiusEngine", targets: ["MobiusEngine"]),
        .library(name: "MobiusProgram", targets: ["MobiusProgram"]),
        .library(name: "MobiusJournalSQLite", targets: ["MobiusJournalSQLite"]),
        .library(name: "MobiusJournalPostgreSQL", targets: ["MobiusJournalPostgreSQL"]),
        .library(name: "MobiusCoordinator", targets: ["MobiusCoordinator"]),
        .library(name: "MobiusWorker", targets: ["MobiusWorker"]),
        .library(name: "MobiusClient", targets: ["MobiusClient"]),
        .library(name: "MobiusTestKit", targets: ["MobiusTestKit"]),
        .executable(name: "mobius", targets: ["mobius"]),
        .executable(name: "mobius-journal", targets: ["mobius-journal"]),
        .executable(name: "mobius-serve", targets: ["mobius-serve"]),
        .executable(name: "site-audit", targets: ["site-audit"]),
        .executable(name: "page-fetcher", targets: ["page-fetcher"]),
        .executable(name: "report-writer", targets: ["report-writer"]),
        .executable(name: "counter-loop", targets: ["counter-loop"]),
        .executable(name: "counter-pool", targets: ["counter-pool"]),
        .executable(name: "counter", targets: ["counter-coordinator"]),
        .executable(name: "sound-player", targets: ["sound-player"]),
    ],
    traits: [http, postgreSQL, .default(enabledTraits: [])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.6.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        // With the same traits as Hummingbird, so that it is compiled once.
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
    ],
    targets: [
        // The house, room by room, in dependency order. Tests/Checks/ArchitectureTests holds the same table as import walls.
        .systemLibrary(name: "CZeroMQ", providers: [.apt(["libzmq3-dev"]), .brew(["zeromq"])]),
        .systemLibrary(
            name: "CLibCurl", path: "Workers/CLibCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .systemLibrary(
            name: "CLibIDN2", path: "Workers/CLibIDN2", pkgConfig: "libidn2",
            providers: [.apt(["libidn2-dev"]), .brew(["libidn2"])]),
        .systemLibrary(
            name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .systemLibrary(
            name: "CLibSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
        // The files of the dashboard, which SwiftPM's own `.embedInCode` takes a hundred times as long to compile.
        .target(name: "CDashboard", exclude: ["pages"]),
        .target(name: "MobiusCore"),
        .target(name: "MobiusExtras", dependencies: ["MobiusCore"]),
        .target(name: "MobiusTest", dependencies: ["MobiusCore"]),
        .target(name: "MobiusCodec"),
        .target(name: "MobiusWire", dependencies: ["MobiusCodec"]),
        .target(name: "MobiusTransport", dependencies: ["CZeroMQ"]),
        .target(name: "MobiusJournal", dependencies: ["MobiusWire"]),
        .target(
            name: "MobiusEngine",
            dependencies: [
                "MobiusWire", "MobiusJournal", .product(name: "DequeModule", package: "swift-collections"),
            ]),
        .target(name: "MobiusJournalTables", dependencies: ["MobiusJournal", "MobiusWire"]),
        .target(
            name: "MobiusJournalSQLite",
            dependencies: ["CLibSQLite", "MobiusJournal", "MobiusJournalTables", "MobiusWire"]),
        // Empty, but for saying so, without the trait.
        .target(
            name: "MobiusJournalPostgreSQL",
            dependencies: [
                .target(name: "CLibPQ", condition: withPostgreSQL), "MobiusJournal", "MobiusJournalTables",
                "MobiusWire",
                logging,
            ]),
        .target(
            name: "MobiusProcess",
            dependencies: [
                "MobiusCodec", "MobiusWire", argumentParser, lifecycle, logging,
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ]),
        // Empty without the trait.
        .target(
            name: "MobiusHTTP",
            dependencies: [
                .target(name: "CDashboard", condition: withHTTP), "MobiusClient", "MobiusCodec", "MobiusProcess",
                "MobiusWire", lifecycle, logging,
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Hummingbird", package: "hummingbird", condition: withHTTP),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: withHTTP),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: withHTTP),
                .product(name: "NIOCore", package: "swift-nio", condition: withHTTP),
                .product(name: "NIOPosix", package: "swift-nio", condition: withHTTP),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: withHTTP),
            ]),
        .target(
            name: "MobiusProgram",
            dependencies: [
                "MobiusCore", "MobiusCodec", "MobiusWire", "MobiusEngine",
                .product(name: "Instrumentation", package: "swift-distributed-tracing"),
            ]),
        .target(
            name: "MobiusRuntime",
            dependencies: [
                "MobiusCore", "MobiusCodec", "MobiusWire", "MobiusEngine", "MobiusProgram",
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
        .target(
            name: "MobiusDriver",
            dependencies: [
                "MobiusCore", "MobiusCodec", "MobiusWire", "MobiusJournal", "MobiusEngine", "MobiusProgram",
                "MobiusRuntime", logging,
            ]),
        .target(
            name: "MobiusCoordinator",
            dependencies: [
                "MobiusClient", "MobiusCodec", "MobiusCore", "MobiusDriver", "MobiusEngine", "MobiusJournal",
                "MobiusJournalSQLite", "MobiusProcess", "MobiusProgram", "MobiusRuntime", "MobiusTransport",
                "MobiusWire",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .target(
            name: "MobiusWorker",
            dependencies: [
                "MobiusCodec", "MobiusCore", "MobiusDriver", "MobiusEngine", "MobiusProcess", "MobiusRuntime",
                "MobiusProgram", "MobiusTransport", "MobiusWire",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .target(
            name: "MobiusClient",
            dependencies: [
                "MobiusCodec", "MobiusCore", "MobiusProgram", "MobiusTransport", "MobiusWire", logging,
            ]),
        .target(
            name: "MobiusTestKit",
            dependencies: [
                "MobiusCore", "MobiusCodec", "MobiusWire", "MobiusJournal", "MobiusEngine", "MobiusProgram",
                "MobiusDriver", "MobiusRuntime", logging,
            ]),
        .target(
            name: "MobiusLauncher",
            dependencies: [
                "MobiusClient", "MobiusCodec", "MobiusProcess", "MobiusTransport", "MobiusWire", "Yams", argumentParser,
                logging,
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .executableTarget(
            name: "mobius",
            dependencies: [
                "MobiusClient", "MobiusCodec", "MobiusJournal", "MobiusLauncher", "MobiusProcess", "MobiusTransport",
                "MobiusWire", argumentParser,
            ]),
        // Apart, so that users of fleets compile no store; `mobius` finds it as git finds its subcommands.
        .executableTarget(
            name: "mobius-journal",
            dependencies: [
                "MobiusCodec", "MobiusJournal", "MobiusJournalPostgreSQL", "MobiusJournalSQLite", "MobiusProcess",
                "MobiusWire", argumentParser,
            ]),
        // Apart, because nobody else compiles an HTTP server; without the trait it says what to build with.
        .executableTarget(
            name: "mobius-serve",
            dependencies: [
                "MobiusClient", "MobiusHTTP", "MobiusLauncher", "MobiusProcess", "MobiusTransport", "MobiusWire",
                argumentParser, lifecycle, logging,
            ]),

        // Site Audit: the example that is also a product.
        .target(name: "SiteAudit", dependencies: ["CLibIDN2", "MobiusCore", "MobiusProgram"]),
        .executableTarget(
            name: "site-audit",
            dependencies: [
                "MobiusCoordinator", "MobiusCore", "MobiusJournalPostgreSQL", "MobiusProcess", "SiteAudit",
                argumentParser,
            ]),
        .target(
            name: "PageFetching", dependencies: ["CLibCurl", "SiteAudit", logging], path: "Workers/PageFetching"),
        .executableTarget(
            name: "page-fetcher",
            dependencies: ["PageFetching", "SiteAudit", "MobiusCore", "MobiusWorker", argumentParser],
            path: "Workers/page-fetcher"),
        .executableTarget(
            name: "report-writer", dependencies: ["SiteAudit", "MobiusCore", "MobiusWorker"],
            path: "Workers/report-writer"),
        .executableTarget(
            name: "sample-site-server", dependencies: ["MobiusProcess", argumentParser],
            path: "Deploy/sample-site-server"),
        // One build of all that Deploy/run starts: SwiftPM also links the executables that an executable depends on.
        .executableTarget(
            name: "site-audit-fleet",
            dependencies: ["mobius", "page-fetcher", "report-writer", "sample-site-server", "site-audit"],
            path: "Deploy/site-audit-fleet"),

        // Greeter: the small app of the README.
        .target(name: "Greeter", dependencies: ["MobiusCore"]),
        .executableTarget(
            name: "greeter-coordinator",
            dependencies: [
                "Greeter", "MobiusCore", "MobiusCoordinator", argumentParser,
            ]),
        .executableTarget(
            name: "greeter-worker",
            dependencies: ["Greeter", "MobiusCore", "MobiusWorker"],
            path: "Workers/greeter-worker"),

        // Counter: the app of the tutorial, in three stages with one update.
        .target(name: "Counter", dependencies: ["MobiusCore", "MobiusProgram"]),
        .target(
            name: "CounterTerminal",
            dependencies: [
                "Counter", "MobiusCore", "MobiusProcess", argumentParser, logging, lifecycle,
            ]),
        .target(
            name: "SoundPlaying",
            dependencies: [
                argumentParser, .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Workers/SoundPlaying"),
        .executableTarget(
            name: "counter-loop",
            dependencies: [
                "Counter", "CounterTerminal", "MobiusCore", "MobiusProcess", "SoundPlaying", argumentParser, logging,
            ]),
        .executableTarget(
            name: "counter-pool",
            dependencies: [
                "Counter", "CounterTerminal", "MobiusCoordinator", "MobiusCore", "MobiusProcess", argumentParser,
                logging,
            ]),
        .executableTarget(
            name: "counter-coordinator",
            dependencies: [
                "Counter", "CounterTerminal", "MobiusCoordinator", "MobiusCore", argumentParser,
            ]),
        .executableTarget(
            name: "sound-player",
            dependencies: [
                "Counter", "MobiusCore", "MobiusWorker", "SoundPlaying", argumentParser,
            ],
            path: "Workers/sound-player"),

        // Orders: a saga for each order, with three pools of workers that keep ledgers.
        .target(name: "Orders", dependencies: ["MobiusCore", "MobiusProgram"]),
        .target(
            name: "OrderLedgers",
            dependencies: ["MobiusCore", "MobiusWorker", "Orders", .product(name: "GRDB", package: "GRDB.swift")],
            path: "Workers/OrderLedgers"),
        .executableTarget(
            name: "orders-coordinator",
            dependencies: ["MobiusCoordinator", "MobiusCore", "MobiusJournalPostgreSQL", "Orders"]),
        .executableTarget(
            name: "orders-load",
            dependencies: [
                "MobiusClient", "MobiusProcess", "MobiusProgram", "MobiusWire", "OrderLedgers", "Orders",
                argumentParser,
            ],
            path: "Tests/Tools/orders-load"),
        .executableTarget(
            name: "stock", dependencies: ["MobiusCore", "MobiusWorker", "OrderLedgers", "Orders"],
            path: "Workers/stock"),
        .executableTarget(
            name: "payments", dependencies: ["MobiusCore", "MobiusWorker", "OrderLedgers", "Orders"],
            path: "Workers/payments"),
        .executableTarget(
            name: "shipping", dependencies: ["MobiusCore", "MobiusWorker", "OrderLedgers", "Orders"],
            path: "Workers/shipping"),

        // Tests of one room are in Tests/Rooms, tests of the whole system in Tests/System: see the end of this file.
        .target(name: "FleetTestSupport", path: "Tests/Support/FleetTestSupport"),
        .target(name: "TestTraits", dependencies: ["FleetTestSupport"], path: "Tests/Support/TestTraits"),
        .target(name: "Bank", dependencies: ["MobiusCodec", "MobiusCore"], path: "Tests/Bank/Bank"),
        // The same as several programs, whose loops ask each other.
        .target(name: "Clearing", dependencies: ["MobiusCore", "MobiusProgram"], path: "Tests/Bank/Clearing"),
        // What only our own tests have in a simulated world: clusters, clients and operators, traps, scripted handlers.
        .target(
            name: "FleetSimulation",
            dependencies: [
                "MobiusCodec", "MobiusCore", "MobiusDriver", "MobiusEngine", "MobiusJournal", "MobiusProgram",
                "MobiusRuntime", "MobiusTestKit", "MobiusWire",
            ],
            path: "Tests/Support/FleetSimulation"),
        .target(
            name: "BankSimulation",
            dependencies: [
                "Bank", "Clearing", "FaultyDisk", "FleetSimulation", "MobiusCore", "MobiusEngine", "MobiusJournal",
                "MobiusJournalSQLite", "MobiusProgram", "MobiusTestKit", "MobiusWire",
            ],
            path: "Tests/Bank/BankSimulation"),
        // Lets the syncs, writes, reads and locks below SQLite fail, and the power.
        .target(
            name: "FaultyDisk", dependencies: ["CLibSQLite"],
            path: "Tests/Support/FaultyDisk"),
        .executableTarget(
            name: "fleet-simulation", dependencies: ["BankSimulation", "FleetSimulation", "MobiusTestKit"],
            path: "Tests/Tools/fleet-simulation"),
        // Always the same work, whose instructions Tests/run instructions counts.
        .executableTarget(
            name: "fixed-work",
            dependencies: [
                "MobiusCodec", "MobiusCore", "MobiusDriver", "MobiusEngine", "MobiusJournal", "MobiusJournalSQLite",
                "MobiusProgram", "MobiusRuntime", "MobiusWire", logging,
            ],
            path: "Tests/Tools/fixed-work"),
        .target(
            name: "BankFleet",
            dependencies: [
                "Bank", "Clearing", "FleetTestSupport", "MobiusClient", "MobiusEngine", "MobiusProgram",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            path: "Tests/Bank/BankFleet"),
        .executableTarget(
            name: "bank-coordinator",
            dependencies: [
                "Bank", "BankFleet", "MobiusCoordinator", "MobiusCore", "MobiusJournalPostgreSQL",
            ],
            path: "Tests/Bank/bank-coordinator"),
        .executableTarget(
            name: "clearing-coordinator",
            dependencies: ["Clearing", "MobiusCoordinator", "MobiusJournalPostgreSQL"],
            path: "Tests/Bank/clearing-coordinator"),
        .executableTarget(
            name: "bank-worker", dependencies: ["Bank", "BankFleet", "MobiusCore", "MobiusWorker"],
            path: "Tests/Bank/bank-worker"),
        .executableTarget(
            name: "fault-proxy",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "NIOCore", package: "swift-nio", condition: withHTTP),
                .product(name: "NIOPosix", package: "swift-nio", condition: withHTTP),
            ],
            path: "Tests/Tools/fault-proxy"),
        .executableTarget(
            name: "network-switch",
            dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")],
            path: "Tests/Tools/network-switch"),
        // A program whose types cannot be explored.
        .executableTarget(
            name: "sealed-coordinator", dependencies: ["MobiusCoordinator", "MobiusCore"],
            path: "Tests/Tools/sealed-coordinator"),
        // A program whose answers can be checked for linearizability.
        .executableTarget(
            name: "register-coordinator",
            dependencies: [
                "MobiusCoordinator", "MobiusCore", "MobiusJournalPostgreSQL",
            ],
            path: "Tests/Tools/register-coordinator"),
        .executableTarget(
            name: "parcels-coordinator",
            dependencies: ["MobiusCoordinator", "MobiusCore", "MobiusJournalPostgreSQL"],
            path: "Tests/Tools/parcels-coordinator"),
        // Builds of one program that differ.
        .executableTarget(
            name: "planted-coordinator", dependencies: ["MobiusCoordinator", "MobiusCore"],
            path: "Tests/Tools/planted-coordinator"),
        .executableTarget(
            name: "chaos-runner",
            dependencies: [
                "Bank", "BankFleet", "FleetTestSupport", "MobiusClient", "MobiusProcess",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Tools/chaos-runner"),
        .executableTarget(name: "bare-worker", dependencies: ["MobiusWorker"], path: "Tests/Tools/bare-worker"),
        .executableTarget(
            name: "trapping-coordinator",
            dependencies: [
                "MobiusCoordinator", "MobiusCore", "MobiusEngine", "MobiusProgram", "MobiusWire",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/Tools/trapping-coordinator"),
        .testTarget(
            name: "MobiusTestKitTests",
            dependencies: [
                "BankSimulation", "FleetSimulation", "JournalStoreCompatibility", "MobiusCore", "MobiusEngine",
                "MobiusJournal", "MobiusProgram", "MobiusRuntime", "MobiusTestKit", "MobiusWire", "fleet-simulation",
            ]),
        .testTarget(
            name: "MobiusProgramTests",
            dependencies: ["MobiusCodec", "MobiusCore", "MobiusEngine", "MobiusProgram", "MobiusWire"]),
        .testTarget(
            name: "FailureTests",
            dependencies: [
                "Bank", "BankFleet", "Clearing", "MobiusCodec", "MobiusTransport", "MobiusWire", "clearing-coordinator",
                "mobius",
            ]),
        .testTarget(
            name: "ClusterTests",
            dependencies: [
                "Bank", "BankFleet", "Clearing", "MobiusClient", "MobiusEngine", "MobiusTransport", "MobiusWire",
                "bank-coordinator", "bank-worker", "clearing-coordinator", "mobius", "network-switch",
                "parcels-coordinator", "register-coordinator",
            ]),
        .testTarget(
            name: "HostTests",
            dependencies: [
                "Bank", "BankFleet", "bank-coordinator", "bank-worker", "mobius", "network-switch",
            ]),
        .testTarget(
            name: "SecurityTests",
            dependencies: [
                "MobiusClient", "MobiusCoordinator", "MobiusEngine", "MobiusLauncher", "MobiusProcess",
                "MobiusTransport", "MobiusWire", "mobius-serve",
            ]),
        .testTarget(
            name: "ArchitectureTests", path: "Tests/Checks/ArchitectureTests"),
        .testTarget(name: "MobiusCoreTests", dependencies: ["Greeter", "MobiusCore"]),
        .testTarget(name: "MobiusExtrasTests", dependencies: ["MobiusCore", "MobiusExtras"]),
        .testTarget(name: "MobiusTestTests", dependencies: ["MobiusCore", "MobiusTest"]),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "Counter", "Greeter", "MobiusClient", "MobiusCodec", "MobiusCoordinator", "MobiusCore", "MobiusExtras",
                "MobiusProcess", "MobiusTest", "MobiusTestKit", "MobiusWorker", "mobius-serve", "network-switch",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .target(name: "JSONAgreement", dependencies: ["MobiusCodec"], path: "Tests/Support/JSONAgreement"),
        .executableTarget(name: "html-links", dependencies: ["PageFetching"], path: "Tests/Tools/html-links"),
        .executableTarget(name: "resolve-links", dependencies: ["SiteAudit"], path: "Tests/Tools/resolve-links"),
        .executableTarget(name: "json-agreement", dependencies: ["JSONAgreement"], path: "Tests/Tools/json-agreement"),
        .testTarget(name: "MobiusCodecTests", dependencies: ["JSONAgreement", "MobiusCodec"]),
        .testTarget(
            name: "MobiusRuntimeTests",
            dependencies: [
                "MobiusCore", "MobiusEngine", "MobiusProgram", "MobiusRuntime", "MobiusTransport", "MobiusWire",
            ]),
        .testTarget(name: "MobiusTransportTests", dependencies: ["CZeroMQ", "MobiusTransport"]),
        .testTarget(
            name: "MobiusDriverTests",
            dependencies: [
                "Greeter", "MobiusCodec", "MobiusCore", "MobiusDriver", "MobiusEngine", "MobiusJournal",
                "MobiusProgram",
                "MobiusRuntime",
                "MobiusWire", logging,
            ]),
        .testTarget(name: "MobiusWireTests", dependencies: ["MobiusWire"]),
        .testTarget(
            name: "MobiusClientTests",
            dependencies: [
                "MobiusClient", "MobiusCoordinator", "MobiusEngine", "MobiusJournal", "MobiusJournalSQLite",
                "MobiusProcess", "MobiusTransport", "MobiusWire", "mobius",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "JournalStoreCompatibility", dependencies: ["MobiusJournal", "MobiusWire"],
            path: "Tests/Support/JournalStoreCompatibility"),
        // What a third database takes under the tables of a journal.
        .target(
            name: "PlainJournal", dependencies: ["CLibSQLite", "MobiusJournal", "MobiusJournalTables", "MobiusWire"],
            path: "Tests/Support/PlainJournal"),
        .executableTarget(
            name: "journal-torture",
            dependencies: [
                "JournalStoreCompatibility", "MobiusJournalSQLite", "MobiusJournal", "MobiusWire",
                "CLibSQLite",
            ],
            path: "Tests/Tools/journal-torture"),
        .testTarget(
            name: "MobiusJournalTests",
            dependencies: ["MobiusJournal", "MobiusWire", "JournalStoreCompatibility", "PlainJournal"]),
        .testTarget(
            name: "MobiusJournalSQLiteTests",
            dependencies: [
                "FaultyDisk", "MobiusJournalSQLite", "MobiusJournal", "MobiusWire", "JournalStoreCompatibility",
                "journal-torture", .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "MobiusJournalPostgreSQLTests",
            dependencies: [
                "MobiusJournalPostgreSQL", "MobiusJournalSQLite", "MobiusJournal", "MobiusWire",
                "JournalStoreCompatibility", "mobius",
            ]),
        .testTarget(name: "MobiusEngineTests", dependencies: ["MobiusEngine", "MobiusJournal", "MobiusWire"]),
        .testTarget(
            name: "MobiusProcessTests",
            dependencies: [
                "BankFleet", "MobiusProcess", "MobiusProgram", "bank-coordinator", "bank-worker", "mobius",
                "orders-coordinator", argumentParser, lifecycle, logging,
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ]),
        .testTarget(
            name: "MobiusHTTPTests",
            dependencies: [
                "BankFleet", "MobiusHTTP", "MobiusProcess", "MobiusWire", "bank-coordinator", "mobius", "mobius-serve",
                "orders-coordinator", "site-audit",
                .product(name: "HummingbirdCore", package: "hummingbird", condition: withHTTP),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio", condition: withHTTP),
                .product(name: "NIOPosix", package: "swift-nio", condition: withHTTP),
            ]),
        .testTarget(
            name: "PageFetcherTests",
            dependencies: [
                "PageFetching", "SiteAudit", .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "LauncherTests",
            dependencies: [
                "MobiusCodec", "MobiusCore", "MobiusLauncher", "MobiusProcess", "MobiusProgram", "MobiusWire", "mobius",
                "mobius-serve", "orders-coordinator",
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .testTarget(name: "SiteAuditTests", dependencies: ["SiteAudit", "MobiusCore", "MobiusTestKit"]),
        .testTarget(
            name: "CounterTests",
            dependencies: [
                "Counter", "CounterTerminal", "MobiusCore", "MobiusProcess", "MobiusTest", "MobiusTestKit",
                "SoundPlaying",
            ]),
        .testTarget(
            name: "OrdersTests",
            dependencies: [
                "MobiusCore", "MobiusTest", "MobiusTestKit", "MobiusWire", "MobiusWorker", "OrderLedgers", "Orders",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "Greeter", "MobiusClient", "MobiusCoordinator", "MobiusCore", "MobiusJournal", "MobiusJournalSQLite",
                "MobiusWire", "OrderLedgers", "Orders", "mobius", "planted-coordinator", "sealed-coordinator",
            ],
            exclude: ["Sites"]),
        .testTarget(
            name: "MobiusCoordinatorTests",
            dependencies: [
                "MobiusClient", "MobiusCoordinator", "MobiusCore", "MobiusEngine", "MobiusJournal",
                "MobiusJournalSQLite", "MobiusProgram", "MobiusTransport", "MobiusWire", "MobiusWorker",
                "bare-worker", "trapping-coordinator",
                .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["Golden"]),
    ],
    swiftLanguageModes: [.v6]
)

// A test target's folder has its name, and every test may use the helpers.
let systemTests: Set = [
    "ClusterTests", "DocumentationTests", "FailureTests", "HostTests", "IntegrationTests", "LauncherTests",
    "SecurityTests",
]
for target in package.targets where target.type == .test {
    target.path = target.path ?? "Tests/\(systemTests.contains(target.name) ? "System" : "Rooms")/\(target.name)"
    target.dependencies += ["FleetTestSupport", "TestTraits"]
}

let examples: Set = [
    "Counter", "CounterTerminal", "counter-coordinator", "counter-loop", "counter-pool", "Greeter",
    "greeter-coordinator",
    "Orders", "orders-coordinator",
    "SiteAudit", "site-audit",
]
for target in package.targets where examples.contains(target.name) {
    target.path = "Sources/Examples/\(target.name)"
}

// One set of rules for every target of ours.
for target in package.targets where target.type != .system {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .treatAllWarnings(as: .error),
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        ]
}
