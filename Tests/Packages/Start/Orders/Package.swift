// swift-tools-version: 6.1
import PackageDescription

// The products of Mobius Fleet that this package uses.
func fleet(_ product: String) -> Target.Dependency {
    .product(name: product, package: "mobius-fleet")
}

// A worker of one pool.
func worker(_ pool: String) -> Target {
    .executableTarget(name: pool, dependencies: ["OrderLedgers", "Orders", fleet("MobiusCore"), fleet("MobiusWorker")])
}

let package = Package(
    name: "shop",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "mobius-fleet", path: "../mobius-fleet", traits: ["HTTP"]),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
    ],
    targets: [
        .target(name: "Orders", dependencies: [fleet("MobiusCore"), fleet("MobiusProgram")]),
        .target(
            name: "OrderLedgers",
            dependencies: [
                "Orders", fleet("MobiusCore"), fleet("MobiusWorker"), .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .executableTarget(
            name: "orders-coordinator",
            dependencies: [
                "Orders", fleet("MobiusCore"), fleet("MobiusCoordinator"), fleet("MobiusJournalPostgreSQL"),
            ]),
        worker("stock"), worker("payments"), worker("shipping"),
    ],
    swiftLanguageModes: [.v6]
)
