/** The attestation service in every trouble: what cannot be read is no answer, and no answer is ever a fault of ours. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Attestations from "../../../../adapters/evm/cctp/attestations.ts"
import { standingOf } from "../../../../adapters/evm/cctp/standing.ts"
import { type Answering, answering, says } from "../../../support/scripted-service.ts"

const slow: Answering = () => undefined
const cut: Answering = (_, response) => {
  response.writeHead(200, { "content-length": "1000" })
  response.write('{"messages":[')
  setTimeout(() => response.destroy(), 20)
}
const endless: Answering = (_, response) => {
  response.writeHead(200)
  response.end(`[${"0,".repeat(200_000)}0]`)
}

/** The trouble, and how its sentence ends. */
const troubles: Readonly<Record<string, readonly [Answering, RegExp]>> = {
  "that is slow": [slow, /does not answer/u],
  "that hangs up": [cut, /does not answer/u],
  "that never ends": [endless, /does not answer/u],
  "with too many requests": [says(429, { error: "slow down" }), /status 429/u],
  "with a failure": [says(500, { error: "broken" }), /status 500/u],
  "with a page": [says(200, "<html></html>"), /does not answer/u],
  "with nothing in it": [says(200, "null"), /cannot be read/u],
  "of another shape": [says(200, { messages: "none", allowance: "much" }), /cannot be read/u]
}

const hash = `0x${"ab".repeat(32)}`

const test = (title: string, body: Effect.Effect<void, unknown, import("effect").Scope.Scope>) =>
  it.live(title, () => Effect.scoped(body))

const serviceOf = Effect.fnUntraced(function* (answer: Answering) {
  const { asked, url } = yield* answering(answer)
  return { asked, service: yield* Attestations.make({ url, deadlineMs: 500 }) }
})

for (const [name, [answer, said]] of Object.entries(troubles)) {
  test(
    `an answer ${name} is none`,
    Effect.gen(function* () {
      const { service } = yield* serviceOf(answer)
      const asking = [service.fees(6, 3), service.fastAllowance, service.messages(6, hash)]
      for (const ask of asking) {
        const failed = yield* Effect.flip(ask as Effect.Effect<unknown, { readonly _tag: string }>)
        assert.strictEqual(failed._tag, "BridgeUnavailable")
        assert.match((failed as unknown as { readonly detail: string }).detail, said)
      }
    })
  )
}

test(
  "a fee that is no fee is left out, and an allowance that is none is nothing",
  Effect.gen(function* () {
    const fees = [
      { finalityThreshold: 1000, minimumFee: 1.3 },
      { finalityThreshold: 2000, minimumFee: -1 }
    ]
    const { service } = yield* serviceOf(says(200, fees))
    const told = yield* service.fees(6, 3)
    assert.deepStrictEqual(
      told.map(({ finalityThreshold }) => finalityThreshold),
      [1000]
    )
    for (const [text, units] of [
      ["1e400", 0n],
      ["-5", 0n],
      ["1.5", 1_000_000n]
    ] as const) {
      const { service: other } = yield* serviceOf(says(200, `{"allowance":${text}}`))
      assert.strictEqual(yield* other.fastAllowance, units, text)
    }
  })
)

test(
  "what is signed counts as bytes only, and what is pending is not signed",
  Effect.gen(function* () {
    const messages = [
      { message: "0x12", attestation: "0x34", status: "complete", delayReason: "constructor" },
      { message: "0x1", attestation: "0x34", status: "complete" },
      { message: "javascript:", attestation: "0x34", status: "complete" },
      { message: null, attestation: "PENDING", status: "pending_confirmations", delayReason: null }
    ]
    const { service } = yield* serviceOf(says(200, { messages }))
    const told = yield* service.messages(6, hash)
    assert.deepStrictEqual(told, [
      { signed: { message: "0x12", attestation: "0x34" }, delayReason: "constructor" },
      { signed: null, delayReason: null },
      { signed: null, delayReason: null },
      { signed: null, delayReason: null }
    ])
    const { service: unknowing } = yield* serviceOf(says(404, { error: "not found" }))
    assert.isUndefined(yield* unknowing.messages(6, hash))
  })
)

test(
  "a reason for a delay that nobody knows is none, whatever it is called",
  Effect.gen(function* () {
    const reasonFor = (delayReason: string) => {
      const way = {
        attestations: { messages: () => Effect.succeed([{ signed: null, delayReason }]) },
        burning: { sent: () => Effect.succeed({ message: "0x12", atSeconds: 0 }) },
        from: { number: 6 }
      }
      return standingOf(way as never, {} as never, hash as never)
    }
    for (const name of ["constructor", "toString", "__proto__", "other"]) {
      assert.deepStrictEqual(yield* reasonFor(name), { _tag: "travelling", reason: null }, name)
    }
    const known = yield* reasonFor("insufficient_fee")
    assert.match(known._tag === "travelling" ? (known.reason ?? "") : "", /usual pace/u)
  })
)
