/** An approval comes to stand once and exactly, whenever a process dies, a reply is lost or another is first. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Authorizations from "../../../adapters/memory/authorization.ts"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import * as Approvals from "../../../adapters/memory/scripted-approvals.ts"
import * as ScriptedChain from "../../../adapters/memory/scripted-chain.ts"
import { MemoryStore } from "../../../adapters/memory/store.ts"
import { bothFurnished } from "../../../apps/testing/seed.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import * as Journal from "../../../core/evm/journal.ts"
import { EvmRelay } from "../../../core/evm/relay.ts"
import { Bridges } from "../../../core/ports/bridge.ts"
import { keyOf } from "../../../core/proposals/step.ts"
import type { Order } from "../../../core/submissions/order.ts"
import type { Submission } from "../../../core/submissions/submission.ts"
import { SubmissionStore } from "../../../core/submissions/submission-store.ts"
import type { Flow } from "../../../core/trade/spender.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import { type Death, mortal } from "../../support/crash-points.ts"
import { ordersFrom } from "../../support/orders-offered.ts"
import * as SubmissionQueue from "../../support/submission-queue.ts"

const base = Effect.map(MemoryStore.make, (store) => ({ store, chain: Wiring.scriptedChain() }))

/** Approvals of one wallet, confirmed and not yet begun. */
const confirmed = Effect.fnUntraced(function* (
  chain: ScriptedChain.State,
  flows: ReadonlyArray<Flow>
) {
  const [, agent] = yield* bothFurnished
  const call = callsOf(agent.caller)
  const { usdc } = ScriptedChain.find(chain, "local").connected
  const subject = { fromWalletId: agent.wallet.id, tokenAddress: usdc }
  const proposalIds = yield* Effect.forEach(
    flows,
    Effect.fnUntraced(function* (flow, index) {
      const amountSmallestUnit = String(5_000_000 + index)
      const proposed = yield* call
        .propose_token_approve({ ...subject, flow, amountSmallestUnit })
        .pipe(Effect.provideService(Bridges, [ordersFrom("local")]))
      yield* call.confirm_proposal({ proposalId: proposed.proposalId })
      return proposed.proposalId
    })
  )
  const standing = Effect.forEach(proposalIds, (proposalId) => call.get_proposal({ proposalId }))
  const allowances = Effect.forEach(flows, (flow) =>
    Effect.map(
      call.check_allowance({ ...subject, flow, requiredAmountSmallest: "1" }),
      ({ allowance }) => allowance
    )
  )
  const permits = () =>
    Approvals.permitsOf(ScriptedChain.find(chain, "local"), agent.wallet.address.toLowerCase())
  return { standing, allowances, permits, proposalIds }
})

/** One worker's turn: whatever is due goes on, maybe to its death; then its lease is over. */
const turn = Effect.gen(function* () {
  for (const claimed of yield* SubmissionQueue.claimNow(10)) {
    yield* Effect.exit(SubmissionQueue.advanced(claimed))
  }
  yield* TestClock.adjust("61 seconds")
})

const maxTurns = 40

/** Turns, a block after each, until all have ended. */
const toTheEnd = Effect.fnUntraced(function* <R>(
  standing: Effect.Effect<ReadonlyArray<{ readonly status: string }>, unknown, R>
) {
  const { mine } = yield* ChainScript
  for (let turns = 0; turns < maxTurns; turns++) {
    yield* turn
    yield* mine(1)
    const now = yield* Effect.orDie(standing)
    if (now.every(({ status }) => status !== "executing")) return
  }
  assert.fail("It never ends.")
})

interface Telling {
  readonly flows: ReadonlyArray<Flow>
  readonly death: Death
  /** What the world does once all is confirmed. */
  readonly disturb?: Effect.Effect<void, never, ChainScript>
}

/** Confirms, disturbs, dies once at the moment given, and goes on; all must have come to stand once. */
const told = Effect.fnUntraced(function* ({ flows, death, disturb = Effect.void }: Telling) {
  const durable = yield* base
  yield* Effect.gen(function* () {
    const { standing, allowances, permits } = yield* confirmed(durable.chain, flows)
    yield* disturb
    const executions = yield* Layer.build(mortal(death))
    yield* Effect.provide(toTheEnd(standing), executions)
    const now = yield* standing
    assert.deepStrictEqual(
      now.map(({ status }) => status),
      flows.map(() => "completed")
    )
    assert.deepStrictEqual(
      yield* allowances,
      flows.map((_, index) => String(5_000_000 + index))
    )
    assert.strictEqual(permits(), flows.length)
    const landed = ScriptedChain.find(durable.chain, "local").landed.filter(({ isPaid }) => isPaid)
    assert.sameMembers(
      now.flatMap(({ txHashes }) => txHashes),
      landed.map(({ txHash }) => txHash)
    )
  }).pipe(Effect.provide(Wiring.layer(durable, 1)), Effect.scoped)
})

const loseReply = Effect.flatMap(ChainScript, ({ loseReply: lose }) => lose())
const refuseNext = Effect.flatMap(ChainScript, ({ refuseNext: refuse }) => refuse())

const worlds: ReadonlyArray<readonly [string, Omit<Telling, "death">]> = [
  ["alone", { flows: ["intent_swap"] }],
  ["when the reply to its broadcast is lost", { flows: ["intent_swap"], disturb: loseReply }],
  ["when the node refuses its broadcast", { flows: ["intent_swap"], disturb: refuseNext }],
  ["beside another of the same wallet", { flows: ["intent_swap", "limit_order_bridge"] }]
]

