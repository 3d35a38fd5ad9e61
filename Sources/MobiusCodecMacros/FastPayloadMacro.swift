#if FastPayloadMacro
    import SwiftSyntax
    import SwiftSyntaxBuilder
    import SwiftSyntaxMacros

    /// `@FastPayload`: writes the conformance of a struct or enum whose fields and cases have numbers.
    struct FastPayloadMacro: ExtensionMacro {
        static func expansion(
            of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
            providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
            in context: some MacroExpansionContext
        ) throws -> [ExtensionDeclSyntax] {
            let members: [String]
            let access = access(of: declaration)
            if let declaration = declaration.as(StructDeclSyntax.self) {
                members = try StructPlan(declaration, retired: Numbers.retired(node)).members(access)
            } else if let declaration = declaration.as(EnumDeclSyntax.self) {
                members = try EnumPlan(declaration, retired: Numbers.retired(node)).members(access)
            } else {
                throw refusal("@FastPayload is for structs and enums", at: node)
            }
            let body = members.joined(separator: "\n\n")
            return [
                try ExtensionDeclSyntax("extension \(type.trimmed): MobiusCodec.FastPayload {\n\(raw: body)\n}")
            ]
        }

        /// What has to stand before members, so that they are seen where the type is.
        private static func access(of declaration: some DeclGroupSyntax) -> String {
            let names = declaration.modifiers.map(\.name.text)
            return names.first { ["public", "package"].contains($0) }.map { $0 + " " } ?? ""
        }
    }

    /// Both members of a conformance.
    enum Conformance {
        static func members(_ access: String, encode: [String], decode: [String]) -> [String] {
            [
                "\(access)func encode(to writer: inout MobiusCodec.PayloadWriter) {\n"
                    + encode.joined(separator: "\n") + "\n}",
                "\(access)init(from reader: inout MobiusCodec.PayloadReader) throws {\n"
                    + decode.joined(separator: "\n") + "\n}",
            ]
        }
    }
#endif
