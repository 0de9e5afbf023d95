/** What browsers load: small, kept for ever under names that change with the content, and nothing else is there. */
import { gzipSync } from "node:zlib"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { assetRoutes, assets, urlOf } from "../../../adapters/pages/site/assets.ts"
import type { AssetName } from "../../../adapters/pages/site/islands.ts"

/** Bytes on the wire; what grows beyond is thought about first. */
const budgets: Readonly<Record<AssetName, number>> = {
  "checkout.js": 12 * 1024,
  "checkout.css": 3 * 1024,
  // With the stream that keeps a page true, and the search of choosers.
  "console.js": 4 * 1024,
  // The same with what reads files, where a form takes them.
  "console-files.js": 5 * 1024,
  "console.css": 3 * 1024
}

const names = Object.keys(budgets) as ReadonlyArray<AssetName>

it.each(names)("%s keeps to its budget and runs no text as script", (name) => {
  const { files, manifest } = assets()
  const { text = "" } = files[manifest[name]] ?? {}
  assert.isAbove(text.length, 500)
  assert.isAtMost(gzipSync(text).length, budgets[name])
  assert.notMatch(text, /\beval\(|new Function\(|https?:\/\/(?!www\.w3\.org\/)/u)
})

it.effect("an asset is kept for ever, and one that is not known is not there", () =>
  Effect.gen(function* () {
    const { handler, dispose } = HttpRouter.toWebHandler(Layer.mergeAll(assetRoutes))
    const ask = (path: string, encoding: string) =>
      Effect.promise(() =>
        handler(new Request(`http://site${path}`, { headers: { "accept-encoding": encoding } }))
      )
    const zipped = yield* ask(urlOf("checkout.js"), "gzip, br")
    assert.strictEqual(zipped.headers.get("content-encoding"), "gzip")
    assert.strictEqual(zipped.headers.get("cache-control"), "public, max-age=31536000, immutable")
    assert.match(zipped.headers.get("content-type") ?? "", /^text\/javascript/u)
    const plain = yield* ask(urlOf("checkout.css"), "identity")
    assert.isNull(plain.headers.get("content-encoding"))
    assert.include(yield* Effect.promise(() => plain.text()), "color-scheme")
    assert.strictEqual((yield* ask("/assets/checkout.js", "gzip")).status, 404)
    yield* Effect.promise(dispose)
  })
)
