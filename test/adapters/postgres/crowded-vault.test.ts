/** What a transfer costs its chain does not grow with the requests its vault has seen. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stores from "../../../adapters/postgres/stores.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import { assignByRule } from "../../../core/payments/assign.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import * as Settings from "../../../core/treasury/settings.ts"
import { blocksOf } from "../../support/block-counter.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

// One connection, whose blocks are counted.
const engine = Layer.unwrap(
  Effect.map(FreshDatabase.url(), (url) => FreshDatabase.engineAt(url, 1))
)
const stores = Layer.orDie(Layer.provideMerge(Stores.layer, engine))

const settings = { ...Settings.defaults, siteUrl: "http://treasury.test", livemode: false }

/** Requests of the vault by the thousand, each asking for a cent more than the one before. */
const crowd = Effect.fnUntraced(function* (vaultId: string, status: string, count: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into payment_request (id, pid, account_id, vault_id, chain_id, pay_to_address,
      amount_micro, received_micro, status, settlement_issue, said, expires_at, created_at,
      updated_at)
    select gen_random_uuid(), 'pr_' || replace(gen_random_uuid()::text, '-', ''), account_id,
      id, chain_id, '\\x0201', 1000000 + n * 10000, 0, ${status}, 'none', '\\x007b7d',
      '2026-01-01'::timestamptz + n * interval '1 second', '2025-12-01'::timestamptz, now()
    from wallet, generate_series(1, ${count}::integer) as n where wallet.id = ${vaultId}`
  yield* sql`analyze payment_request`
})

const cameTo = (vault: { readonly id: string; readonly chainId: string }, amountMicro: bigint) =>
  Effect.flatMap(Atomically, ({ run }) =>
    run(
      assignByRule(vault, {
        amountMicro: Usdc.make(amountMicro),
        txHash: Rows.aTxHash(),
        from: Rows.anAddressKey(),
        block: { timestamp: DateTime.makeUnsafe("2025-12-15T00:00:00Z") }
      })
    )
  ).pipe(Effect.provide(Settings.layer(settings)))

for (const [status, late] of [
  ["expired", true],
  ["open", false]
] as const) {
  it.live(
    `a transfer to a vault with 20,000 ${status} requests reads what it reads with 1,000`,
    () =>
      Effect.gen(function* () {
        const vault = yield* Stored.vault()
        const dear = yield* Stored.paymentRequest(vault, {
          status,
          amountMicro: 777n,
          expiresAt: DateTime.makeUnsafe("2025-12-31T00:00:00Z")
        })
        const read = (amountMicro: bigint) => blocksOf(cameTo(vault, amountMicro))
        yield* crowd(vault.id, status, 1000)
        const few = yield* read(777n)
        yield* crowd(vault.id, status, 19_000)
        const many = yield* read(777n)
        for (const { found } of [few, many]) {
          if (late) {
            assert.deepStrictEqual([...found.candidatePids], [dear.pid])
            assert.strictEqual(found.settlementIssue, "late")
          } else assert.strictEqual(found.requestId, dear.id)
        }
        assert.isAbove(few.blocks, 0)
        assert.isBelow(many.blocks, few.blocks * 3)
        // Nothing tells which it was for: the deposit names a bounded number of them.
        const doubtful = yield* read(3n)
        assert.strictEqual(doubtful.found.settlementIssue, late ? "late" : "ambiguous")
        assert.strictEqual(doubtful.found.candidatePids.length, 50)
        assert.isBelow(doubtful.blocks, few.blocks * 3)
      }).pipe(Effect.provide(stores), Effect.scoped),
    60_000
  )
}
