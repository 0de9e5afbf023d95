/** Values that a schema of answers takes, made from the schema alone, in many forms of each. */
import { DateTime, Schema, SchemaAST } from "effect"
import * as FastCheck from "fast-check"

type Arbitrary = FastCheck.Arbitrary<unknown>

/** The type behind the values that schemas do not spell out. */
const opaque: Arbitrary = FastCheck.jsonValue({ maxDepth: 2 })

const instant: Arbitrary = FastCheck.integer({ min: 0, max: 4e12 }).map(DateTime.makeUnsafe)

/** Nothing is ever written under the one name that is no field but what an object is made from. */
const key = FastCheck.string().filter((name) => name !== "__proto__")

const fieldsOf = (ast: SchemaAST.Objects, left: number): Arbitrary => {
  const [map] = ast.indexSignatures
  if (map !== undefined) return FastCheck.dictionary(key, of(map.type, left))
  const fields = ast.propertySignatures.map(
    ({ name, type }): readonly [string, Arbitrary, boolean] => [
      String(name),
      of(type, left),
      SchemaAST.isOptional(type)
    ]
  )
  return FastCheck.record(Object.fromEntries(fields.map(([name, value]) => [name, value])), {
    requiredKeys: fields.filter(([, , isOptional]) => !isOptional).map(([name]) => name)
  })
}

const plain: Readonly<Record<string, Arbitrary>> = {
  String: FastCheck.string(),
  Boolean: FastCheck.boolean(),
  Number: FastCheck.integer({ min: 0, max: 100 }),
  BigInt: FastCheck.bigInt({ min: 0n, max: 10n ** 30n }),
  Null: FastCheck.constant(null),
  ObjectKeyword: instant
}

const of = (ast: SchemaAST.AST, left: number): Arbitrary => {
  const known = plain[ast._tag]
  if (known !== undefined) return known
  if (SchemaAST.isLiteral(ast)) return FastCheck.constant(ast.literal)
  if (SchemaAST.isUnion(ast)) return FastCheck.oneof(...ast.types.map((type) => of(type, left)))
  if (SchemaAST.isSuspend(ast)) return of(ast.thunk(), left)
  if (SchemaAST.isObjects(ast)) return fieldsOf(ast, left - 1)
  const [row] = SchemaAST.isArrays(ast) ? ast.rest : []
  return row === undefined ? opaque : FastCheck.array(of(row, left - 1), { maxLength: 3 })
}

export const valuesOf = (schema: Schema.Top): Arbitrary => of(Schema.toType(schema).ast, 6)
