import MobiusEngine
import MobiusTestKit

extension CoordinatorAction {
    /// Whether it tells someone something, for which the process needs its lease.
    var tellsOthers: Bool {
        switch self {
        case .send, .runLocal, .confirm, .confirmEvent, .refuse, .stopping, .busy: true
        default: false
        }
    }
}
