#if FastPayloadMacro
    import SwiftDiagnostics
    import SwiftSyntax
    import SwiftSyntaxMacros

    /// Why no conformance can be written, at the place where it is seen.
    func refusal(_ message: String, at node: some SyntaxProtocol) -> DiagnosticsError {
        DiagnosticsError(diagnostics: [
            Diagnostic(node: Syntax(node), message: MacroExpansionErrorMessage(message))
        ])
    }
#endif
