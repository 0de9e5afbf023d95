/**
 * The process dies at every call that a wallet's own transaction makes of the records and of the chain, before it
 * and after it: the wallet is lent once, calls once, and the ledger of outlay holds what one life would have charged.
 */
import { assert } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { TestClock } from "effect/testing"
import { EvmRelay } from "../../core/evm/relay.ts"
import { Outlay } from "../../core/policy/outlay-ledger.ts"
import { Spending } from "../../core/policy/spending-ledger.ts"
import type { Chains } from "../../core/ports/chains.ts"
import type { Allowances } from "../../core/ports/holdings.ts"
import { Proposals } from "../../core/proposals/proposal-store.ts"
import type { SolanaRelay } from "../../core/solana/relay.ts"
import { SubmissionStore } from "../../core/submissions/submission-store.ts"
import type { WalletKeys } from "../../core/submissions/wallet-keys.ts"
import { allowed, called, callOf, ended, journalOf, standingOf, statusOf } from "./call-steps.ts"
import { around } from "./port-wrapper.ts"
import { makeDeath } from "./process-death.ts"
import { look } from "./send-steps.ts"
import { freshRecords } from "./send-world.ts"
import { PayingWorld } from "./sending-chain.ts"

type World = Allowances | Chains | EvmRelay | PayingWorld | SolanaRelay | WalletKeys

/** Lent to, handed over, replaced by one that pays more, and then mined to the end. */
const whole = Effect.gen(function* () {
  const { mine } = yield* PayingWorld
  yield* look
  yield* look
  yield* mine(1)
  yield* look
  yield* TestClock.adjust("31 seconds")
  yield* look
  for (let turn = 0; turn < 5; turn++) {
    yield* mine(1)
    yield* look
  }
})

const day = "1970-01-01"

/** What is handed over, so that it can be compared with what was written down. */
const overheard = (below: Layer.Layer<World>) => {
  const handedOver: Array<string> = []
  const listening = Layer.effect(
    EvmRelay,
    Effect.map(EvmRelay, (relay) => ({
      ...relay,
      broadcast: (chainId: string, raw: string) =>
        Effect.suspend(() => {
          handedOver.push(raw)
          return relay.broadcast(chainId, raw)
        })
    }))
  )
  return { handedOver, world: Layer.merge(below, Layer.provide(listening, below)) }
}

const rawsIn = (journal: Readonly<Record<string, unknown>>): ReadonlyArray<string> =>
  [journal.attempts, journal.voids].flatMap((all) =>
    Array.isArray(all) ? all.map(({ raw }) => String(raw)) : []
  )

/** Every so manieth of the places to die at; all of them, when it is one. */
export const atEveryCall = (chain: Layer.Layer<World>, every: number) => {
  const { living, names, wrap } = makeDeath()
  const { handedOver, world } = overheard(chain)
  const below = Layer.merge(world, freshRecords())
  const mortal = Layer.mergeAll(
    below,
    around(SubmissionStore, below, wrap),
    around(EvmRelay, below, wrap),
    around(Proposals, below, wrap),
    around(Spending, below, wrap),
    around(Outlay, below, wrap)
  )
  return Effect.gen(function* () {
    const first = yield* called()
    assert.isTrue(Exit.isSuccess(yield* living(-1, "before", whole)))
    assert.deepInclude(yield* statusOf(first), { status: "completed" })
    assert.lengthOf((yield* journalOf(first)).attempts, 2)
    const steps = [...names]
    for (const wanted of ["lend", "newestSequence", "signCall", "charge", "traceNonce", "open"]) {
      assert.isTrue(
        steps.some((name) => name.endsWith(`.${wanted}`)),
        wanted
      )
    }
    let deaths = 0
    for (let at = 0; at < 2 * steps.length; at += every) {
      const when = at % 2 === 0 ? "before" : "after"
      handedOver.length = 0
      const proposal = yield* called()
      if (Exit.isFailure(yield* living(Math.floor(at / 2), when, whole))) deaths++
      yield* TestClock.adjust("31 seconds")
      const place = `${steps[Math.floor(at / 2)]} ${when}`
      assert.deepInclude(yield* ended(proposal), { status: "completed" }, place)
      assert.strictEqual(yield* allowed(proposal), 5_000_000n, place)
      const { mined } = yield* standingOf(proposal)
      assert.strictEqual(mined, 1, place)
      const store = yield* SubmissionStore
      const { id, journal } = yield* callOf(proposal)
      assert.isDefined(yield* store.find(`loan ${id} 1`), place)
      assert.isUndefined(yield* store.find(`loan ${id} 2`), place)
      const { accountUnits } = yield* (yield* Outlay).used("local", day, proposal.accountId)
      const loan = yield* store.find(`loan ${id} 1`)
      const written = new Set([...rawsIn(journal), ...rawsIn(loan?.journal ?? {})])
      assert.isTrue(
        handedOver.every((raw) => written.has(raw)),
        `${place}: bytes nobody wrote down`
      )
      const attempts = (loan?.journal.attempts ?? []) as ReadonlyArray<Record<string, string>>
      const charged = attempts
        .map(({ gas = "0", maxFeePerGas = "0" }) => BigInt(gas) * BigInt(maxFeePerGas))
        .toSorted((one, other) => Number(other - one))[0]
      assert.strictEqual(accountUnits, (charged ?? 0n) + (loan?.terms.amount.units ?? 0n), place)
    }
    assert.strictEqual(deaths, Math.ceil((2 * steps.length) / every))
    return steps.length
  }).pipe(Effect.provide(mortal))
}
