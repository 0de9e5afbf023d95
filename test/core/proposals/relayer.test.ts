/** Whether the relayer can pay is judged by the most a transaction may cost, to the last wei. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { follow } from "../../../core/evm/follow.ts"
import * as Journal from "../../../core/evm/journal.ts"
import type { Look } from "../../../core/evm/look.ts"
import { withBytesOf } from "../../../core/evm/outlay.ts"
import { canPay, prepare } from "../../../core/evm/prepare.ts"
import { type Conditions, EvmRelay } from "../../../core/evm/relay.ts"
import * as SendingRows from "../../support/sending-rows.ts"
import * as SubmissionQueue from "../../support/submission-queue.ts"

const conditions = (relayerWei: bigint, dataFeeWei = 0n) => ({
  maxFeePerGas: 3n,
  maxPriorityFeePerGas: 1n,
  relayerCount: 0,
  relayerMined: 0,
  chainTime: 0,
  relayerWei,
  dataFeeWei
})

it("gas at the highest fee, and what the chain asks for bytes beside it", () => {
  assert.isTrue(canPay(conditions(300n), 100n))
  assert.isFalse(canPay(conditions(299n), 100n))
  assert.isFalse(canPay(conditions(300n, 1n), 100n))
  assert.isTrue(canPay(conditions(301n, 1n), 100n))
})

it("the bytes of a long signature are asked for as those of a short one are", () => {
  const told = conditions(0n, 600n)
  const signedWith = (bytes: number) =>
    withBytesOf(told, { signature: `0x${"5a".repeat(bytes)}` }).dataFeeWei
  assert.strictEqual(signedWith(64), 600n)
  assert.strictEqual(signedWith(65), 600n)
  assert.strictEqual(signedWith(66), 601n)
  assert.strictEqual(signedWith(2048), 2583n)
  const little = withBytesOf(conditions(0n, 1n), { signature: `0x${"5a".repeat(66)}` })
  assert.strictEqual(little.dataFeeWei, 2n)
})

/** What a payment signed with 2,048 bytes comes to, by the step that plans its transaction. */
const planned = Effect.fnUntraced(function* (now: Conditions, isReplaced: boolean) {
  const row = SendingRows.submitted(yield* SubmissionQueue.aSubmission({ chainId: "local" }), {
    relayer: null,
    relayerSequence: null
  })
  const { attempts, authorization } = Journal.read(row)
  if (authorization === null) throw new Error("It is not signed.")
  const look: Look = {
    submission: row,
    lease: "lease",
    conditions: Effect.succeed(now),
    planned: new Map(),
    holds: new Map(),
    handedOver: new Set(),
    authorization: { ...authorization, signature: `0x${"5a".repeat(2048)}` },
    attempts: isReplaced
      ? attempts.map((each) => ({ ...each, at: DateTime.makeUnsafe(-60_000) }))
      : []
  }
  const relay = yield* EvmRelay
  const service: typeof relay = {
    ...relay,
    simulate: () => Effect.succeed({ _tag: "ok", gas: 100n }),
    trace: () => Effect.succeed({ _tag: "pending" }),
    broadcast: () => Effect.void
  }
  const { next } = yield* Effect.provideService(
    Effect.gen(function* () {
      return yield* isReplaced ? follow(look) : prepare(look)
    }),
    EvmRelay,
    service
  )
  return { next, dataFeeWei: look.planned.get(row.id)?.conditions.dataFeeWei }
})

it.effect("a transaction with a long signature is planned with the fee for all its bytes", () =>
  Effect.gen(function* () {
    const enough = 300n + 2583n
    const first = yield* planned(conditions(enough, 600n), false)
    assert.deepStrictEqual(first, { next: "place", dataFeeWei: 2583n })
    const short = yield* planned(conditions(enough - 1n, 600n), false)
    assert.deepStrictEqual(short, { next: "wait", dataFeeWei: undefined })
    const another = yield* planned(conditions(enough, 600n), true)
    assert.deepStrictEqual(another, { next: "place", dataFeeWei: 2583n })
  }).pipe(Effect.provide(Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1)))
)
