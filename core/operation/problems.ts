/**
 * Says what is wrong with an input, one plain sentence per field: that it is unknown and what is
 * allowed, that it is required, or what it must be.
 */
import { SchemaAST, SchemaIssue } from "effect"

export interface Problem {
  /** The field's path, such as `rules.1.minAmountMicro`; empty for the input itself. */
  readonly param: string
  readonly message: string
}

const unknownField = "is not a known field"

/** A struct knows its fields; a map takes any key of the right form, so that none is unknown there. */
const unknown = (ast: SchemaAST.AST): string => {
  if (!SchemaAST.isObjects(ast)) return unknownField
  const [map] = ast.indexSignatures
  if (map !== undefined) {
    return `is not an allowed key; keys are ${SchemaAST.resolveDescription(map.parameter) ?? "other text"}`
  }
  const names = ast.propertySignatures.map(({ name }) => String(name)).filter((name) => name !== "")
  return `${unknownField}; ${names.length === 0 ? "no fields are allowed here" : `allowed: ${names.join(", ")}`}`
}

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    if (issue._tag === "MissingKey") return "is required"
    return issue._tag === "UnexpectedKey" ? unknown(issue.ast) : SchemaIssue.defaultLeafHook(issue)
  }
})

const types: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  object: "an object",
  array: "an array"
}

/** `Expected string | null` in words: `must be a string or null`. */
const inWords = (message: string): string =>
  message.startsWith("Expected ")
    ? `must be ${message
        .slice("Expected ".length)
        .split(" | ")
        .map((type) => types[type] ?? type)
        .join(" or ")}`
    : message

/** Bounds as a person says them: of a text in characters, of a list in items. */
const bounded = (message: string, given: unknown): string => {
  const unit = Array.isArray(given) ? "items" : "characters"
  return message
    .replace(/a value with a length of (at least \d+|at most \d+|\d+)$/u, `$1 ${unit} long`)
    .replace(/a value with a length between (\d+) and (\d+)$/u, `$1 to $2 ${unit} long`)
    .replace(/a string with (at least \d+|at most \d+) code points$/u, "$1 characters long")
    .replace(/ 1 (item|character)s long$/u, " 1 $1 long")
    .replace("a value between ", "between ")
    .replace("be a value with at most ", "have at most ")
    .replace("an array with unique items", "an array in which no item stands twice")
}

const within = (value: unknown, key: PropertyKey): unknown =>
  typeof value === "object" && value !== null
    ? (value as Readonly<Record<PropertyKey, unknown>>)[key]
    : undefined

/** Amounts and ids are strings everywhere: JSON numbers would lose digits on the way. */
const inQuotes = (message: string, given: unknown): string =>
  typeof given === "number" && /^must be a string(?! or a number)/u.test(message)
    ? `${message}; write it in quotes: "${given}"`
    : message

/** A field in a sentence; in quotes if its name, which the caller chose, could break the sentence. */
const fieldName = (param: string): string => {
  if (param === "") return "The input"
  return /^[\w-]+(\.[\w-]+)*$/u.test(param) ? param : `The field ${JSON.stringify(param)}`
}

/** What is wrong with `input`, in the order of its fields. */
export const of = (issue: SchemaIssue.Issue, input: unknown): ReadonlyArray<Problem> => {
  const told = format(issue).issues.map(({ message, path = [] }) => {
    const keys = path.map((step) => (typeof step === "object" ? step.key : step))
    const param = keys.map(String).join(".")
    const given = keys.reduce(within, input)
    const sentence = `${fieldName(param)} ${inQuotes(bounded(inWords(message), given), given)}.`
    return { param, message: sentence }
  })
  // Two checks of one field may refuse it in the same words.
  return [...new Map(told.map((each) => [`${each.param}\n${each.message}`, each])).values()]
}

export const isUnknownField = ({ message, param }: Problem): boolean =>
  message.startsWith(`${fieldName(param)} ${unknownField}`)
