// swift-tools-version: 6.1
import PackageDescription

// The products of Mobius Fleet that this package uses.
func fleet(_ product: String) -> Target.Dependency {
    .product(name: product, package: "mobius-fleet")
}

let package = Package(
    name: "sample-app",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "mobius-fleet", path: "../..")
    ],
    targets: [
        // Model, events, effects, update and routes: pure, and shared by all processes.
        .target(name: "SampleApp", dependencies: [fleet("MobiusCore"), fleet("MobiusProgram")]),
        .executableTarget(
            name: "sample-app-coordinator",
            dependencies: ["SampleApp", fleet("MobiusCore"), fleet("MobiusCoordinator")]),
        .executableTarget(
            name: "sample-app-worker", dependencies: ["SampleApp", fleet("MobiusCore"), fleet("MobiusWorker")]),
        .testTarget(
            name: "SampleAppTests",
            dependencies: [
                "SampleApp", "sample-app-worker", fleet("MobiusCore"), fleet("MobiusTest"), fleet("MobiusTestKit"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
