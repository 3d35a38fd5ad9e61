/// The older name of ``Initiate``.
@available(*, deprecated, renamed: "Initiate")
public typealias Initiator<Model, Effect> = Initiate<Model, Effect>
