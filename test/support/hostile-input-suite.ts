/** What the operations themselves make of hostile input, whatever stores they stand on. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import * as FastCheck from "fast-check"
import type { ChainScript } from "../../adapters/memory/chains.ts"
import { provision } from "../../core/payments/provision.ts"
import type { WalletKeys } from "../../core/submissions/wallet-keys.ts"
import { type Name, operations } from "../../core/treasury/operations.ts"
import { callsOf, type Needs } from "../../core/treasury/treasury.ts"
import { type Owner, owner } from "./full-account.ts"
import { asFunction, type Fields } from "./surface-calls.ts"
import { inputs } from "./valid-inputs.ts"
import { broken, odd, type Values } from "./wrong-text.ts"
import { lists, tryAll, writes } from "./wrong-value-checks.ts"

/** What only a program that embeds the treasury can send, against its types. */
const beyondJson: Values = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  1n,
  Symbol("x"),
  () => "x"
]

const strange = FastCheck.oneof(
  FastCheck.jsonValue({ maxDepth: 4 }),
  FastCheck.string({ unit: "binary" }),
  FastCheck.constantFrom(...odd, ...broken, ...beyondJson.slice(0, 3)),
  FastCheck.double(),
  FastCheck.bigInt().map(String),
  FastCheck.tuple(
    FastCheck.stringMatching(/^\d{1,15}$/u),
    FastCheck.stringMatching(/^\w{1,9}$/u)
  ).map((parts) => parts.join("_"))
)

/** Any JSON at all, or the operation's own fields with some of their values strange. */
const inputOf = (name: Name, fields: ReadonlyArray<string>, own: Owner) => {
  const valid = inputs[name](own)
  const model = fields.map((field) => [
    field,
    FastCheck.oneof(FastCheck.constant(valid[field]), strange)
  ])
  return FastCheck.oneof(
    { weight: 1, arbitrary: FastCheck.jsonValue() },
    { weight: 4, arbitrary: FastCheck.record(Object.fromEntries(model), { requiredKeys: [] }) }
  )
}

/** Amounts as they may be written, and as they are answered. */
const amounts: ReadonlyArray<readonly [Fields, string, string]> = [
  [{ amountUsd: 49 }, "49000000", "49.00"],
  [{ amountUsd: "49" }, "49000000", "49.00"],
  [{ amountUsd: "49.0" }, "49000000", "49.00"],
  [{ amountUsd: 49.1 }, "49100000", "49.10"],
  [{ amountUsd: "49.100000" }, "49100000", "49.10"],
  [{ amountUsd: 0.1 }, "100000", "0.10"],
  [{ amountUsd: 1.005 }, "1005000", "1.005"],
  [{ amountUsd: 8.2 }, "8200000", "8.20"],
  [{ amountUsd: 4.35 }, "4350000", "4.35"],
  [{ amountUsd: 0.000001 }, "1", "0.000001"],
  [{ amountUsd: "0.000001" }, "1", "0.000001"],
  [{ amountUsd: 123456789.123456 }, "123456789123456", "123456789.123456"],
  [{ amountUsd: 1e12 }, "1000000000000000000", "1000000000000.00"],
  [{ amountUsd: "1000000000000" }, "1000000000000000000", "1000000000000.00"],
  [{ amountSmallestUnit: "1" }, "1", "0.000001"],
  [{ amountSmallestUnit: "1000000000000000000" }, "1000000000000000000", "1000000000000.00"],
  [{ amountUsd: 49.5, amountSmallestUnit: "49500000" }, "49500000", "49.50"],
  [{ amountUsd: "0.3", amountSmallestUnit: "300000" }, "300000", "0.30"]
]

const noAmounts: ReadonlyArray<Fields> = [
  {},
  { amountUsd: 49, amountSmallestUnit: "49000001" },
  { amountUsd: "49.01", amountSmallestUnit: "49000000" },
  { amountUsd: 0.3, amountSmallestUnit: "299999" }
]

