/**
 * Every write of the catalogue and what only people do, once each in the order in which all succeed; what matters most again
 * and again.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { asOperator } from "../../apps/cli/operator/as-operator.ts"
import { finish } from "../../core/background/chore.ts"
import type * as Operation from "../../core/operation/operation.ts"
import { changeRole, removePerson } from "../../core/people/change-person.ts"
import { invitePerson } from "../../core/people/invite.ts"
import { updateAccountSettings } from "../../core/people/update-settings.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { chores } from "../../core/treasury/cleanup.ts"
import { type Name, operations, type PeopleName } from "../../core/treasury/operations.ts"
import { callsOf } from "../../core/treasury/treasury.ts"
import { askerOf, type Owner } from "../../test/support/full-account.ts"
import { inputs } from "../../test/support/valid-inputs.ts"
import type { Subject } from "./blocks.ts"
import { asAgent } from "./fill/templates.ts"

type Ask = (input: unknown, options?: unknown) => Effect.Effect<{ readonly proposalId: string }>

/** Where one can be done only before or after others. */
const places: { readonly [At in Name]?: number } = {
  extend_payment_request: -2,
  cancel_payment_request: -1,
  delete_merchant_webhook: 1,
  revoke_api_key: 2
}

const writes = (operations as ReadonlyArray<Operation.Any>)
  .filter(({ sideEffect }) => sideEffect !== "read")
  .map(({ name }) => name as Name)
  .toSorted((one, other) => (places[one] ?? 0) - (places[other] ?? 0))

/** A wallet's token is in one sale at a time: those before it end, and nothing asks for them any more. */
const endSales = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`update sale set state = 'left' where state <> 'left'`
)

/** Disabling leaves what waits to a chore, which is done within a second. */
const tidied = Effect.flatMap(chores, (all) =>
  Effect.forEach(
    all.filter(({ name }) => name.includes("disabled")),
    finish
  )
)

const beforehand: { readonly [At in Name]?: Effect.Effect<unknown, unknown, never> } = {
  propose_swap: endSales as never,
  propose_bridge: endSales as never,
  propose_token_approve: endSales as never,
  enable_merchant_webhook: tidied as never
}

/** What the examples say that is over by now. */
const instead: { readonly [At in Name]?: Readonly<Record<string, unknown>> } = {
  create_api_key: { expiresAt: "2030-01-01T00:00:00Z" }
}

let keys = 0

/** Under an idempotency key of its own, as an agent calls. */
const calling = (own: Owner, name: Name) => {
  const ask = callsOf(askerOf(name, own).caller)[name] as unknown as Ask
  const without = name === "confirm_proposal" ? { waitMs: 0 } : {}
  return Effect.suspend(() =>
    ask(
      { ...inputs[name](own), ...without, ...instead[name] },
      { idempotencyKey: `scale-${++keys}` }
    )
  )
}

/** What costs by what it does is counted by that. */
const recovering = (own: Owner): Subject<never> => {
  const name = "recover_merchant_webhook"
  const sent = (answer: unknown) => (answer as { readonly recovered: number }).recovered
  return {
    name: `${name}, each delivery that it sends again`,
    work: Effect.map(calling(own, name), sent),
    per: "rows"
  }
}

const every = (own: Owner) =>
  writes.map(
    (name): Subject<never> =>
      name === "recover_merchant_webhook"
        ? recovering(own)
        : { name, before: beforehand[name], work: calling(own, name) }
  )

/** What is asked for all day long. */
const often: ReadonlyArray<Name> = [
  "create_checkout_session",
  "create_payment_request",
  "propose_transfer",
  "quote_swap"
]

/** A proposal and its start. */
const through = ["propose_transfer", "propose_swap", "propose_bridge"] as const

const confirming = (own: Owner, name: Name): Subject<never> => {
  let proposed = ""
  const ask = asAgent(own).confirm_proposal as unknown as Ask
  return {
    name: `confirm_proposal of ${name}`,
    before: Effect.andThen(
      beforehand[name] ?? Effect.void,
      Effect.map(calling(own, name), ({ proposalId }) => {
        proposed = proposalId
      })
    ),
    work: Effect.suspend(() => ask({ proposalId: proposed, waitMs: 0 }))
  }
}

const repeated = (own: Owner): Subject<never> => {
  const ask = callsOf(own.caller).create_payment_request as unknown as Ask
  return {
    name: "create_payment_request, asked for again under its key",
    work: ask(inputs.create_payment_request(own), { idempotencyKey: "scale-again" }),
    times: 5
  }
}

/** Once over on an account of little, so that what is counted has its plans. */
export const warmUp = (small: Owner) =>
  Effect.forEach(
    every(small),
    ({ before = Effect.void, work }) => Effect.exit(Effect.andThen(before, work)),
    { discard: true }
  )

/** Of an account beside: it has few people, as every account does but the one whose list has a page 1,000. */
const byOwner = ({ neighbourId }: Owner): ReadonlyArray<Subject<never>> => {
  const grace = { name: "Grace", email: "grace@shop.example.com", role: "viewer" } as const
  const settings = { merchantName: "Corner Shop" }
  let personId = ""
  const invited = Effect.map(asOperator(invitePerson, neighbourId, grace), (person) => {
    personId = person.personId
  })
  const raised = Effect.suspend(() =>
    asOperator(changeRole, neighbourId, { personId, role: "approver" })
  )
  const removed = Effect.suspend(() => asOperator(removePerson, neighbourId, { personId }))
  const works: Readonly<Record<PeopleName, Effect.Effect<unknown, unknown, unknown>>> = {
    invite_person: invited,
    change_role: raised,
    remove_person: removed,
    update_account_settings: asOperator(updateAccountSettings, neighbourId, settings)
  }
  return Object.entries(works).map(([name, work]) => ({
    name,
    work: Effect.flatMap(Atomically, ({ run }) => run(work)) as Subject<never>["work"]
  }))
}

export const subjects = (own: Owner): ReadonlyArray<Subject<never>> => [
  ...often.map((name) => ({
    name: `${name}, again and again`,
    work: calling(own, name),
    times: 5
  })),
  repeated(own),
  ...through.map((name) => confirming(own, name)),
  ...every(own),
  ...byOwner(own)
]
