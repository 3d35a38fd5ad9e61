// swift-tools-version: 6.3
import PackageDescription

// A package of a user who takes the loop and nothing else: `Tests/run start` looks at what it compiles.
let package = Package(
    name: "plain",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "mobius-fleet", path: "../../../..")],
    targets: [
        .testTarget(
            name: "PlainTests",
            dependencies: [
                .product(name: "MobiusCore", package: "mobius-fleet"),
                .product(name: "MobiusTest", package: "mobius-fleet"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