export const suite = <E>(name: string, world: Layer.Layer<Needs | WalletKeys | ChainScript, E>) =>
  layer(world)(name, (it) => {
    // Nothing is written to it, which each of those who ask looks at before and after.
    const unchanged = Effect.runSync(Effect.cached(owner("user_42")))

    for (const { name } of writes) {
      it.effect(`a wrong value is refused by ${name}, and nothing is written`, () =>
        Effect.gen(function* () {
          const own = yield* unchanged
          const ask = (_: string, input: Fields) => asFunction(name, input, own.caller)
          yield* tryAll(name, own, ask, (values) => [...values, ...beyondJson])
        })
      )
    }

    for (const { name, input, sideEffect } of operations) {
      it.effect(`no input is a fault of ours to ${name}`, () =>
        Effect.gen(function* () {
          const own = yield* sideEffect === "read" ? unchanged : owner("user_42")
          const run = Effect.runPromiseWith(yield* Effect.context<Needs | ChainScript>())
          const property = FastCheck.asyncProperty(
            inputOf(name, Object.keys(input.fields), own),
            async (asked) => {
              const said = await run(asFunction(name, asked, own.caller))
              assert.isBelow(said.status, 500, JSON.stringify(said))
            }
          )
          yield* Effect.promise(() => FastCheck.assert(property, { numRuns: 60 }))
        })
      )
    }

    it.effect("amounts are exactly what was asked for, in whichever form", () =>
      Effect.gen(function* () {
        const own = yield* owner("user_42")
        const call = callsOf(own.caller)
        for (const [asked, smallest, usd] of amounts) {
          const request = yield* call.create_payment_request({
            walletMappingId: own.vaultId,
            ...asked
          })
          const read = yield* call.get_payment_request({ idOrPid: request.pid })
          assert.deepInclude(read, { amountSmallestUnit: smallest, amountUsd: usd })
        }
        const before = yield* lists(own)
        for (const asked of noAmounts) {
          const input = { walletMappingId: own.vaultId, ...asked }
          const said = yield* asFunction("create_payment_request", input, own.caller)
          assert.deepInclude(said.ok ? {} : said.error, {
            code: "INVALID_AMOUNT",
            param: "amountUsd",
            outcome: "not_executed"
          })
        }
        assert.strictEqual(yield* lists(own), before)
      })
    )

    it.effect("odd text that is allowed comes back as it was sent", () =>
      Effect.gen(function* () {
        const own = yield* owner("user_42")
        const call = callsOf(own.caller)
        for (const text of odd) {
          const metadata = { [text]: text, nested: { [text]: [text, { [text]: null }] } }
          const description = `${text}\n\t${text}`
          const product = { slug: text, name: text, externalSkuId: text }
          const request = yield* call.create_checkout_session({
            customer: { externalId: "user_42" },
            amountUsd: 1,
            externalReference: text,
            product,
            description,
            metadata
          })
          const read = yield* call.get_payment_request({ idOrPid: request.pid })
          assert.deepInclude(read.metadata, metadata)
          assert.strictEqual(read.description, description)
          assert.strictEqual(read.externalReference, text)
          assert.deepStrictEqual(read.product, product)
          const { events } = yield* call.list_events({ paymentRequestPid: request.pid })
          assert.include(JSON.stringify(events[0]?.envelope), JSON.stringify(text))
        }
      })
    )

    it.effect("odd tags find the one wallet that carries them", () =>
      Effect.gen(function* () {
        const own = yield* owner("user_42")
        const call = callsOf(own.caller)
        const customers = odd.map((text) => ({ externalId: text, metadata: { [text]: text } }))
        const { jobId } = yield* call.create_provisioning_job({ chainId: "local", customers })
        yield* provision(jobId)
        for (const text of odd) {
          const filter = { metadataKey: text, metadataValue: text }
          const { wallets } = yield* call.list_wallets(filter)
          assert.deepStrictEqual(
            wallets.map((wallet) => [wallet.name, wallet.metadata]),
            [[text, { [text]: text }]]
          )
        }
      })
    )

    it.effect("a chain id outside its alphabet is no chain that could be looked up", () =>
      Effect.gen(function* () {
        const own = yield* owner("user_42")
        const codeFor = (chainId: string) =>
          Effect.map(
            asFunction(
              "create_provisioning_job",
              { chainId, customers: [{ externalId: "ada" }] },
              own.caller
            ),
            (said) => (said.ok ? "accepted" : said.error.code)
          )
        for (const known of ["local", "eip155:31337"]) {
          assert.strictEqual(yield* codeFor(known), "accepted")
        }
        for (const unknown of ["atlantis", "eip155:999999", "solana:5eykt4UsFv8P8NJdTREp"]) {
          assert.strictEqual(yield* codeFor(unknown), "UNSUPPORTED_CHAIN")
        }
        for (const text of ["", "local\u0000", "lo cal", "local\u200b", "a:b:c", "x".repeat(65)]) {
          assert.strictEqual(yield* codeFor(text), "INVALID_REQUEST")
        }
      })
    )

    it.effect("a place at the end of time is a place in every list", () =>
      Effect.gen(function* () {
        const own = yield* owner("user_42", TestClock.adjust("1 second"))
        for (const { name, input } of operations.filter((each) => "cursor" in each.input.fields)) {
          if (!name.startsWith("list_")) continue
          assert.property(input.fields, "limit")
          for (const time of ["0", "8640000000000", "253402300800000", "999999999999999"]) {
            const said = yield* asFunction(name, { cursor: `${time}_x` }, own.caller)
            assert.strictEqual(said.status, 200, `${name} ${time} ${JSON.stringify(said)}`)
          }
        }
      })
    )
  })
