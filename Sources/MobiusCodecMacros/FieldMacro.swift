#if FastPayloadMacro
    import SwiftSyntax
    import SwiftSyntaxMacros

    /// `@Field`: gives a property its number, which `@FastPayload` reads; by itself it generates nothing.
    struct FieldMacro: PeerMacro {
        static func expansion(
            of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
            in context: some MacroExpansionContext
        ) throws -> [DeclSyntax] {
            []
        }
    }
#endif
