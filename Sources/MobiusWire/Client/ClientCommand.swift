/// The command of a frame between a client and a coordinator: its fourth byte.
///
/// The numbers are apart from those of ``Command``, so that a frame at the wrong socket is told from a damaged one.
public enum ClientCommand: UInt8, Sendable, CaseIterable, CustomStringConvertible {
    /// The lowest number of a client's command, of any version; those of workers are below.
    static let first: UInt8 = 128

    // From clients.
    /// Apply this event.
    case send = 129
    /// Asks for the pending effects.
    case listEffects = 130
    /// Asks for the effects that failed for good.
    case listLetters = 131
    /// Show this dead letter with its payload.
    case showLetter = 132
    /// Make this dead letter a pending effect again.
    case retryLetter = 133
    /// Forget this dead letter.
    case dropLetter = 134
    /// Do this to this pending effect.
    case act = 173
    /// End this loop for good.
    case endLoop = 174
    /// Let nothing new start in this pool.
    case pausePool = 175
    /// Let this pool go on.
    case resumePool = 176
    /// Asks for the loops that are held by an event in quarantine.
    case listQuarantine = 135
    /// Show the event that holds this loop.
    case showQuarantine = 136
    /// Let this loop go on.
    case release = 137
    /// Asks for the status of coordinator, loops, pools and workers.
    case askStatus = 138
    /// Show this pending effect with its payload.
    case showEffect = 168
    /// Asks how the program reads this event.
    case checkEvent = 169
    /// Asks what this loop waits for.
    case why = 170
    /// Asks for the rights of the caller.
    case askRights = 171
    /// Nobody waits for this model any more.
    case stopWatching = 172
    /// Asks for the loops.
    case listLoops = 139
    /// Asks for loops by their facts.
    case findLoops = 180
    /// Asks for this loop's model.
    case readModel = 140
    /// Asks for this loop's model once it has changed.
    case watchModel = 141
    /// Asks for this loop's history.
    case readHistory = 142
    /// Asks for the forms of the program's events, effects and models.
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
    /// The status of coordinator, loops, pools and workers.
    case status = 202
    /// A pending effect with its payload.
    case effect = 232
    /// An event as the program writes it.
    case checked = 233
    /// A loop's reasons to wait.
    case waits = 234
    /// The rights of the caller.
    case rights = 235
    /// A page of loops.
    case loops = 203
    /// A page of loops by their facts.
    case found = 240
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

    /// Whether clients say it.
    var isRequest: Bool { rawValue < Self.done.rawValue }

    /// Its name in the specification, such as `LIST-EFFECTS`.
    public var description: String {
        switch self {
        case .send: "SEND"
        case .listEffects: "LIST-EFFECTS"
        case .listLetters: "LIST-LETTERS"
        case .showLetter: "SHOW-LETTER"
        case .retryLetter: "RETRY-LETTER"
        case .dropLetter: "DROP-LETTER"
        case .act: "ACT"
        case .endLoop: "END-LOOP"
        case .pausePool: "PAUSE-POOL"
        case .resumePool: "RESUME-POOL"
        case .listQuarantine: "LIST-QUARANTINE"
        case .showQuarantine: "SHOW-QUARANTINE"
        case .release: "RELEASE"
        case .askStatus: "ASK-STATUS"
        case .showEffect: "SHOW-EFFECT"
        case .checkEvent: "CHECK-EVENT"
        case .why: "WHY"
        case .askRights: "ASK-RIGHTS"
        case .stopWatching: "STOP-WATCHING"
        case .listLoops: "LIST-LOOPS"
        case .findLoops: "FIND-LOOPS"
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
        case .waits: "WAITS"
        case .rights: "RIGHTS"
        case .loops: "LOOPS"
        case .found: "FOUND"
        case .model: "MODEL"
        case .unchanged: "UNCHANGED"
        case .history: "HISTORY"
        case .schema: "SCHEMA"
        case .moved: "MOVED"
        }
    }
}
