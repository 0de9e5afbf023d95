/**
 * Compiles a schema into one plain function that reads or writes its values: exactly the declared fields, each of
 * its type, every check run. Whatever it is not sure of it calls `unfit`, and the schema itself decides; so it is
 * never more lenient than the schema.
 */
import { Schema, SchemaAST } from "effect"

/** Reading turns JSON into values, and refuses fields that are not declared; writing turns values into JSON. */
export type Direction = "read" | "write"

/** The answer for a value that only the schema can judge. */
export const unfit: unique symbol = Symbol("unfit")

type Compiled = (value: unknown) => unknown

type AST = SchemaAST.AST

/** A name or a word as the code has it. */
const literally = (text: unknown): string => JSON.stringify(text)

/** The types that one comparison proves. */
const types: Readonly<Record<string, string>> = {
  String: "string",
  Boolean: "boolean",
  BigInt: "bigint"
}

/** Whether a value of it is what it is written as, and one comparison proves it. */
const isPlain = (ast: AST): boolean =>
  ast.encoding === undefined && ast.checks === undefined && types[ast._tag] !== undefined

/** What a value is told apart from others by, before it is looked into. */
const sortOf = (ast: AST): string | undefined => {
  if (SchemaAST.isLiteral(ast)) return `literal ${typeof ast.literal}`
  if (SchemaAST.isNumber(ast)) return "number"
  if (SchemaAST.isNull(ast)) return "null"
  if (SchemaAST.isArrays(ast)) return "array"
  return SchemaAST.isObjects(ast) || SchemaAST.isObjectKeyword(ast) ? "object" : types[ast._tag]
}

const tests: Readonly<Record<string, (value: string) => string>> = {
  null: (value) => `${value} === null`,
  array: (value) => `Array.isArray(${value})`,
  object: (value) => `typeof ${value} === "object" && ${value} !== null && !Array.isArray(${value})`
}

const isSort = (sort: string, value: string) =>
  tests[sort]?.(value) ?? `typeof ${value} === ${literally(sort)}`

const filtersOf = (
  checks: SchemaAST.Checks | undefined
): ReadonlyArray<SchemaAST.Filter<unknown>> =>
  (checks ?? []).flatMap((check) => (check._tag === "Filter" ? [check] : filtersOf(check.checks)))

/** A transformation of one plain function each way; others need an effect, or see what is missing. */
const transformationOf = ({ encoding }: AST, direction: Direction) => {
  const [link, ...more] = encoding ?? []
  if (link === undefined || more.length > 0 || link.transformation._tag !== "Transformation") return
  const getter = link.transformation[direction === "read" ? "decode" : "encode"]
  return getter._tag === "Transform" ? { to: link.to, change: getter.transform } : undefined
}

/** Writes the functions of one schema, each a line of `code`, over what they need as `needs`. */
class Writing {
  readonly code: Array<string> = []
  readonly needs: Array<unknown> = []
  readonly #names = new Map<AST, string>()
  readonly #direction: Direction

  constructor(direction: Direction) {
    this.#direction = direction
  }

