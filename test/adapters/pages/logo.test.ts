/** The merchant's logo on payment pages: kept by browsers only under the name of its own bytes, and always small enough. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { pictureName } from "../../../adapters/pages/checkout/shown.ts"
import { fitting } from "../../../adapters/pages/console/picture.ts"
import { defaultsOf } from "../../../core/accounts/account-settings.ts"
import * as Logo from "../../../core/accounts/logo.ts"
import { SettingsStore } from "../../../core/accounts/settings-store.ts"
import { served } from "../../support/page-server.ts"
import { png } from "../../support/pictures.ts"
import * as Treasury from "../../support/small-treasury.ts"
import * as Stored from "../../support/stored-rows.ts"

it.live("a logo is kept under its own name alone, not under one it had before or will have", () =>
  Effect.gen(function* () {
    const origin = yield* served()
    const vault = yield* Stored.vault()
    const { pid } = yield* Stored.paymentRequest(vault, { chainId: "local" })
    const [before, after] = [png(300, 60), png(200, 60)]
    const { save } = yield* SettingsStore
    yield* save({ ...defaultsOf(vault.accountId), logoUrl: before.dataUrl })
    const kept = (name: string) =>
      Effect.promise(async () => {
        const answer = await fetch(`${origin}/pay/${pid}/logo?${name}`)
        const bytes = new Uint8Array(await answer.arrayBuffer())
        assert.deepStrictEqual(bytes, before.bytes)
        return answer.headers.get("cache-control")
      })
    assert.strictEqual(
      yield* kept(pictureName(before)),
      "public, max-age=86400, immutable",
      "its own name"
    )
    assert.strictEqual(yield* kept(pictureName(after)), "no-store", "the name of the next one")
    assert.strictEqual(yield* kept(""), "no-store")
  }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)

describe("a picture that is chosen for a logo", () => {
  const dataUrl = (bytes: number) =>
    `data:image/png;base64,${Buffer.alloc(bytes).toString("base64")}`

  it("is tried smaller where the browser makes it too large, and stays as large as it may be", () => {
    const tried: Array<number> = []
    const found = fitting((share) => {
      tried.push(share)
      return dataUrl(Math.round(60_000 * share ** 2))
    })
    assert.deepStrictEqual(tried, [1, 0.7, 0.7 * 0.7])
    assert.strictEqual(found, dataUrl(14_406))
  })

  it("is never larger than the server takes, when there is a size that fits", () => {
    for (let bytes = 60_000; bytes > 0; bytes -= 777) {
      const chosen = fitting((share) => dataUrl(Math.round(bytes * share ** 2)))
      assert.isAtMost(Buffer.from(chosen.split(",")[1] ?? "", "base64").length, Logo.maxBytes)
    }
  })
})
