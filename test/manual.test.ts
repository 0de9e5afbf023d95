/** The manual is made from the code; here it is held to it, and its examples are tried. */
import { access, readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inputOf } from "../apps/manual/example.ts"
import { exampleDelivery, secret } from "../apps/manual/example-delivery.ts"
import { pages } from "../apps/manual/pages.ts"
import * as Input from "../core/operation/input.ts"
import { operations } from "../core/treasury/operations.ts"

const root = join(import.meta.dirname, "..")
const manual = join(root, "docs/manual")

type Verify = (
  secret: string,
  headers: Readonly<Record<string, string>>,
  rawBody: string,
  nowSeconds: number
) => boolean

/** The verifier as a reader would copy it from the page. */
const printedVerifier = async (): Promise<Verify> => {
  const page = await readFile(join(manual, "webhooks.md"), "utf8")
  const source = /```js\n(.*?)\n```/su.exec(page)?.[1] ?? ""
  const module = await import(`data:text/javascript,${encodeURIComponent(source)}`)
  return module.isGenuine
}

const pagesOf = async (folder: string): Promise<ReadonlyArray<string>> =>
  (await readdir(join(root, folder)))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name))

const written = async () => [
  "README.md",
  "CHANGELOG.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "docs/GLOSSARY.md",
  ...(await pagesOf("docs/manual")),
  ...(await pagesOf("docs/decisions"))
]

/** Where a page's headings and marks may be linked to, as GitHub derives it from a heading. */
const anchorsOf = (text: string): ReadonlySet<string> => {
  const headings = [...text.matchAll(/^#+ (.+)$/gmu)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-")
  )
  const marks = [...text.matchAll(/<a id="([^"]+)">/gu)].map(([, id = ""]) => id)
  return new Set([...headings, ...marks])
}

describe("the manual", () => {
  it("says what the code does", async () => {
    for (const [name, text] of Object.entries(await pages())) {
      const stands = await readFile(join(manual, name), "utf8")
      assert.strictEqual(stands, text, `docs/manual/${name} is stale: run npm run manual`)
    }
  })

  it.each(operations.map((operation) => [operation.name, operation] as const))(
    "shows an example that %s accepts",
    async (_, operation) => {
      await Effect.runPromise(Input.decode(operation, inputOf(operation)))
    }
  )

  it("prints a verifier that accepts its own example and nothing near it", async () => {
    const isGenuine = await printedVerifier()
    const { headers, body } = await exampleDelivery()
    const at = Number(headers["svc-webhook-timestamp"])
    const forged = { ...headers, "svc-webhook-timestamp": String(at + 1) }
    const rotated = {
      ...headers,
      "svc-webhook-signature": `v1=${"0".repeat(64)},${headers["svc-webhook-signature"]}`
    }
    assert.isTrue(isGenuine(secret, headers, body, at))
    assert.isTrue(isGenuine(secret, rotated, body, at))
    assert.isTrue(isGenuine(secret, headers, body, at + 300))
    assert.isFalse(isGenuine(secret, headers, body, at + 301))
    assert.isFalse(isGenuine(secret, headers, body, at - 301))
    assert.isFalse(isGenuine(secret, headers, `${body} `, at))
    assert.isFalse(isGenuine(secret, forged, body, at))
    assert.isFalse(isGenuine(`${secret}x`, headers, body, at))
  })

  it("shows how to keep keys in a service as the example that compiles does", async () => {
    const page = await readFile(join(manual, "keys.md"), "utf8")
    const example = await readFile(join(root, "examples/keys-in-a-service.ts"), "utf8")
    const shown = /```ts\n(.*?)```/su.exec(page)?.[1] ?? "nothing"
    assert.include(example, shown)
    assert.include(shown, "awsKeys")
    assert.include(shown, "googleKeys")
  })

  it("has no link that leads nowhere", async () => {
    const names = await written()
    const texts = new Map(
      await Promise.all(
        names.map(async (name) => [name, await readFile(join(root, name), "utf8")] as const)
      )
    )
    const broken: Array<string> = []
    for (const [name, text] of texts) {
      for (const [, target = ""] of text.matchAll(/\]\(([^)\s]+)\)/gu)) {
        if (/^[a-z]+:/u.test(target)) continue
        const [path = "", anchor] = target.split("#")
        const place = path === "" ? name : join(name, "..", path)
        const isThere = await access(join(root, place)).then(
          () => true,
          () => false
        )
        const isAnchored = anchor === undefined || anchorsOf(texts.get(place) ?? "").has(anchor)
        if (!isThere || !isAnchored) {
          broken.push(`${name}: ${target}`)
        }
      }
    }
    assert.deepStrictEqual(broken, [])
  })
})