  #need(value: unknown): string {
    return `n${this.needs.push(value) - 1}`
  }

  /** The name of the function for a schema; one that contains itself calls itself. */
  named(ast: AST): string {
    const known = this.#names.get(ast)
    if (known !== undefined) return known
    const name = `f${this.#names.size}`
    this.#names.set(ast, name)
    this.code.push(`function ${name}(v) {\n${this.#body(ast)}\n}`)
    return name
  }

  /** What the schema makes of the value; small enough things without a function of their own. */
  #of(ast: AST, value: string): string {
    if (isPlain(ast)) {
      return `typeof ${value} === ${literally(types[ast._tag])} ? ${value} : no()`
    }
    return `${this.named(ast)}(${value})`
  }

  #body(ast: AST): string {
    if ("encodingChecks" in ast && ast.encodingChecks !== undefined) return this.#asked(ast)
    if (ast.encoding === undefined) return this.#checked(ast)
    const transformation = transformationOf(ast, this.#direction)
    if (transformation === undefined || sortOf(ast) === undefined) return this.#asked(ast)
    const change = this.#need(transformation.change)
    const [to, own] = [this.named(transformation.to), this.#own(ast)]
    return this.#direction === "read"
      ? `return ${own}(${change}(${to}(v)))`
      : `return ${to}(${change}(${own}(v)))`
  }

  /** The function for the type itself, what it is encoded to aside. */
  #own(ast: AST): string {
    const name = `${this.named(ast)}_own`
    this.code.push(`function ${name}(v) {\n${this.#checked(ast)}\n}`)
    return name
  }

  #checked(ast: AST): string {
    const filters = filtersOf(ast.checks)
    if (filters.length === 0) return this.#bare(ast)
    const isMade = SchemaAST.isObjects(ast) || SchemaAST.isArrays(ast) || SchemaAST.isUnion(ast)
    // A check looks at the value, and by now that is its JSON.
    if (isMade && this.#direction === "write") return this.#asked(ast)
    const self = this.#need(ast)
    const runs = filters.map((filter) => `${this.#need(filter)}.run(r, ${self}, {}) === undefined`)
    const name = `${this.named(ast)}_bare`
    this.code.push(`function ${name}(v) {\n${this.#bare(ast)}\n}`)
    return `const r = ${name}(v)\nreturn ${runs.join(" && ")} ? r : no()`
  }

  #bare(ast: AST): string {
    if (SchemaAST.isSuspend(ast)) return `return ${this.named(ast.thunk())}(v)`
    if (SchemaAST.isLiteral(ast)) return `return v === ${this.#need(ast.literal)} ? v : no()`
    if (SchemaAST.isUnion(ast)) return this.#union(ast)
    if (SchemaAST.isArrays(ast)) return this.#array(ast)
    if (SchemaAST.isObjects(ast)) return this.#object(ast)
    const sort = sortOf(ast)
    return sort === undefined ? this.#asked(ast) : `return ${isSort(sort, "v")} ? v : no()`
  }

  /** Whatever is not plain is left to the schema, which throws where the value does not fit. */
  #asked(ast: AST): string {
    const schema = Schema.make<Schema.Codec<unknown>>(ast)
    const ask =
      this.#direction === "read"
        ? Schema.decodeUnknownSync(schema, { onExcessProperty: "error" })
        : Schema.encodeUnknownSync(schema)
    return `return ${this.#need(ask)}(v)`
  }

  #array(ast: SchemaAST.Arrays): string {
    const [rest, ...more] = ast.rest
    if (rest === undefined || ast.elements.length + more.length > 0) return this.#asked(ast)
    return [
      "if (!Array.isArray(v)) no()",
      "const all = new Array(v.length)",
      `for (let at = 0; at < v.length; at++) { const x = v[at]; all[at] = ${this.#of(rest, "x")} }`,
      "return all"
    ].join("\n")
  }

  #object(ast: SchemaAST.Objects): string {
    const { indexSignatures, propertySignatures } = ast
    const [map, ...more] = indexSignatures
    if (map !== undefined) {
      return propertySignatures.length + more.length > 0 ? this.#asked(ast) : this.#map(map)
    }
    return propertySignatures.length === 0 ? this.#asked(ast) : this.#struct(propertySignatures)
  }

  #map({ parameter, type }: SchemaAST.IndexSignature): string {
    const isCopied = parameter._tag === "String" && isPlain(parameter) && isPlain(type)
    if (isCopied) return this.#copied(type)
    return [
      `if (!(${isSort("object", "v")})) no()`,
      "const all = {}",
      "for (const key of Object.keys(v)) {",
      'if (key === "__proto__") no()',
      "const x = v[key]",
      `all[${this.#of(parameter, "key")}] = ${this.#of(type, "x")}`,
      "}",
      "return all"
    ].join("\n")
  }

  /** A map that is what it becomes is copied as a whole. */
  #copied(type: AST): string {
    return [
      `if (!(${isSort("object", "v")})) no()`,
      "const all = { ...v }",
      `for (const key in all) if (key === "__proto__" || !(${isSort(types[type._tag] ?? "", "all[key]")})) no()`,
      "return all"
    ].join("\n")
  }

  #struct(fields: ReadonlyArray<SchemaAST.PropertySignature>): string {
    const first = fields.findIndex(({ type }) => SchemaAST.isOptional(type))
    const always = first === -1 ? fields : fields.slice(0, first)
    const names = fields.map(({ name }) => literally(name))
    const value = ({ name, type }: SchemaAST.PropertySignature) =>
      this.#of(type, `x${names.indexOf(literally(name))}`)
    const later = fields.slice(always.length).map((field) => {
      const name = literally(field.name)
      const put = `all[${name}] = ${value(field)}`
      return SchemaAST.isOptional(field.type) ? `if (${name} in v) ${put}` : put
    })
    return [
      `if (!(${isSort("object", "v")})) no()`,
      ...(this.#direction === "read"
        ? [
            `for (const key in v) if (!${this.#need(new Set(fields.map(({ name }) => name)))}.has(key)) no()`
          ]
        : []),
      ...names.map((name, at) => `const x${at} = v[${name}]`),
      `const all = { ${always.map((field) => `${literally(field.name)}: ${value(field)}`).join(", ")} }`,
      ...later,
      "return all"
    ].join("\n")
  }

  /** Members that are told apart by what sort of value they take; others are tried by the schema. */
  #union(ast: SchemaAST.Union): string {
    const seen = ast.types.map((type) =>
      this.#direction === "read" ? (type.encoding?.at(-1)?.to ?? type) : type
    )
    const sorts = seen.map(sortOf)
    const isLiteral = (sort: string | undefined) => sort?.startsWith("literal ") === true
    const single = sorts.filter((sort) => !isLiteral(sort))
    const kinds = new Set(sorts.map((sort) => sort?.replace("literal ", "")))
    const isApart =
      !sorts.includes(undefined) &&
      new Set(single).size === single.length &&
      kinds.size === single.length + new Set(sorts.filter(isLiteral)).size
    if (!isApart) return this.#asked(ast)
    const literals = seen.filter(SchemaAST.isLiteral).map(({ literal }) => literal)
    return [
      ...(literals.length === 0 ? [] : [`if (${this.#need(new Set(literals))}.has(v)) return v`]),
      ...ast.types.flatMap((type, at) => {
        const sort = sorts[at] ?? ""
        return isLiteral(sort) ? [] : [`if (${isSort(sort, "v")}) return ${this.#of(type, "v")}`]
      }),
      "return no()"
    ].join("\n")
  }
}

const no = () => {
  throw unfit
}

/** The function for a schema of JSON, such as `Schema.toCodecJson` gives. */
export const compile = (schema: Schema.Top, direction: Direction): Compiled => {
  const writing = new Writing(direction)
  const main = writing.named(schema.ast)
  const names = writing.needs.map((_, at) => `n${at}`)
  let run: Compiled
  try {
    run = new Function("no", ...names, `"use strict"\n${writing.code.join("\n")}\nreturn ${main}`)(
      no,
      ...writing.needs
    ) as Compiled
  } catch {
    // Where code may not be made at run time, the schema reads and writes by itself.
    return () => unfit
  }
  return (value) => {
    try {
      return run(value)
    } catch {
      return unfit
    }
  }
}
