import CLibFuzzer
import Foundation

// fuzz replay CORPUS: all inputs that are kept, through their decoders, once.
// fuzz unpack CORPUS DECODER FOLDER, fuzz pack CORPUS DECODER FOLDER: between the kept file and a folder for libFuzzer.
// FUZZ_DECODER=DECODER fuzz LIBFUZZER-OPTIONS: libFuzzer itself. `Tests/run fuzz` calls all of them.

/// The decoder of this name; ends the program when there is none.
func find(_ name: String?) -> Decoder {
    if let decoder = name.flatMap({ Decoder(rawValue: $0) }) { return decoder }
    let known = Decoder.allCases.map(\.rawValue).joined(separator: "\n")
    FileHandle.standardError.write(Data("There is no decoder '\(name ?? "")'; there are:\n\(known)\n".utf8))
    exit(64)
}

let arguments = CommandLine.arguments.dropFirst().map { $0 }
switch arguments.first {
case "list": for decoder in Decoder.allCases { print(decoder.rawValue) }
case "replay":
    var count = 0
    for decoder in Decoder.allCases {
        for input in try Corpus(decoder: decoder, folder: URL(filePath: arguments[1])).inputs() {
            input.withUnsafeBytes { decoder.check($0) }
            count += 1
        }
    }
    print("\(count) kept inputs, \(Decoder.allCases.count) decoders: all well")
case "unpack":
    let decoder = find(arguments[2])
    var inputs = try Corpus(decoder: decoder, folder: URL(filePath: arguments[1])).inputs()
    inputs += decoder.seeds()
    for (number, input) in inputs.enumerated() {
        try Data(input).write(to: URL(filePath: arguments[3]).appending(path: "kept-\(number)"))
    }
case "pack":
    let folder = URL(filePath: arguments[3])
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    let inputs = try files.map { Array(try Data(contentsOf: $0)) }
    try Corpus(decoder: find(arguments[2]), folder: URL(filePath: arguments[1])).write(inputs)
default:
    var count = CommandLine.argc
    var values: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    _ = Chosen.decoder
    exit(
        LLVMFuzzerRunDriver(&count, &values) { data, size in
            Chosen.decoder.check(UnsafeRawBufferPointer(start: data, count: size))
            return 0
        })
}

/// What libFuzzer's callback, which captures nothing, throws bytes at.
enum Chosen {
    static let decoder = find(ProcessInfo.processInfo.environment["FUZZ_DECODER"])
}
