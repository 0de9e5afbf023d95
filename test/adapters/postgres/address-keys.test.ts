/** PostgreSQL computes the key of an address exactly as core does, for every chain there is. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Address from "../../../core/chains/address.ts"
import { chains } from "../../../core/chains/chain.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as Rows from "../../support/rows.ts"
import { shared } from "../../support/shared-layer.ts"

layer(shared(FreshDatabase.engine))("the key of an address in SQL", (it) => {
  it.effect("is the one core computes", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ids = [...chains.flatMap(({ caip2, id }) => [id, caip2]), "chain-1", "local-solana"]
      const addresses = [...Rows.aCasePair(), Rows.anAddress()]
      for (const chainId of ids) {
        for (const address of addresses) {
          const rows = yield* sql<{ key: string }>`
            select address_key(${chainId}, ${address}) as key`
          assert.strictEqual(rows[0]?.key, Address.keyOf(chainId, address), `${chainId} ${address}`)
        }
      }
    })
  )
})
