/** What forgotten payments cost their carrier counts in the caps of fees of this day, once, and bounds what comes after. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Memory from "../../../adapters/memory/memory.ts"
import { type AddressKey, keyOf, TransactionId } from "../../../core/chains/address.ts"
import * as Chain from "../../../core/chains/chain.ts"
import { Outlay } from "../../../core/policy/outlay-ledger.ts"
import { Chains } from "../../../core/ports/chains.ts"
import { Submitters } from "../../../core/submissions/submitter.ts"
import { begun, type Line, type Standing, Timeline } from "../../../core/timeline/timeline.ts"
import { catchUpOnce } from "../../../core/treasury/catch-up.ts"
import { newProgress } from "../../../core/treasury/chain-steps.ts"
import "../../../core/treasury/submitters.ts"
import * as Value from "../../support/chain-values.ts"
import { world } from "../../support/memory-sending-chain.ts"
import { registries } from "../../support/registries.ts"
import * as Stored from "../../support/stored-rows.ts"

const chainId = "local"
const usdc = Value.key(`0x${"a1".repeat(20)}`)
const payee = Value.key(`0x${"cd".repeat(20)}`)
const day = "2030-03-20"
const noon = DateTime.makeUnsafe(`${day}T12:00:00Z`)

/** A wait on this line from its last wait on to its end. */
const readAll = Effect.fnUntraced(function* (number: number) {
  const through = { number: 7, hash: "the block that ended it" }
  const read = { [chainId]: { through, after: null, isDone: false } }
  let line: Line = {
    ...{ number, server: "one", begunAt: DateTime.formatIso(noon), keyStore: null },
    held: { ...begun, since: { [chainId]: 0 }, read }
  }
  const timeline = Layer.succeed(Timeline, {
    look: Effect.sync((): Standing => ({ _tag: "held", line })),
    write: (_from, to) =>
      Effect.sync(() => {
        line = to
        return true
      }),
    keep: () => Effect.void
  })
  const chains = Layer.mock(Chains)({
    connected: [{ chain: Chain.find(chainId) as Chain.Chain, usdc, confirmations: 1, pollMs: 50 }]
  })
  const turn = catchUpOnce(yield* newProgress("this")).pipe(Effect.provide([chains, timeline]))
  for (let step = 0; step < 3; step++) yield* turn
  assert.isNull(line.held)
})

/** A payment that no record knows. */
const made = (from: AddressKey, letter: string, at: DateTime.Utc, laidOut?: bigint) => ({
  ...{ txId: TransactionId.make(letter.repeat(64)), from, at, identity: letter.repeat(64) },
  paid: { to: payee, amount: { token: { chainId, address: usdc }, units: 7n } },
  ...(laidOut === undefined ? {} : { laidOut })
})

it.effect("fees of payments that a promotion forgot are in the caps of fees", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(DateTime.toEpochMillis(noon))
    const account = yield* Stored.account()
    const wallet = yield* Stored.wallet(account.id, { chainId })
    const from = keyOf(chainId, wallet.address)
    const eve = DateTime.makeUnsafe("2030-03-19T23:59:59Z")
    const all = [
      made(from, "a", noon, 30n),
      { ...made(from, "b", noon, 5n), isBurn: true as const },
      { ...made(from, "c", noon, 6n), paid: null },
      made(from, "d", noon),
      made(from, "e", eve, 100n)
    ]
    const submitters = yield* Submitters
    const told = {
      ...submitters,
      evm: {
        ...submitters.evm,
        learnForgotten: () => Effect.void,
        madeBy: () => Effect.succeed(all)
      }
    }
    const outlay = yield* Outlay
    const forgotten = { accountUnits: 41n, installationUnits: 41n }
    // A second promotion on the same day tells the same.
    for (const line of [2, 3]) {
      yield* Effect.provideService(readAll(line), Submitters, told)
      assert.deepStrictEqual(yield* outlay.used(chainId, day, account.id), forgotten)
    }
    assert.strictEqual((yield* outlay.used(chainId, "2030-03-19", null)).installationUnits, 0n)
    const next = { key: "next", chainId, day, accountId: account.id, units: 10n, at: noon }
    const limits = Effect.succeed({ accountUnits: 50n, installationUnits: 1000n })
    assert.deepStrictEqual(yield* outlay.charge([[next, limits]]), [
      { _tag: "over", scope: "account" }
    ])
  }).pipe(Effect.provide(Layer.mergeAll(world, Memory.layer(), registries)))
)