describe("an approval", () => {
  it.effect.each(worlds)("comes to stand once, whenever the process dies: %s", ([, world]) =>
    Effect.gen(function* () {
      const counting: Death = { moments: 0, at: undefined }
      yield* told({ ...world, death: counting })
      assert.isAbove(counting.moments, 12)
      for (let at = 0; at < counting.moments; at++) {
        yield* told({ ...world, death: { moments: 0, at } })
      }
    })
  )

  it.effect(
    "that another of the wallet outran is signed anew, for a relayer nonce of its own",
    () =>
      Effect.gen(function* () {
        const durable = yield* base
        yield* Effect.gen(function* () {
          const { standing, permits, proposalIds } = yield* confirmed(durable.chain, [
            "intent_swap",
            "limit_order_bridge"
          ])
          const { find } = yield* SubmissionStore
          const found = Effect.map(
            Effect.forEach(proposalIds, (id) => find(keyOf(id))),
            (all) => all.flatMap((each) => each ?? [])
          )
          const countOf = (each: Submission) => Journal.read(each).authorization?.nonce ?? ""
          yield* turn
          assert.deepStrictEqual((yield* found).map(countOf), ["0", "0"])
          yield* toTheEnd(standing)
          const after = yield* found
          assert.sameMembers(after.map(countOf), ["0", "1"])
          assert.strictEqual(permits(), 2)
          const nonces = after.map(({ relayerSequence }) => relayerSequence)
          assert.strictEqual(new Set(nonces).size, 2)
        }).pipe(Effect.provide(Wiring.layer(durable, 1)))
      })
  )

  it.effect("signed for a count that a lagging node told is signed again, and stands once", () =>
    Effect.gen(function* () {
      const durable = yield* base
      yield* Effect.gen(function* () {
        const { allowances, permits, standing } = yield* confirmed(durable.chain, ["intent_swap"])
        const payouts = yield* EvmRelay
        const { usdc } = ScriptedChain.find(durable.chain, "local").connected
        let lags = 2
        const lagging = {
          ...payouts,
          authorize: (order: Order) =>
            lags-- > 0
              ? Effect.succeed(
                  Authorizations.signedByPayer(
                    Authorizations.unsigned(usdc, order, 7).authorization
                  )
                )
              : payouts.authorize(order)
        }
        yield* Effect.provideService(toTheEnd(standing), EvmRelay, lagging)
        assert.strictEqual((yield* standing)[0]?.status, "completed")
        assert.deepStrictEqual(yield* allowances, ["5000000"])
        assert.strictEqual(permits(), 1)
        assert.isBelow(lags, 0)
      }).pipe(Effect.provide(Wiring.layer(durable, 1)))
    })
  )

  it.effect("that the token refuses whatever the count ends, and its relayer nonce with it", () =>
    Effect.gen(function* () {
      const durable = yield* base
      yield* Effect.gen(function* () {
        const { allowances, standing } = yield* confirmed(durable.chain, ["intent_swap"])
        const payouts = yield* EvmRelay
        const reason = "An address is blacklisted by the token."
        const refusing = {
          ...payouts,
          simulate: () => Effect.succeed({ _tag: "would_revert" as const, reason })
        }
        yield* Effect.provideService(toTheEnd(standing), EvmRelay, refusing)
        const [failed] = yield* standing
        assert.strictEqual(failed?.status, "failed")
        assert.strictEqual(failed?.statusReason, reason)
        assert.deepStrictEqual(yield* allowances, ["0"])
      }).pipe(Effect.provide(Wiring.layer(durable, 1)))
    })
  )

  it.effect("nobody takes in its time fails, allows nothing, and holds up nobody behind it", () =>
    Effect.gen(function* () {
      const durable = yield* base
      yield* Effect.gen(function* () {
        const { allowances, permits, standing } = yield* confirmed(durable.chain, ["intent_swap"])
        const { congest, timePasses } = yield* ChainScript
        yield* turn
        yield* congest(true)
        yield* timePasses(1300)
        yield* Effect.andThen(turn, timePasses(1))
        yield* Effect.andThen(turn, timePasses(1))
        yield* turn
        const [failed] = yield* standing
        assert.strictEqual(failed?.status, "failed")
        assert.match(failed?.statusReason ?? "", /expired/u)
        yield* congest(false)
        yield* toTheEnd(standing)
        assert.deepStrictEqual(yield* allowances, ["0"])
        assert.strictEqual(permits(), 0)
        // The nonce it held was used up by a transaction that did nothing.
        assert.lengthOf(ScriptedChain.find(durable.chain, "local").landed, 1)
      }).pipe(Effect.provide(Wiring.layer(durable, 1)))
    })
  )

  it.effect(
    "is not failed by a worker whose lease ran out, who may not know that it was signed anew",
    () =>
      Effect.gen(function* () {
        const durable = yield* base
        yield* Effect.gen(function* () {
          const { standing } = yield* confirmed(durable.chain, ["intent_swap"])
          const { congest, mine, timePasses } = yield* ChainScript
          yield* congest(true)
          yield* turn
          const [first] = yield* SubmissionQueue.claimNow(1)
          yield* TestClock.adjust("61 seconds")
          const [second] = yield* SubmissionQueue.claimNow(1)
          if (first === undefined || second === undefined) return assert.fail("nothing claimed")
          yield* timePasses(1300)
          yield* mine(2)
          yield* SubmissionQueue.advanced(first)
          assert.strictEqual((yield* standing)[0]?.status, "executing")
          yield* SubmissionQueue.advanced(second)
          assert.strictEqual((yield* standing)[0]?.status, "failed")
        }).pipe(Effect.provide(Wiring.layer(durable, 1)))
      })
  )
})
