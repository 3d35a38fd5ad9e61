import MobiusKeys
import MobiusTelemetry

extension LoopAccess {
    /// Who may ask for loops at an address: with keys holders of tokens, without keys only processes of this machine.
    init(at address: HTTPAddress, hasKeys: Bool) {
        if hasKeys {
            self = .tokens
        } else if EndpointScope(of: "tcp://\(address)") == .thisMachine {
            self = .thisMachine
        } else {
            self = .nobody(
                """
                Loops are not served at \(address), which other hosts can reach, without keys. Start the coordinator with \
                --keys and make a token (mobius keys token NAME --rights send,models), or serve at 127.0.0.1 only.
                """)
        }
    }
}
