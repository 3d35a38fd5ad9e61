/// The files of a new package.
struct NewPackage {
    let name: PackageName
    let source: PackageSource

    var text: String { name.text }
    var module: String { name.module }
    /// The worker's module, as tests import it.
    var workerModule: String { text.replacing("-", with: "_") + "_worker" }

    var files: [NewFile] {
        [
            NewFile(path: "Package.swift", text: manifest),
            NewFile(path: "README.md", text: readme),
            NewFile(path: ".gitignore", text: ".build/\n.swiftpm/\n*.journal*\n"),
            NewFile(path: "\(text).yaml", text: topology),
            NewFile(path: "Sources/\(module)/\(module).swift", text: program),
            NewFile(path: "Sources/\(module)/\(module)+Routes.swift", text: routes),
            NewFile(path: "Sources/\(text)-coordinator/\(module)Coordinator.swift", text: coordinator),
            NewFile(path: "Sources/\(text)-worker/\(module)Worker.swift", text: worker),
            NewFile(path: "Sources/\(text)-worker/Handlers.swift", text: handlers),
            NewFile(path: "Tests/\(module)Tests/UpdateTests.swift", text: updateTests),
            NewFile(path: "Tests/\(module)Tests/FleetTests.swift", text: fleetTests),
        ]
    }

    private var manifest: String {
        #"""
        // swift-tools-version: 6.1
        import PackageDescription

        // The products of Mobius Fleet that this package uses.
        func fleet(_ product: String) -> Target.Dependency {
            .product(name: product, package: "\#(source.identity)")
        }

        let package = Package(
            name: "\#(text)",
            platforms: [.macOS(.v15)],
            dependencies: [
                \#(source.dependency)
            ],
            targets: [
                // Model, events, effects, update and routes: pure, and shared by all processes.
                .target(name: "\#(module)", dependencies: [fleet("MobiusCore"), fleet("MobiusProgram")]),
                .executableTarget(
                    name: "\#(text)-coordinator",
                    dependencies: ["\#(module)", fleet("MobiusCore"), fleet("MobiusCoordinator")]),
                .executableTarget(
                    name: "\#(text)-worker", dependencies: ["\#(module)", fleet("MobiusCore"), fleet("MobiusWorker")]),
                .testTarget(
                    name: "\#(module)Tests",
                    dependencies: [
                        "\#(module)", "\#(text)-worker", fleet("MobiusCore"), fleet("MobiusTest"), fleet("MobiusTestKit"),
                    ]),
            ],
            swiftLanguageModes: [.v6]
        )

        """#
    }

    private var topology: String {
        #"""
        # The fleet: one coordinator and two workers. Start it with: swift build && swift run mobius up \#(text).yaml
        name: \#(text)
        coordinator: {command: [.build/debug/\#(text)-coordinator]}
        pools:
          \#(text): {command: [.build/debug/\#(text)-worker], replicas: 2}

        """#
    }

    private var readme: String {
        #"""
        # \#(module)

        Items are added, a worker processes each of them, and the results are kept: an app of Mobius Fleet to start from.

        ```sh
        swift build && swift run mobius up \#(text).yaml    # the fleet; Ctrl-C stops it
        swift test                                          # update, and a whole fleet in virtual time
        ```

        While it runs, send it events from another terminal, and look at it (an installed `mobius` does without `swift run`):

        ```sh
        swift run mobius send '{"added":{"item":"apple"}}'
        swift run mobius send '{"added":{"item":"pear"}}' --loop customer/42
        swift run mobius status
        ```

        An event is its case's name with the labels of its values; a value without a label is `_0`, the next one `_1`.
        Each loop has a model of its own, and begins with its first event: use one for each customer, order or device.
        Without `--loop` the event goes to the loop `main`, whose model the coordinator prints.

        Kill any process, even all of them with `kill -9`, and start again: the results are still there. They are in
        `\#(text).journal`; remove it to begin anew.

        ## What to change

        | File | Content |
        | --- | --- |
        | `Sources/\#(module)/\#(module).swift` | what is known, what can happen, what is asked for, and `update`, which decides |
        | `Sources/\#(module)/\#(module)+Routes.swift` | where each effect runs, its time limit, and the event of its failure |
        | `Sources/\#(text)-worker/Handlers.swift` | the work itself |
        | `Sources/\#(text)-coordinator` | the coordinator's command, with options of your own |
        | `\#(text).yaml` | how many workers, restarts, health checks |

        To add a second pool: name it in a route; copy the folder of the worker and give the copy its own `pool`; add an
        executable target to `Package.swift`; add the pool to `\#(text).yaml` and, as `.pool("NAME") { … }`, to the tests.

        A program of your own that sends events and waits for models depends on the product `MobiusClient`. `mobius up`
        chooses an endpoint at each start; for a fixed one, write `endpoint: tcp://127.0.0.1:5701` into `\#(text).yaml`,
        below `name`. Clients then connect to the next port:

        ```swift
        let client = FleetClient(connect: FleetClient.defaultEndpoint)
        try await client.send(.added(item: "apple"), of: \#(module).self, key: "apple-1")
        for try await model in client.models(of: \#(module).self) { print(model) }
        ```

        For probes and metrics over HTTP, add the product `MobiusHTTP` to an executable, `import MobiusHTTP`, and write
        `settings.telemetryServer = .http` in its `configure(_:)`; then `--http 9464` works.

        """#
    }
}
