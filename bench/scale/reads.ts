/**
 * Every read of the catalogue, and of every list each filter it takes, with every value that it may have: the catalogue
 * itself says which there are. A filter that nothing is asked of is named as not measured.
 */
import { Effect } from "effect"
import type * as Operation from "../../core/operation/operation.ts"
import { type Name, operations } from "../../core/treasury/operations.ts"
import { callsOf } from "../../core/treasury/treasury.ts"
import { inputs } from "../../test/support/valid-inputs.ts"
import type { Subject } from "./blocks.ts"
import type { Templates } from "./fill/templates.ts"

type Fields = Readonly<Record<string, unknown>>

const paging = ["limit", "cursor"]

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

/** The rows are of the last eighty days. */
const amid: ReadonlyArray<Fields> = [{ since: daysAgo(1) }, { until: daysAgo(40) }]

const ofCustomer = { customerExternalId: "customer-7", customerNamespace: "default" }

/** What a filter is asked for beside its own values: what is rare, what is there a million times, and what is not. */
const furtherOf = (own: Templates): Readonly<Record<string, ReadonlyArray<Fields>>> => ({
  list_audit_log: [
    { subjectId: own.requestId },
    { actor: own.caller.keyId },
    { actor: "system" },
    { actor: "nobody at all" }
  ],
  list_events: [ofCustomer],
  list_api_keys: amid,
  list_proposals: [
    { recipientId: own.recipientId },
    { minAmountUsd: "1", maxAmountUsd: "1.000010" },
    { minAmountUsd: "1000000" }
  ],
  list_wallets: [
    { metadataKey: "rare" },
    { metadataKey: "tier" },
    { metadataKey: "tier", metadataValue: "gold" },
    { search: "customer" },
    { search: "nobody at all" }
  ],
  list_recipients: [{ search: "supplier" }, { search: "nobody at all" }, ...amid],
  list_payment_requests: [
    { minAmountUsd: "1", maxAmountUsd: "1.000010" },
    { minAmountUsd: "1.001" },
    ofCustomer,
    { externalReference: "order-7-x" }
  ],
  list_deposits: [{ minAmountUsd: "1", maxAmountUsd: "1.000100" }, { minAmountUsd: "1.001" }]
})

/** Filters that another one asks for. */
const together: Readonly<Record<string, string>> = {
  metadataValue: "metadataKey",
  customerNamespace: "customerExternalId"
}

/** The values of a field that has only some. */
const literalsOf = (field: unknown): ReadonlyArray<unknown> => {
  const of = field as { readonly literals?: ReadonlyArray<unknown>; readonly schema?: unknown }
  if (of.literals !== undefined) return of.literals
  return of.schema === undefined ? [] : literalsOf(of.schema)
}

/** Sorts that only a provider has, and none is there. */
const notHere = ["discover_tokens"]

const filtersOf = ({ input }: Operation.Any) =>
  Object.keys(input.fields).filter((name) => !paging.includes(name))

/** What is asked for by one filter after the other. */
const filtered = (operation: Operation.Any, own: Templates): ReadonlyArray<Fields> => {
  const valid: Fields = inputs[operation.name as Name](own)
  const one = filtersOf(operation).flatMap((name): ReadonlyArray<Fields> => {
    const literals = literalsOf(operation.input.fields[name])
    if (name === "sort" && notHere.includes(operation.name)) return []
    if (literals.length > 0) return literals.map((value) => ({ [name]: value }))
    if (valid[name] === undefined) return []
    const other = together[name]
    return [{ [name]: valid[name], ...(other === undefined ? {} : { [other]: valid[other] }) }]
  })
  return [...one, ...(furtherOf(own)[operation.name] ?? [])]
}

const isList = ({ input }: Operation.Any) => "limit" in input.fields

/** Fields without which it refuses. */
const needed: Readonly<Record<string, ReadonlyArray<string>>> = {
  get_provisioning_job: ["jobId"],
  get_holdings: ["walletId"],
  discover_tokens: ["chainId"]
}

/** Ids are others at every size, and a filter has one name at all of them. */
const isId = /^(evt_|pr_|[\da-f]{8}-)/u

const told = (fields: Fields) =>
  Object.entries(fields)
    .map(([name, value]) =>
      isId.test(String(value)) ? name : `${name}=${String(value).slice(0, 24)}`
    )
    .join(", ")

const reads = (operations as ReadonlyArray<Operation.Any>).filter(
  ({ sideEffect }) => sideEffect === "read"
)

/** What no figure stands for: a filter that nothing is asked of. */
export const unmeasured = (own: Templates): ReadonlyArray<string> =>
  reads.filter(isList).flatMap((operation) => {
    const asked = new Set(filtered(operation, own).flatMap(Object.keys))
    return filtersOf(operation)
      .filter((name) => !asked.has(name) && !(needed[operation.name] ?? []).includes(name))
      .filter((name) => name !== "sort" || !notHere.includes(operation.name))
      .map((name) => `${operation.name}: ${name}`)
  })

type Ask = (
  input: unknown
) => Effect.Effect<{ readonly nextCursor?: string | null }, unknown, never>

/** Rows of a page, and of those before page 1,000. */
const perPage = 5
const before = 999 * perPage

/** The cursor of page 1,000, where there are so many rows. */
const far = Effect.fnUntraced(function* (ask: Ask, base: Fields) {
  let cursor: string | null | undefined
  for (let read = 0; read < before; read += 99) {
    const limit = Math.min(99, before - read)
    cursor = (yield* ask({ ...base, limit, ...(cursor === undefined ? {} : { cursor }) }))
      .nextCursor
    if (cursor === null || cursor === undefined) return undefined
  }
  return cursor ?? undefined
})

const times = 5

/** Lists that go through what the chain says of wallets: their page 1,000 is that of wallets. */
const alongWallets = ["list_yield_positions", "list_token_spender_grants", "get_holdings"]

/** Lists whose pages have 25 rows at most, none of them from the database. */
const shortPages = ["discover_tokens", "list_yield_markets"]

const only = process.env.BENCH_ONLY

const subjectsOf = Effect.fnUntraced(function* (own: Templates, operation: Operation.Any) {
  const { name } = operation
  if (only !== undefined && !name.includes(only) && !only.includes(name)) return []
  const ask = callsOf(own.caller)[name as "list_wallets"] as unknown as Ask
  const valid = inputs[name as Name](own)
  if (!isList(operation)) return [{ name, work: ask(valid), times }]
  const base = Object.fromEntries((needed[name] ?? []).map((field) => [field, valid[field]]))
  const subjects: Array<Subject<never>> = [
    { name: `${name}, first page`, work: ask(base), times },
    ...(shortPages.includes(name)
      ? []
      : [{ name: `${name}, a page of 100`, work: ask({ ...base, limit: 100 }), times }]),
    ...filtered(operation, own).map((fields) => ({
      name: `${name}, ${told(fields)}`,
      work: ask({ ...base, ...fields }),
      times
    }))
  ]
  if (alongWallets.includes(name)) return subjects
  const cursor = yield* Effect.orElseSucceed(far(ask, base), () => undefined)
  if (cursor !== undefined) {
    subjects.push({
      name: `${name}, page 1,000`,
      work: ask({ ...base, limit: perPage, cursor }),
      times
    })
  }
  return subjects
})

export const subjects = (own: Templates) =>
  Effect.map(
    Effect.forEach(reads, (operation) => subjectsOf(own, operation)),
    (all): ReadonlyArray<Subject<never>> => all.flat()
  )
