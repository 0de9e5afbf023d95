/** Every write of the catalogue, once each in the order in which all succeed; what matters most again and again. */
import { Effect } from "effect"
import type * as Operation from "../../core/operation/operation.ts"
import { type Name, operations } from "../../core/treasury/operations.ts"
import { callsOf } from "../../core/treasury/treasury.ts"
import { askerOf, type Owner } from "../../test/support/full-account.ts"
import { inputs } from "../../test/support/valid-inputs.ts"
import type { Subject } from "./blocks.ts"
import { asAgent } from "./fill/templates.ts"

type Ask = (input: unknown, options?: unknown) => Effect.Effect<{ readonly proposalId: string }>

const writes = (operations as ReadonlyArray<Operation.Any>)
  .filter(({ sideEffect }) => sideEffect !== "read")
  .map(({ name }) => name as Name)

let keys = 0

/** Under an idempotency key of its own, as an agent calls. */
const calling = (own: Owner, name: Name) => {
  const ask = callsOf(askerOf(name, own).caller)[name] as unknown as Ask
  const without = name === "confirm_proposal" ? { waitMs: 0 } : {}
  return Effect.suspend(() =>
    ask({ ...inputs[name](own), ...without }, { idempotencyKey: `scale-${++keys}` })
  )
}

const every = (own: Owner) =>
  writes.map((name): Subject<never> => ({ name, work: calling(own, name) }))

/** What is asked for all day long. */
const often: ReadonlyArray<Name> = [
  "create_checkout_session",
  "create_payment_request",
  "propose_transfer",
  "quote_swap"
]

/** A proposal and its start. */
const through = ["propose_transfer", "propose_swap", "propose_bridge"] as const

const confirming = (own: Owner, name: Name): Subject<never> => ({
  name: `confirm_proposal of ${name}`,
  work: Effect.flatMap(calling(own, name), ({ proposalId }) =>
    (asAgent(own).confirm_proposal as unknown as Ask)({ proposalId, waitMs: 0 })
  )
})

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
  Effect.forEach(every(small), ({ work }) => Effect.exit(work), { discard: true })

export const subjects = (own: Owner): ReadonlyArray<Subject<never>> => [
  ...often.map((name) => ({
    name: `${name}, again and again`,
    work: calling(own, name),
    times: 5
  })),
  repeated(own),
  ...through.map((name) => confirming(own, name)),
  ...every(own)
]
