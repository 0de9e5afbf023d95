/** Claims as anybody may send them: read strictly, within a rate limit, and worth nothing by themselves. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { served } from "../../support/page-server.ts"
import * as Rows from "../../support/rows.ts"
import * as Treasury from "../../support/small-treasury.ts"
import * as Stored from "../../support/stored-rows.ts"
import { assertSpent } from "../../support/surfaces.ts"

const posted = (url: string, body: object) =>
  Effect.promise(async () => {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    const { error, sign } = (await answer.json()) as {
      readonly error?: { readonly code: string }
      readonly sign?: string | null
    }
    return { said: { status: answer.status, code: error?.code, sign }, answer }
  })

const claim = (url: string, body: object) => Effect.map(posted(url, body), ({ said }) => said)

it.live(
  "a claim is read strictly, asks for a signature only where it decides, and is budgeted",
  () =>
    Effect.gen(function* () {
      const origin = yield* served()
      const vault = yield* Stored.vault()
      const alone = { chainId: "local", amountMicro: 7n, expiresAt: Rows.at(1e9) }
      const { pid } = yield* Stored.paymentRequest(vault, alone)
      const url = `${origin}/pay/${pid}/claims`
      const txHash = Rows.aTxHash()
      const invalid = { status: 400, code: "INVALID_REQUEST", sign: undefined }
      assert.deepStrictEqual(yield* claim(url, { txHash: "0x12" }), invalid)
      assert.deepStrictEqual(yield* claim(url, { txHash, pid }), invalid)
      assert.deepStrictEqual(yield* claim(url, { txHash, signature: "0xabcd" }), invalid)
      assert.deepStrictEqual(yield* claim(`${origin}/pay/${Rows.aPid()}/claims`, { txHash }), {
        status: 404,
        code: "NOT_FOUND",
        sign: undefined
      })
      assert.deepInclude(yield* claim(url, { txHash }), { status: 200, sign: null })
      yield* Stored.paymentRequest(vault, alone)
      const asked = yield* claim(url, { txHash })
      assert.include(asked.sign ?? "", `I sent transaction ${txHash}`)
      assert.include(asked.sign ?? "", `for payment request ${pid}.`)
      const signed = { txHash, payerAddress: Rows.anAddress().toLowerCase(), signature: "0xabcd" }
      assert.strictEqual((yield* claim(url, signed)).status, 400)
      const isSpent = ({ said }: Effect.Success<ReturnType<typeof posted>>) =>
        said.code === "RATE_LIMITED"
      const spent = yield* Effect.repeat(posted(url, { txHash }), { until: isSpent, times: 20 })
      assertSpent(spent.answer, "claims")
    }).pipe(Effect.scoped, Effect.provide(Treasury.layer({ callsAllowed: 7 })))
)
