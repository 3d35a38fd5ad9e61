// swift-tools-version: 6.3
import PackageDescription

// A package of a user who turns the trait on: `Tests/run macro`. Apart, because swift-syntax takes minutes to build.
let package = Package(
    name: "macro",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "mobius-fleet", path: "../../..", traits: ["FastPayloadMacro"])],
    targets: [
        .testTarget(name: "MacroTests", dependencies: [.product(name: "MobiusCodec", package: "mobius-fleet")])
    ],
    swiftLanguageModes: [.v6]
)
