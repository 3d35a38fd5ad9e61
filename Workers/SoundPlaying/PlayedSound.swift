/// The way in which a sound was made.
public enum PlayedSound: Sendable, Equatable, CustomStringConvertible {
    /// A program played this file.
    case program(String, file: String)
    /// The terminal rang its bell, if it has one.
    case bell
    /// It was cut off: nobody wants it any more.
    case cancelled
    /// It was to be silent.
    case silent
    /// There was nothing to make a sound with: a line of text must do.
    case nothing

    /// `paplay /usr/share/…`, `bell`, `cancelled`, `silent`, `no sound card, no terminal`.
    public var description: String {
        switch self {
        case .program(let name, let file): "\(name) \(file)"
        case .bell: "bell"
        case .cancelled: "cancelled"
        case .silent: "silent"
        case .nothing: "no sound card, no terminal"
        }
    }
}
