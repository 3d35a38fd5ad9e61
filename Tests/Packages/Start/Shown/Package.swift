// swift-tools-version: 6.1
import PackageDescription

// The products of Mobius Fleet that this package uses.
func fleet(_ product: String) -> Target.Dependency {
    .product(name: product, package: "mobius-fleet")
}

let package = Package(
    name: "invoices",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://example.org/mobius-fleet", from: "0.1.0")
    ],
    targets: [
        // Model, events, effects, update and routes: pure, and shared by all processes.
        .target(name: "Invoices", dependencies: [fleet("MobiusCore"), fleet("MobiusProgram")]),
        .executableTarget(
            name: "invoices-coordinator",
            dependencies: ["Invoices", fleet("MobiusCore"), fleet("MobiusCoordinator")]),
        .executableTarget(
            name: "invoices-worker", dependencies: ["Invoices", fleet("MobiusCore"), fleet("MobiusWorker")]),
        .testTarget(
            name: "InvoicesTests",
            dependencies: [
                "Invoices", "invoices-worker", fleet("MobiusCore"), fleet("MobiusTest"), fleet("MobiusTestKit"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
