// swift-tools-version: 6.1
import PackageDescription

// Stands for an app of a user who comes from Mobius.swift: Swift 5 mode, XCTest, every symbol. A package of its own also because
// XCTest finds its tests in an index, which the build of all other tests does not make.
let package = Package(
    name: "mobius-swift5-client",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "mobius-fleet", path: "../../..")],
    targets: [
        .testTarget(
            name: "MobiusSwift5ClientTests",
            dependencies: ["MobiusCore", "MobiusExtras", "MobiusTest"].map {
                .product(name: $0, package: "mobius-fleet")
            })
    ],
    swiftLanguageModes: [.v5]
)
