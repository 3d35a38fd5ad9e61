#if FastPayloadMacro
    import SwiftSyntax
    import SwiftSyntaxMacros

    /// `@Field`: says a number, which `@FastPayload` reads; by itself it makes nothing.
    struct FieldMacro: PeerMacro {
        static func expansion(
            of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
            in context: some MacroExpansionContext
        ) throws -> [DeclSyntax] {
            []
        }
    }
#endif
