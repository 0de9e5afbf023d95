/** Rows of a list in the console: as they are typed, as a spreadsheet copies them, and as it saves them. */
import { assert, describe, it } from "@effect/vitest"
import { cellsOf, rowsIn } from "../../../adapters/pages/console/rows.ts"

const columns = ["externalId", "namespace"]
const rows = (text: string) => rowsIn(text, columns)

describe("rows", () => {
  it("are one a line, by columns in their order", () => {
    assert.deepStrictEqual(rows("user_42\nuser_43, shop\r\n\n"), [
      { externalId: "user_42" },
      { externalId: "user_43", namespace: "shop" }
    ])
    assert.deepStrictEqual(rows(""), [])
  })

  it("may be named by a first line, with tags", () => {
    const customer = { externalId: "user_42", metadata: { city: "Bern" } }
    assert.deepStrictEqual(rows("metadata.city,externalId\nBern,user_42\n,user_43"), [
      customer,
      { externalId: "user_43" }
    ])
    assert.deepStrictEqual(rows("externalId\tmetadata.city\nuser_42\tBern"), [customer])
    assert.deepStrictEqual(rows("externalId;namespace\nuser_42;shop"), [
      { externalId: "user_42", namespace: "shop" }
    ])
  })

  it("keep what is quoted, and what looks like nothing they know", () => {
    assert.deepStrictEqual(cellsOf('"Lace, & ""Co""",x\n"a\nb"'), [['Lace, & "Co"', "x"], ["a\nb"]])
    assert.deepStrictEqual(cellsOf('"never ends,x'), [['"never ends', "x"]])
    assert.deepStrictEqual(rows("user_42,shop,Bern"), [
      { externalId: "user_42", namespace: "shop", "column 3": "Bern" }
    ])
    assert.deepStrictEqual(rows("externalId,city\nuser_42,Bern"), [
      { externalId: "user_42", city: "Bern" }
    ])
  })

  it("are a thousand without a wait", () => {
    const text = Array.from({ length: 1000 }, (_, at) => `"user_${at}",shop`).join("\n")
    assert.lengthOf(rows(text), 1000)
  })
})
