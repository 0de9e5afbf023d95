/** The account that is measured: one of everything by the product's own calls, from which the rest is copied. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { callsOf } from "../../../core/treasury/treasury.ts"
import { type Owner, owner } from "../../../test/support/full-account.ts"
import { inputs } from "../../../test/support/valid-inputs.ts"

/** What was proposed and confirmed, and executes now. */
const executed = ["propose_transfer", "propose_swap", "propose_bridge"] as const

/** Two rows of a list are never of the same millisecond. */
const tick = Effect.sleep(2)

export interface Templates extends Owner {
  /** By the name of the operation that proposed. */
  readonly executing: Readonly<Record<(typeof executed)[number], string>>
}

/** As an agent of the account, who needs no passkey. */
export const asAgent = ({ caller }: Pick<Owner, "caller">) => callsOf({ ...caller, kind: "agent" })

export const templates = Effect.gen(function* () {
  const big = yield* owner("user_42", tick)
  const calls = callsOf(big.caller)
  const executing = yield* Effect.forEach(executed, (name) =>
    Effect.gen(function* () {
      const { proposalId } = yield* (
        calls[name] as unknown as (input: unknown) => Effect.Effect<{ proposalId: string }>
      )(inputs[name](big))
      yield* asAgent(big).confirm_proposal({ proposalId, waitMs: 0 })
      yield* tick
      return [name, proposalId] as const
    })
  )
  yield* calls.propose_transfer(inputs.propose_transfer(big) as never, { idempotencyKey: "kept" })
  const sql = yield* SqlClient.SqlClient
  // Who paid for an agent's account has others; here it is the account itself that is asked about.
  yield* sql`update account set funding_chain_id = 'local', funding_address = ${`0x${"0f".repeat(20)}`}
    where id = ${big.caller.accountId}`
  yield* sql`insert into human (id, account_id, name, email, role, created_at, joined_at)
    values ('0198c7a0-0000-7000-8000-000000000001', ${big.caller.accountId}, 'Ada', 'ada@shop.example.com',
      'owner', now(), now())`
  return { ...big, executing: Object.fromEntries(executing) } as unknown as Templates
})
