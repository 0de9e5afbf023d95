/** What a public page tells of later payments is found at once, whatever else came to the vault: anybody may read it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Usdc from "../../../core/money/usdc.ts"
import { Transfers } from "../../../core/payments/transfer-store.ts"
import { blocksOf } from "../../support/block-counter.ts"
import { account, copies, often, stores } from "../../support/many-rows.ts"
import * as Numbered from "../../support/numbered-ids.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

const dustMicro = Usdc.make(10_000n)
const dust = { amountMicro: Usdc.make(1n), settlementIssue: "underpaid" as const }
const again = { settlementIssue: "duplicate" as const }

const mostBlocks = 30

/** The deposits that a page asks for, and the most blocks that it read for them. */
const meantFor = Effect.fnUntraced(function* (
  vault: { id: string; accountId: string },
  pid: string
) {
  const sql = yield* SqlClient.SqlClient
  const { deposits } = yield* Transfers
  const wanted = {
    ...{ vaultId: vault.id, onlyFor: pid, minMicro: dustMicro },
    issues: ["duplicate"] as const
  }
  const asked = deposits(vault.accountId, wanted, { limit: 3, since: Rows.at(0) })
  yield* sql`set plan_cache_mode = force_custom_plan`
  const first = yield* blocksOf(asked)
  yield* sql`set plan_cache_mode = auto`
  const later = yield* often(asked)
  return {
    ids: later.found.rows.map(({ id }) => id),
    blocks: Math.max(first.blocks, later.blocks)
  }
})

layer(stores)("what came late for one request of a vault", (it) => {
  it.effect("is found among thousands of deposits of others, and thousands of dust", () =>
    Effect.gen(function* () {
      const vault = yield* Stored.vault()
      const { record } = yield* Transfers
      const told = Rows.aTransfer(vault, { ...again, candidatePids: ["pr_told"] })
      const other = Rows.aTransfer(vault, { ...again, candidatePids: ["pr_other"] })
      const small = Rows.aTransfer(vault, { ...dust, candidatePids: ["pr_told"] })
      for (const each of [told, other, small]) yield* record(each)
      for (const [{ id }, name] of [
        [other, "others"],
        [small, "dust"]
      ] as const) {
        yield* copies("transfer", id, {
          id: Numbered.inSql(name),
          account_id: account,
          tx_hash: `'\\x02'::bytea || sha256(('${name}' || n)::bytea)`,
          seen_at: "of.seen_at + n * interval '1 minute'"
        })
      }
      for (const [pid, ids] of [
        ["pr_told", [told.id]],
        ["pr_none", []]
      ] as const) {
        const found = yield* meantFor(vault, pid)
        assert.deepStrictEqual(found.ids, [...ids])
        assert.isAtMost(found.blocks, mostBlocks)
      }
    })
  )
})
