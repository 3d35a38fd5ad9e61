// swift-tools-version: 6.3
import PackageDescription

// What runs under the sanitizers: `Tests/run sanitize`. A package of its own that builds the room under test from its
// sources (the folders are links), so that nothing else has to be built in the sanitizers' two forms.
let package = Package(
    name: "stress",
    platforms: [.macOS(.v15)],
    targets: [
        .target(name: "MobiusCore"),
        .target(name: "Greeter", dependencies: ["MobiusCore"]),
        .executableTarget(name: "stress", dependencies: ["MobiusCore"]),
        .target(name: "FleetTestSupport"),
        .target(name: "TestTraits", dependencies: ["FleetTestSupport"]),
        .testTarget(
            name: "MobiusCoreTests", dependencies: ["FleetTestSupport", "Greeter", "MobiusCore", "TestTraits"]),
    ],
    swiftLanguageModes: [.v6]
)

// Warnings are errors in the package that the sources belong to; here some of them look unused.
for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}
