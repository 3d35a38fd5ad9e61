import ArgumentParser
import MobiusProcess
import Testing

@Suite("Values on the command line and in the environment")
struct ArgumentTests {
    @Test(
        "Durations",
        arguments: [
            ("10", Duration.seconds(10), "10s"), ("10s", .seconds(10), "10s"), ("0", .zero, "0s"),
            ("250ms", .milliseconds(250), "250ms"), ("1.5", .milliseconds(1500), "1500ms"), ("2m", .seconds(120), "2m"),
            ("1h", .seconds(3600), "1h"), ("0.5m", .seconds(30), "30s"), (".5s", .milliseconds(500), "500ms"),
            ("8760h", .seconds(365 * 86_400), "8760h"),
        ])
    func durations(text: String, duration: Duration, description: String) throws {
        let argument = try #require(DurationArgument(argument: text))
        #expect(argument.duration == duration)
        #expect(argument.description == description)
        #expect(DurationArgument(argument: argument.description) == argument)
    }

    @Test(
        "Texts that are no duration",
        arguments: ["", "s", "ms", "-1", "+1", "1 s", "1d", "nan", "inf", "0x10", "1e3", "1.2.3", "٣", "8761h", "1ss"])
    func noDurations(text: String) {
        #expect(DurationArgument(argument: text) == nil)
    }

    @Test(
        "Sizes",
        arguments: [
            ("0", 0, "0"), ("1000", 1000, "1000"), ("4096", 4096, "4KiB"), ("512KiB", 512 << 10, "512KiB"),
            ("4mib", 4 << 20, "4MiB"), ("1GiB", 1 << 30, "1GiB"), ("1536KiB", 1536 << 10, "1536KiB"),
            ("4611686018427387904", 1 << 62, "4294967296GiB"),
        ])
    func sizes(text: String, bytes: Int, description: String) throws {
        let argument = try #require(SizeArgument(argument: text))
        #expect(argument.bytes == bytes)
        #expect(argument.description == description)
        #expect(SizeArgument(argument: argument.description) == argument)
    }

    @Test(
        "Texts that are no size",
        arguments: [
            "", "MiB", "-1", "+1", "1 MiB", "4MB", "4M", "1.5MiB", "0x10", "٣", "4611686018427387905",
            "9999999999999999999", "4294967297GiB", "99999999999999999999GiB",
        ])
    func noSizes(text: String) {
        #expect(SizeArgument(argument: text) == nil)
    }

    @Test("The option wins over the variable, the variable over the default")
    func precedence() throws {
        let environment = ["MOBIUS_CONCURRENCY": "8", "MOBIUS_EMPTY": ""]
        #expect(try FleetEnvironment.value(4, "MOBIUS_CONCURRENCY", default: 1, in: environment) == 4)
        #expect(try FleetEnvironment.value(nil, "MOBIUS_CONCURRENCY", default: 1, in: environment) == 8)
        #expect(try FleetEnvironment.value(nil, "MOBIUS_EMPTY", default: 1, in: environment) == 1)
        #expect(try FleetEnvironment.value(nil, "MOBIUS_ABSENT", default: 1, in: environment) == 1)
        #expect(try FleetEnvironment.value(Int?.none, "MOBIUS_ABSENT", in: environment) == nil)
    }

    @Test("A variable that does not parse is named, with what would")
    func badVariable() {
        let number = message("MOBIUS_CONCURRENCY", "many", as: Int.self)
        #expect(number.contains("MOBIUS_CONCURRENCY is 'many', but must be an integer"))
        let time = message("MOBIUS_STOP", "soon", as: DurationArgument.self)
        #expect(time.contains("a length of time such as 10s, 250ms or 2m"))
        let size = message("MOBIUS_MAX_PAYLOAD", "large", as: SizeArgument.self)
        #expect(size.contains("a size such as 4MiB, 512KiB or a number of bytes"))
        let level = message("MOBIUS_LOG_LEVEL", "loud", as: LogLevelArgument.self)
        #expect(level.contains("one of trace, debug, info"))
    }

    private func message<Value: ExpressibleByArgument>(_ name: String, _ text: String, as type: Value.Type) -> String {
        let error = #expect(throws: ValidationError.self) {
            try FleetEnvironment.value(Value?.none, name, in: [name: text])
        }
        #expect(error.map { LoggingOptions.exitCode(for: $0) } == .usage)
        return error?.message ?? ""
    }
}

@Suite("Exit codes")
struct FleetExitTests {
    @Test("The names hold the documented numbers")
    func numbers() {
        let codes: [ExitCode] = [
            .success, .negativeAnswer, .usage, .noInput, .unavailable, .software, .cannotCreate, .dataError,
            .temporaryFailure, .signal(15),
        ]
        #expect(codes.map(\.rawValue) == [0, 1, 64, 66, 69, 70, 73, 74, 75, 143])
        #expect(ExitCode.usage == .validationFailure)
    }

    @Test("A FleetExit becomes ArgumentParser's exit code; other errors pass")
    func conversion() async throws {
        struct Other: Error {}
        let code = await #expect(throws: ExitCode.self) {
            try await FleetExit.reporting { throw FleetExit(.temporaryFailure, "") }
        }
        #expect(code == .temporaryFailure)
        await #expect(throws: Other.self) { try await FleetExit.reporting { throw Other() } }
        #expect(try await FleetExit.reporting { 7 } == 7)
    }

    @Test("One that escapes is still printed as its sentence")
    func escaped() {
        let exit = FleetExit(.unavailable, "Nobody answers at tcp://host:1; start the coordinator.")
        #expect(LoggingOptions.message(for: exit) == exit.sentence)
        #expect("\(exit)" == exit.sentence)
    }
}
