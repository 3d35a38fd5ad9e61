import ArgumentParser

/// Whether a command shows payloads as they are.
struct MaskOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Show what the program masks for people, too; a key needs the right 'unmasked' for that."))
    var unmasked = false
}
