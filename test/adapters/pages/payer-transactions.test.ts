/** What a payer's wallet may send for a transaction of its own, and what a payer reads when none was made. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import { refusalIn } from "../../../adapters/pages/checkout/standard-wallet.ts"
import { languages } from "../../../adapters/pages/checkout/words/languages.ts"
import { families } from "../../../core/chains/address.ts"
import { served } from "../../support/page-server.ts"
import * as Rows from "../../support/rows.ts"
import * as Treasury from "../../support/small-treasury.ts"
import { anOwner } from "../../support/solana-world.ts"
import * as Stored from "../../support/stored-rows.ts"

interface Told {
  readonly _tag?: string
  readonly error?: { readonly code: string; readonly param?: string; readonly message: string }
}
type Sent = Told & { readonly status: number }

it("tells an account that cannot pay and too many attempts from a network that is away", () => {
  const words = languages.en
  assert.deepStrictEqual(
    [400, 404, 429, 503].map((status) => refusalIn(status, words)),
    [words.otherAccount, words.notPayable, words.tooOften, words.notReady]
  )
  assert.strictEqual(new Set(Object.values(words)).size, Object.values(words).length)
})

const chainId = "local-solana"

it.live("is told which field of a body is wrong, and what it may be", () =>
  Effect.gen(function* () {
    const origin = yield* served()
    const vault = yield* Stored.vault({ chainId, address: anOwner() })
    const due = { chainId, amountMicro: 7_000_000n, expiresAt: Rows.at(1e9) }
    const { pid } = yield* Stored.paymentRequest(vault, due)
    const { pay, standsAt } = yield* ChainScript
    const sent = (body: string, type = "application/json") =>
      Effect.promise(async () => {
        const headers = { "content-type": type }
        const path = `${origin}/pay/${pid}/transactions`
        const answer = await fetch(path, { method: "POST", headers, body })
        return { status: answer.status, ...((await answer.json()) as Told) }
      })
    const from = (payerAddress: unknown) => sent(JSON.stringify({ payerAddress }))
    const unpayable = (reason: string) =>
      Effect.tap(Effect.sync(anOwner), (address) =>
        standsAt(address, { _tag: "unpayable", reason }, chainId)
      )
    const [program, account, mint] = [
      yield* unpayable("a program, which owns no tokens of its own"),
      yield* unpayable("a token account; its owner is somebody"),
      yield* unpayable("a token's mint")
    ]
    const wrong: ReadonlyArray<readonly [Effect.Effect<Sent>, RegExp]> = [
      [from(program), /is a program.*Send the address of the wallet that pays/u],
      [from(account), /is a token account.*Send the address of the wallet that pays/u],
      [from(mint), /is a token's mint.*Send the address of the wallet that pays/u],
      [from(families.evm.exampleAddress), /Send 32 bytes in base58, 32 to 44 characters/u],
      [from(anOwner().slice(0, -3)), /Send 32 bytes in base58/u],
      [from(`${anOwner()}11`), /Send 32 bytes in base58/u],
      [from(""), /Send 32 bytes in base58/u],
      [from("1".repeat(65)), /payerAddress alone, the address of the wallet that pays/u],
      [from(7), /payerAddress alone/u],
      [from(null), /payerAddress alone/u],
      [sent("{}"), /payerAddress alone/u],
      [sent("[]"), /payerAddress alone/u],
      [sent(JSON.stringify({ payerAddress: anOwner(), amount: 1 })), /payerAddress alone/u]
    ]
    for (const [said, expected] of wrong) {
      const { error, status } = yield* said
      assert.deepStrictEqual(
        [status, error?.code, error?.param],
        [400, "INVALID_REQUEST", "payerAddress"]
      )
      assert.match(error?.message ?? "", expected)
    }
    const unread = yield* sent("payerAddress=me")
    assert.deepStrictEqual([unread.status, unread.error?.code], [400, "INVALID_JSON"])
    const typed = yield* sent(`payerAddress=${anOwner()}`, "application/x-www-form-urlencoded")
    assert.strictEqual(typed.status, 415)
    const payer = anOwner()
    assert.deepInclude(yield* from(payer), { status: 200, _tag: "too_little" })
    yield* pay({ to: payer, amountMicro: 7_000_000n, chainId })
    assert.deepInclude(yield* from(payer), { status: 200, _tag: "made" })
  }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)
