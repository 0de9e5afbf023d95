/**
 * On a server: those who send money back and those who say what it counts for do so at once. No money goes
 * back twice, and none that goes back pays a request.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import { Store } from "../../../adapters/memory/store.ts"
import * as Books from "../../../adapters/postgres/books.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { authenticate } from "../../../core/accounts/authenticate.ts"
import { issue } from "../../../core/accounts/create-key.ts"
import { openAccount } from "../../../core/accounts/open.ts"
import { system } from "../../../core/audit/record.ts"
import { Scope } from "../../../core/caller.ts"
import { Refunds } from "../../../core/ports/refunds.ts"
import { Transfers } from "../../../core/ports/transfers.ts"
import { callsOf } from "../../../core/treasury.ts"
import { createWallet } from "../../../core/wallets/create.ts"
import type { Wallet } from "../../../core/wallets/wallet.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as Plant from "../../support/planting.ts"
import * as Rows from "../../support/rows.ts"

const treasury = Layer.unwrap(
  Effect.map(FreshDatabase.url(), (address) =>
    Layer.merge(
      Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1),
      Layer.orDie(Layer.provide(Books.layer, FreshDatabase.engineAt(address, 24)))
    )
  )
)

/** An agent's account with a rich vault and somebody it may pay. */
const merchant = Effect.gen(function* () {
  const { id: accountId } = yield* openAccount({ name: "Shop", kind: "agent", tier: "startup" })
  const wanted = { accountId, kind: "agent", label: null, expiresAt: null } as const
  const { text } = yield* issue({ ...wanted, scopes: Scope.literals })
  const vault = (yield* createWallet(
    {
      accountId,
      chainId: "local",
      name: "Vault",
      isDefault: false,
      metadata: {},
      kind: "collection",
      customer: { externalId: "ada", namespace: "default" }
    },
    system
  )) as Wallet
  yield* (yield* ChainScript).fund(vault.address, 10_000_000_000n)
  const over = { chainId: "local", status: "approved" } as const
  const { id: recipientId } = yield* Plant.recipient(accountId, over)
  const deposit = Effect.gen(function* () {
    const row = Rows.aTransfer(vault, { state: "final", finalAt: Rows.at(2) })
    yield* (yield* Transfers).record(row)
    return row
  })
  return { call: callsOf(yield* authenticate(text)), deposit, recipientId, vault }
})

const isDone = (exit: { readonly _tag: string }) => exit._tag === "Success"

it.live(
  "of 64 refunds of a tenth that are confirmed at once, ten go back",
  () =>
    Effect.gen(function* () {
      const { call, deposit, recipientId } = yield* merchant
      const { amountMicro, id: depositId } = yield* deposit
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
      const { call, deposit, recipientId, vault } = yield* merchant
      const wins = { refund: 0, attach: 0 }
      for (let round = 0; round < 24; round++) {
        const { id: depositId } = yield* deposit
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
