#if FastPayloadMacro
    import SwiftDiagnostics
    import SwiftSyntax

    /// The cases of an enum, with their numbers and those of their values.
    struct EnumPlan {
        fileprivate struct Case {
            let name: String
            let number: Int
            var values: [Value] = []
        }

        fileprivate struct Value {
            let label: String?
            let number: Int
            let initial: String?
        }

        private var cases: [Case] = []
        private let isRaw: Bool

        init(_ declaration: EnumDeclSyntax, retired: Set<Int>) throws(DiagnosticsError) {
            let lines = declaration.memberBlock.members.compactMap { $0.decl.as(EnumCaseDeclSyntax.self) }
            guard !lines.isEmpty else { throw refusal("an enum without cases has no values", at: declaration.name) }
            isRaw = Self.isRaw(declaration, lines)
            var numbers = Numbers(retired: retired)
            for line in lines {
                if isRaw {
                    guard try Field(line.attributes) == nil else {
                        throw refusal("a case with a raw value is known by that, and has no number", at: line)
                    }
                    continue
                }
                guard line.elements.count == 1, let element = line.elements.first else {
                    throw refusal("give each case a line of its own", at: line)
                }
                let field = try numbers.take(line.attributes, of: "the case '\(element.name.text)'", at: element)
                cases.append(try Self.plan(element, field))
            }
        }

        func members(_ access: String) -> [String] {
            guard !isRaw else { return [] }
            let encode = cases.flatMap { each in
                ["case .\(each.name)\(each.bindings):", "writer.writeCase(\(each.number))"] + each.writes
            }
            let decode = cases.map { "case \($0.number): self = .\($0.name)\($0.arguments)" }
            return Conformance.members(
                access, encode: ["switch self {"] + encode + ["}"],
                decode: ["switch try reader.readCase() {"] + decode + [
                    "case let number: throw reader.unknownCase(number)", "}",
                ])
        }

        private static func plan(_ element: EnumCaseElementSyntax, _ field: Field) throws(DiagnosticsError) -> Case {
            var plan = Case(name: element.name.text, number: field.number)
            let parameters = element.parameterClause.map { Array($0.parameters) } ?? []
            guard field.values == nil || field.values?.count == parameters.count else {
                throw refusal("the case has \(parameters.count) values: give each a number, or none", at: field.node)
            }
            var numbers = Numbers()
            for (index, parameter) in parameters.enumerated() {
                let number = field.values?[index] ?? index + 1
                try numbers.take(number, at: field.node)
                let label = parameter.firstName.map(\.text).flatMap { $0 == "_" ? nil : $0 }
                let isOptional = StructPlan.isOptional(parameter.type)
                plan.values.append(
                    Value(
                        label: label, number: number,
                        initial: isOptional ? nil : parameter.defaultValue?.value.trimmedDescription))
            }
            return plan
        }

        private static let rawTypes: Set = [
            "String", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Double",
            "Float",
        ]

        private static func isRaw(_ declaration: EnumDeclSyntax, _ lines: [EnumCaseDeclSyntax]) -> Bool {
            let first = declaration.inheritanceClause?.inheritedTypes.first?.type.trimmedDescription
            return first.map(rawTypes.contains) ?? false
                || lines.contains { $0.elements.contains { $0.rawValue != nil } }
        }
    }

    extension EnumPlan.Case {
        fileprivate var bindings: String {
            values.isEmpty ? "" : "(" + values.indices.map { "let value\($0)" }.joined(separator: ", ") + ")"
        }

        fileprivate var writes: [String] {
            let ordered = values.enumerated().sorted { $0.element.number < $1.element.number }
            return ordered.map { "writer.write(value\($0.offset), at: \($0.element.number))" }
        }

        fileprivate var arguments: String {
            let list = values.map { value in
                let initial = value.initial.map { ", default: \($0)" } ?? ""
                return (value.label.map { $0 + ": " } ?? "") + "try reader.read(at: \(value.number)\(initial))"
            }
            return list.isEmpty ? "" : "(" + list.joined(separator: ", ") + ")"
        }
    }
#endif
