extension MobiusLoop {
    /// The older name of ``latestModel``.
    @available(*, deprecated, renamed: "latestModel")
    public func getMostRecentModel() -> Model? {
        latestModel
    }
}
