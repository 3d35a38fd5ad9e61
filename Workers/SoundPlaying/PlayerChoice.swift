public import ArgumentParser

/// The way to make a sound, as `--player` names it.
public enum PlayerChoice: String, CaseIterable, Sendable, ExpressibleByArgument {
    /// `paplay`, else `aplay`, else the bell: the first that works.
    case auto
    /// The terminal's bell.
    case bell
    /// ALSA's player, else the bell.
    case aplay
    /// PulseAudio's and PipeWire's player, else the bell.
    case paplay
    /// No sound at all.
    case none

    /// The programs to try, in order.
    var programs: [String] {
        switch self {
        case .auto: ["paplay", "aplay"]
        case .aplay, .paplay: [rawValue]
        case .bell, .none: []
        }
    }
}
