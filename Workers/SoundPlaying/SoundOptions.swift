public import ArgumentParser

/// The options of commands that play sounds.
public struct SoundOptions: ParsableArguments, Sendable {
    /// The way to make a sound.
    @Option(
        help: ArgumentHelp(
            "How to make a sound. Without a sound card or a file, each but `none` makes do with the terminal's bell.",
            valueName: "player"))
    public var player = PlayerChoice.auto

    /// A sound file as given on the command line; nil when absent.
    @Option(
        name: .customLong("sound"),
        help: ArgumentHelp("The sound file to play, WAV for aplay (default: one of the system's).", valueName: "file"))
    public var file: String?

    /// Made by ArgumentParser.
    public init() {}

    /// The player that the options describe.
    public var soundPlayer: SoundPlayer { SoundPlayer(player, file: file) }
}
