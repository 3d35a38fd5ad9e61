#if FastPayloadMacro
    import SwiftDiagnostics
    import SwiftSyntax

    /// The numbers of a type: each is used once, and none that is retired.
    struct Numbers {
        private var taken: Set<Int>
        private let retired: Set<Int>

        init(retired: Set<Int> = []) {
            self.retired = retired
            taken = retired
        }

        /// Takes the number that an attribute gives; `nil` without one.
        mutating func take(
            _ attributes: AttributeListSyntax, of what: String, at node: some SyntaxProtocol
        ) throws(DiagnosticsError) -> Field {
            guard let field = try Field(attributes) else {
                throw refusal("\(what) has no number: write @Field(\((taken.max() ?? 0) + 1)) in front of it", at: node)
            }
            try take(field.number, at: field.node)
            return field
        }

        mutating func take(_ number: Int, at node: some SyntaxProtocol) throws(DiagnosticsError) {
            guard (1...0x0fff_ffff).contains(number) else {
                throw refusal("a number is from 1 to 268435455", at: node)
            }
            guard !retired.contains(number) else {
                throw refusal("\(number) is retired: it meant something else once", at: node)
            }
            guard taken.insert(number).inserted else { throw refusal("\(number) is taken already", at: node) }
        }

        /// The numbers that `@FastPayload(retired:)` names.
        static func retired(_ node: AttributeSyntax) throws(DiagnosticsError) -> Set<Int> {
            Set(try literals(node.arguments).map(\.value))
        }

        /// Whole numbers, which stand as such in the source: the value of anything else is not known here.
        static func literals(
            _ arguments: AttributeSyntax.Arguments?
        ) throws(DiagnosticsError) -> [(label: String?, value: Int)] {
            guard case .argumentList(let list)? = arguments else { return [] }
            var literals: [(label: String?, value: Int)] = []
            for argument in list {
                let text = argument.expression.as(IntegerLiteralExprSyntax.self)?.literal.text.filter { $0 != "_" }
                guard let value = text.flatMap({ Int($0) }) else {
                    throw refusal("a number stands here in digits", at: argument)
                }
                literals.append((argument.label?.text, value))
            }
            return literals
        }
    }

    /// The number in `@Field`.
    struct Field {
        let number: Int
        /// The numbers of a case's values; `nil` when they are numbered by their order.
        let values: [Int]?
        let node: AttributeSyntax

        init?(_ attributes: AttributeListSyntax) throws(DiagnosticsError) {
            let nodes = attributes.compactMap { $0.as(AttributeSyntax.self) }
            guard let node = nodes.first(where: { Self.names.contains($0.attributeName.trimmedDescription) }) else {
                return nil
            }
            let literals = try Numbers.literals(node.arguments)
            guard let number = literals.first?.value else { throw refusal("a number is missing", at: node) }
            self.number = number
            values = literals.count > 1 ? literals.dropFirst().map(\.value) : nil
            self.node = node
        }

        private static let names: Set = ["Field", "MobiusCodec.Field"]
    }
#endif
