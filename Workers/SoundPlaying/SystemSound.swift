import Foundation

/// The sound files that systems bring along.
enum SystemSound {
    /// A file that the program can play; nil when there is none.
    static func file(for program: String) -> String? {
        // aplay knows neither Ogg nor FLAC.
        let candidates = program == "aplay" ? waves : others + waves
        return candidates.first { FileManager.default.isReadableFile(atPath: $0) }
    }

    private static let others = [
        "/usr/share/sounds/freedesktop/stereo/bell.oga",
        "/usr/share/sounds/freedesktop/stereo/message.oga",
        "/usr/share/sounds/ubuntu/stereo/bell.ogg",
    ]
    private static let waves = [
        "/usr/share/sounds/sound-icons/percussion-10.wav",
        "/usr/share/sounds/speech-dispatcher/test.wav",
        "/usr/share/sounds/alsa/Front_Center.wav",
    ]
}
