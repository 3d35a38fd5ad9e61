import MobiusEngine
import MobiusTransport

extension AddressAnswer {
    /// Whether nobody listens at an endpoint, so that the process that did has ended.
    ///
    /// It blocks as `EndpointProbe` does.
    static func isRefused(at endpoint: String) -> Bool {
        isRefused(EndpointProbe.answers(at: endpoint).map(AddressAnswer.init))
    }

    private init(_ answer: EndpointProbe.Answer) {
        switch answer {
        case .accepted: self = .accepted
        case .failed(_, let isRefusal): self = isRefusal ? .refused : .silent
        }
    }
}
