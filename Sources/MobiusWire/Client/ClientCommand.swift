/// What a frame between a client and a coordinator asks or tells: its fourth byte.
///
/// The numbers are apart from those of ``Command``, so that a frame at the wrong socket is told from a damaged one.
public enum ClientCommand: UInt8, Sendable, CaseIterable, CustomStringConvertible {
    // From clients.
    /// Apply this event.
    case send = 129
    /// Which effects are pending?
    case listEffects = 130
    /// Which effects failed for good?
    case listLetters = 131
    /// Show this dead letter with its payload.
    case showLetter = 132
    /// Make this dead letter a pending effect again.
    case retryLetter = 133
    /// Forget this dead letter.
    case dropLetter = 134
    /// Which loops are held by an event in quarantine?
    case listQuarantine = 135
    /// Show the event that holds this loop.
    case showQuarantine = 136
    /// Let this loop go on.
    case release = 137
    /// How is everybody?
    case askStatus = 138
    /// Show this pending effect with its payload.
    case showEffect = 168
    /// How does the program read this event?
    case checkEvent = 169
    /// Which loops are there?
    case listLoops = 139
    /// What is this loop's model?
    case readModel = 140
    /// What is this loop's model once it is another?
    case watchModel = 141
    /// What happened in this loop?
    case readHistory = 142
    /// Which events, effects and models has the program?
    case readSchema = 143

    // From the coordinator.
    /// It is done and on disk.
    case done = 193
    /// Too much to do: ask again later.
    case busy = 194
    /// It will not be done.
    case refused = 195
    /// There is nothing of that name.
    case notFound = 196
    /// A page of effects.
    case effects = 197
    /// A page of dead letters.
    case letters = 198
    /// A dead letter with its payload.
    case letter = 199
    /// A page of held loops.
    case quarantine = 200
    /// A held loop with the event that holds it.
    case quarantined = 201
    /// How everybody is.
    case status = 202
    /// A pending effect with its payload.
    case effect = 232
    /// An event as the program writes it.
    case checked = 233
    /// A page of loops.
    case loops = 203
    /// A loop's model.
    case model = 204
    /// A watched model has not changed.
    case unchanged = 205
    /// A page of a loop's history.
    case history = 206
    /// The forms of the program's events, effects and models.
    case schema = 207
    /// Another coordinator answers.
    case moved = 208

    /// Its name in the specification, such as `LIST-EFFECTS`.
    public var description: String {
        switch self {
        case .send: "SEND"
        case .listEffects: "LIST-EFFECTS"
        case .listLetters: "LIST-LETTERS"
        case .showLetter: "SHOW-LETTER"
        case .retryLetter: "RETRY-LETTER"
        case .dropLetter: "DROP-LETTER"
        case .listQuarantine: "LIST-QUARANTINE"
        case .showQuarantine: "SHOW-QUARANTINE"
        case .release: "RELEASE"
        case .askStatus: "ASK-STATUS"
        case .showEffect: "SHOW-EFFECT"
        case .checkEvent: "CHECK-EVENT"
        case .listLoops: "LIST-LOOPS"
        case .readModel: "READ-MODEL"
        case .watchModel: "WATCH-MODEL"
        case .readHistory: "READ-HISTORY"
        case .readSchema: "READ-SCHEMA"
        case .done: "DONE"
        case .busy: "BUSY"
        case .refused: "REFUSED"
        case .notFound: "NOT-FOUND"
        case .effects: "EFFECTS"
        case .letters: "LETTERS"
        case .letter: "LETTER"
        case .quarantine: "QUARANTINE"
        case .quarantined: "QUARANTINED"
        case .status: "STATUS"
        case .effect: "EFFECT"
        case .checked: "CHECKED"
        case .loops: "LOOPS"
        case .model: "MODEL"
        case .unchanged: "UNCHANGED"
        case .history: "HISTORY"
        case .schema: "SCHEMA"
        case .moved: "MOVED"
        }
    }
}
