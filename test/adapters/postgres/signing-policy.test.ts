/** Sends over the records on SQL are signed under the signing policy or not at all, even by whoever writes the rows. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as ScriptedChains from "../../../adapters/memory/chains.ts"
import * as Ids from "../../../adapters/memory/ids.ts"
import * as Submitter from "../../../adapters/memory/submitter.ts"
import * as NoVenues from "../../../adapters/memory/swap-venue.ts"
import * as WalletKeys from "../../../adapters/memory/wallet-keys.ts"
import * as Stores from "../../../adapters/postgres/stores.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import * as SigningPolicy from "../../../core/treasury/signing-policy.ts"
import * as Approvals from "../../contracts/permit-signing-policy.contract.ts"
import * as Contract from "../../contracts/signing-policy.contract.ts"
import * as Value from "../../support/chain-values.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import { registries } from "../../support/registries.ts"
import * as Rows from "../../support/rows.ts"
import { shared } from "../../support/shared-layer.ts"
import { amountMicro, signable } from "../../support/signable-orders.ts"
import { identified } from "../../support/signing-policies.ts"

const kept = Layer.merge(Stores.layer, identified).pipe(
  Layer.provideMerge(shared(FreshDatabase.engine))
)

const world = Layer.unwrap(
  Effect.sync(() => {
    const chain = Wiring.scriptedChain()
    return Layer.mergeAll(
      Submitter.layer(chain).pipe(
        Layer.provideMerge(WalletKeys.layer),
        Layer.provide(SigningPolicy.layer.pipe(Layer.provide(NoVenues.none)))
      ),
      ScriptedChains.layer(chain),
      Ids.layer(1),
      registries
    )
  })
).pipe(Layer.provideMerge(kept), Layer.orDie)

Contract.suite("PostgreSQL", world)
Approvals.suite("PostgreSQL", world)

layer(world)("PostgreSQL: the signing policy, and rows that were rewritten", (it) => {
  /** Writes as one who owns the database may, past what guards the rows. */
  const rewrite = <A, E, R>(table: "proposal" | "execution", write: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`alter table ${sql(table)} disable trigger user`
      yield* write
      yield* sql`alter table ${sql(table)} enable trigger user`
    })

  it.effect("terms rewritten together with the order do not fit the hash and are not signed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { order, proposal, recipient } = yield* signable()
      const thief = Rows.anAddress()
      yield* rewrite(
        "proposal",
        sql`update proposal set terms = replace(terms::text, ${recipient.address}, ${thief})::jsonb
          where id = ${proposal.id}`
      )
      yield* sql`update recipient set address = ${thief} where id = ${proposal.recipientId}`
      const violation = yield* Contract.violationOf({ ...order, to: Value.key(thief) })
      assert.match(violation ?? "", /hashed/u)
    })
  )

  it.effect("an amount rewritten in the terms and the reservation is not signed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { order, proposal } = yield* signable()
      const more = amountMicro * 10n
      yield* rewrite(
        "proposal",
        sql`update proposal set
            terms = replace(terms::text, ${String(amountMicro)}, ${String(more)})::jsonb
          where id = ${proposal.id}`
      )
      yield* sql`update spend_reservation set amount_micro = ${more}
        where proposal_id = ${proposal.id}`
      const violation = yield* Contract.violationOf({
        ...order,
        amount: { ...order.amount, units: more }
      })
      assert.match(violation ?? "", /hashed/u)
    })
  )

  it.effect("a recipient rewritten to be somebody else is not paid", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { order, recipient } = yield* signable()
      yield* sql`update recipient set address = ${Rows.anAddress()} where id = ${recipient.id}`
      assert.match((yield* Contract.violationOf(order)) ?? "", /another address/u)
    })
  )
})
