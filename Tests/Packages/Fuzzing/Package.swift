// swift-tools-version: 6.3
import PackageDescription

// Throws bytes at everything that reads bytes from others: `Tests/run fuzz`. A package of its own that builds the rooms under test
// from their sources (the folders and some files are links), instrumented for libFuzzer, so that nothing else has to be.
let package = Package(
    name: "fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: "https://github.com/apple/swift-collections", from: "1.6.0")],
    targets: [
        .systemLibrary(name: "CZeroMQ"),
        .target(name: "CLibFuzzer"),
        .target(name: "MobiusTransport", dependencies: ["CZeroMQ"]),
        .target(name: "MobiusWire", dependencies: ["MobiusCodec"]),
        .target(name: "MobiusCodec"),
        .target(name: "JSONAgreement", dependencies: ["MobiusCodec"]),
        .target(name: "MobiusJournal", dependencies: ["MobiusWire"]),
        .target(
            name: "MobiusEngine",
            dependencies: [
                "MobiusJournal", "MobiusWire", .product(name: "DequeModule", package: "swift-collections"),
            ]),
        .target(name: "JournalRuns", dependencies: ["MobiusJournal", "MobiusWire"]),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "CLibFuzzer", "JSONAgreement", "JournalRuns", "MobiusCodec", "MobiusEngine", "MobiusJournal",
                "MobiusTransport", "MobiusWire",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// Warnings are errors in the package that the sources belong to; here some of them look unused.
for target in package.targets where !["CZeroMQ", "CLibFuzzer"].contains(target.name) {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}
