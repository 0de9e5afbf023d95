/**
 * On a server: those who send money back and those who say what it counts for do so at once. No money goes
 * back twice, and none that goes back pays a request.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Store } from "../../../adapters/memory/store.ts"
import * as Stores from "../../../adapters/postgres/stores.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { Refunds } from "../../../core/payments/refund-ledger.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import { aMerchant } from "../../support/refunding-merchant.ts"

const treasury = Layer.unwrap(
  Effect.map(FreshDatabase.url(), (address) =>
    Layer.merge(
      Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1),
      Layer.orDie(Layer.provide(Stores.layer, FreshDatabase.engineAt(address, 24)))
    )
  )
)

const isDone = (exit: { readonly _tag: string }) => exit._tag === "Success"

it.live(
  "of 64 refunds of a tenth that are confirmed at once, ten go back",
  () =>
    Effect.gen(function* () {
      const { call, came, recipientId } = yield* aMerchant
      const { amountMicro, id: depositId } = yield* came()
      const propose = call.propose_refund({ depositId, recipientId, amountUsdc: "1" })
      const proposals = yield* Effect.all(Array<typeof propose>(64).fill(propose), {
        concurrency: 8
      })
      const exits = yield* Effect.forEach(
        proposals,
        ({ proposalId }) => Effect.exit(call.confirm_proposal({ proposalId })),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(exits.filter(isDone).length, 10)
      const shares = yield* (yield* Refunds).ofTransfers([depositId])
      const claimed = shares.reduce((sum, share) => sum + share.amountMicro, 0n)
      assert.strictEqual(claimed, amountMicro)
    }).pipe(Effect.provide(treasury)),
  60_000
)

it.live(
  "money goes back or pays a request, never both, whoever is first",
  () =>
    Effect.gen(function* () {
      const { call, came, recipientId, vault } = yield* aMerchant
      const wins = { refund: 0, attach: 0 }
      for (let round = 0; round < 24; round++) {
        const { id: depositId } = yield* came()
        const { pid } = yield* call.create_payment_request({
          walletMappingId: vault.id,
          amountUsd: 20
        })
        const { proposalId } = yield* call.propose_refund({ depositId, recipientId })
        const confirm = call.confirm_proposal({ proposalId })
        const attach = call.resolve_deposit({ depositId, action: "attach", pid })
        const both = round % 2 === 0 ? [confirm, attach] : [attach, confirm]
        const exits = yield* Effect.forEach(both, (each) => Effect.exit(each as typeof confirm), {
          concurrency: "unbounded"
        })
        const [isRefunded, isAttached] = (round % 2 === 0 ? exits : exits.toReversed()).map(isDone)
        assert.notStrictEqual(isRefunded, isAttached, `round ${round}`)
        wins[isRefunded ? "refund" : "attach"] += 1
        const { status } = yield* call.get_payment_request({ idOrPid: pid })
        assert.strictEqual(status, isAttached ? "partially_paid" : "open")
      }
      assert.strictEqual(wins.refund + wins.attach, 24)
    }).pipe(Effect.provide(treasury)),
  60_000
)

it.live(
  "of 64 deposits that are attached and sent back at once, each pays its request or goes back",
  () =>
    Effect.gen(function* () {
      const { call, came, recipientId, vault } = yield* aMerchant
      const one = Effect.gen(function* () {
        const { id: depositId } = yield* came()
        // The very amount of the deposit, so that attaching it pays the request for good.
        const asked = { walletMappingId: vault.id, amountUsd: 10 }
        const { pid } = yield* call.create_payment_request(asked)
        const { proposalId } = yield* call.propose_refund({ depositId, recipientId })
        return { depositId, pid, proposalId }
      })
      const all = yield* Effect.all(Array<typeof one>(64).fill(one), { concurrency: 8 })
      const isDoneNow = <A, E, R>(work: Effect.Effect<A, E, R>) =>
        Effect.map(Effect.exit(work), isDone)
      const ends = yield* Effect.forEach(
        all,
        ({ depositId, pid, proposalId }, place) => {
          const confirm = isDoneNow(call.confirm_proposal({ proposalId }))
          const attach = isDoneNow(call.resolve_deposit({ depositId, action: "attach", pid }))
          const both = { concurrency: "unbounded" } as const
          return place % 2 === 0
            ? Effect.all([confirm, attach], both)
            : Effect.map(Effect.all([attach, confirm], both), ([attached, confirmed]) => [
                confirmed,
                attached
              ])
        },
        { concurrency: "unbounded" }
      )
      for (const [place, { depositId, pid, proposalId }] of all.entries()) {
        const [isRefunded, isAttached] = ends[place] ?? []
        assert.notStrictEqual(isRefunded, isAttached, `deposit ${place}`)
        const { status } = yield* call.get_payment_request({ idOrPid: pid })
        assert.strictEqual(status, isAttached ? "paid" : "open")
        const proposal = yield* call.get_proposal({ proposalId })
        assert.strictEqual(proposal.status, isAttached ? "superseded" : "executing")
        const shares = yield* (yield* Refunds).ofTransfers([depositId])
        assert.lengthOf(shares, isAttached ? 0 : 1)
      }
    }).pipe(Effect.provide(treasury)),
  60_000
)
