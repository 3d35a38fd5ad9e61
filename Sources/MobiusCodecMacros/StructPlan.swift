#if FastPayloadMacro
    import SwiftDiagnostics
    import SwiftSyntax

    /// The stored properties of a struct, with their numbers.
    struct StructPlan {
        private struct Property {
            let name: String
            let number: Int
            /// What it holds where the field is missing.
            let initial: String?
        }

        private var properties: [Property] = []

        init(_ declaration: StructDeclSyntax, retired: Set<Int>) throws(DiagnosticsError) {
            var numbers = Numbers(retired: retired)
            for member in declaration.memberBlock.members {
                guard let variable = member.decl.as(VariableDeclSyntax.self) else { continue }
                let isStatic = variable.modifiers.contains { ["static", "lazy"].contains($0.name.text) }
                guard !isStatic else { continue }
                let stored = variable.bindings.filter(Self.isStored)
                guard let binding = stored.first else { continue }
                let isConstant = variable.bindingSpecifier.text == "let" && binding.initializer != nil
                guard !isConstant else { continue }
                guard variable.bindings.count == 1, let name = binding.pattern.as(IdentifierPatternSyntax.self) else {
                    throw refusal("give each property a line of its own", at: variable)
                }
                let text = name.identifier.text
                let field = try numbers.take(variable.attributes, of: "the property '\(text)'", at: binding)
                guard field.values == nil else { throw refusal("a property has one number", at: field.node) }
                // An optional one is missing when it is nil, whatever it starts with.
                let isOptional = binding.typeAnnotation.map { Self.isOptional($0.type) } ?? false
                properties.append(
                    Property(
                        name: text, number: field.number,
                        initial: isOptional ? nil : binding.initializer?.value.trimmedDescription))
            }
        }

        func members(_ access: String) -> [String] {
            let ordered = properties.sorted { $0.number < $1.number }
            return Conformance.members(
                access, encode: ordered.map { "writer.write(self.\($0.name), at: \($0.number))" },
                decode: ordered.map { property in
                    let initial = property.initial.map { ", default: \($0)" } ?? ""
                    return "self.\(property.name) = try reader.read(at: \(property.number)\(initial))"
                })
        }

        private static func isStored(_ binding: PatternBindingSyntax) -> Bool {
            guard let block = binding.accessorBlock else { return true }
            guard case .accessors(let accessors) = block.accessors else { return false }
            return accessors.allSatisfy { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
        }

        static func isOptional(_ type: TypeSyntax) -> Bool {
            type.is(OptionalTypeSyntax.self) || type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
                || type.as(IdentifierTypeSyntax.self)?.name.text == "Optional"
        }
    }
#endif
