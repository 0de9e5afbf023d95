/**
 * Thousands of deliveries to merchants who are away, on a clock of their own: every wait keeps to the
 * schedule, and every attempt is genuine by verifiers that know nothing of ours.
 */

import { Effect } from "effect"
import type { Behaviour } from "../../adapters/memory/webhook-sender.ts"
import { openTreasury, type TestTreasury } from "../../apps/testing/treasury.ts"
import { Deliveries } from "../../core/webhooks/delivery-store.ts"
import { emit } from "../../core/webhooks/emit.ts"
import type { Subscribable } from "../../core/webhooks/endpoint.ts"
import type { Figure, Part } from "../money/part.ts"
import * as Rows from "../support/rows.ts"
import { type Attempted, judged, type Observed } from "./schedule-judge.ts"

interface Merchant {
  readonly url: string
  readonly secret: string
  readonly behaviours: readonly [Behaviour, ...ReadonlyArray<Behaviour>]
  readonly event: Subscribable
}

const away: Behaviour = { _tag: "answers", status: 503 }
const asking = (retryAfterMs: number): Behaviour => ({ ...away, retryAfterMs })

/** Most are plainly away; some ask for another wait, and some hang and so are sent one event alone. */
const plans: ReadonlyArray<Pick<Merchant, "behaviours" | "event">> = [
  ...Array.from({ length: 32 }, () => ({
    behaviours: [away] as const,
    event: "payment_request.paid" as const
  })),
  ...[1000, 45_000, 100_000, 700_000, 5_000_000, 9_000_000_000].map((ms) => ({
    behaviours: [asking(ms)] as const,
    event: "payment_request.paid" as const
  })),
  { behaviours: [{ _tag: "fails", reason: "refused" }], event: "payment_request.paid" },
  { behaviours: [{ _tag: "fails", reason: "tls" }], event: "payment_request.paid" },
  ...Array.from({ length: 4 }, () => ({
    behaviours: [{ _tag: "silent" }] as const,
    event: "payment_request.expired" as const
  })),
  ...[1, 4, 9].map((failures) => ({
    behaviours: [
      away,
      ...Array.from({ length: failures - 1 }, () => away),
      { _tag: "answers", status: 200 } as const
    ] as const,
    event: "payment_request.created" as const
  }))
]

const receivers = plans.filter(({ event }) => event === "payment_request.paid").length

const seedAccounts = async (treasury: TestTreasury): Promise<ReadonlyArray<Merchant>> => {
  const merchants: Array<Merchant> = []
  for (const [at, plan] of plans.entries()) {
    const url = `https://merchant-${at}.example.com/webhooks`
    await treasury.route(url, ...plan.behaviours)
    const standardHeaders = at % 2 === 0
    const wanted = { url, events: [plan.event], standardHeaders }
    const { secret } = await treasury.developer.call.create_merchant_webhook(wanted)
    merchants.push({ ...plan, url, secret: secret as string })
  }
  return merchants
}

const attemptsOf = (treasury: TestTreasury): Promise<ReadonlyArray<Attempted>> => {
  const { accountId } = treasury.developer
  return treasury.operate(
    Effect.gen(function* () {
      const deliveries = yield* Deliveries
      const all: Array<Attempted> = []
      let request: Parameters<typeof deliveries.list>[2] | undefined = { limit: 1000 }
      while (request !== undefined) {
        const { next, rows }: Effect.Success<ReturnType<typeof deliveries.list>> =
          yield* deliveries.list(accountId, {}, request)
        for (const { id } of rows) {
          const found = yield* deliveries.find(accountId, id)
          if (found !== undefined) all.push(found)
        }
        request = next === undefined ? undefined : { limit: 1000, after: next }
      }
      return all
    })
  )
}

/** Everything that was seen of so many deliveries, six days later. */
export const observe = async (deliveries: number, seed = 1): Promise<Observed> => {
  const treasury = await openTreasury({ seed })
  const merchants = await seedAccounts(treasury)
  const { accountId } = treasury.developer
  const tell = (type: Subscribable, n: number) =>
    treasury.operate(
      emit(type, Rows.anEventSubject(accountId, `pr_${type}_${n}`), {
        n,
        note: "caf\u00e9 \u20ac \u2713"
      })
    )
  await tell("payment_request.expired", 0)
  await tell("payment_request.created", 0)
  for (let n = 0; n * receivers < deliveries; n++) await tell("payment_request.paid", n)
  await treasury.advance("6 days")
  const secrets = new Map(merchants.map(({ secret, url }) => [url, secret]))
  const asked = new Map(
    merchants.flatMap(({ behaviours: [first], url }) =>
      first._tag === "answers" ? [[url, first.retryAfterMs ?? 0] as const] : []
    )
  )
  const letters = (await treasury.webhooks()).map(({ at, body, headers, url }) => ({
    url,
    headers,
    body,
    secret: secrets.get(url) ?? "",
    atMs: Date.parse(at)
  }))
  const attempted = await attemptsOf(treasury)
  await treasury.close()
  return { letters, attempted, retryAfterMs: (url) => asked.get(url) ?? 0 }
}

export const part: Part = {
  name: "schedule",
  promise: "retries keep to the schedule, and every attempt is genuine by other verifiers",
  run: async (run): Promise<ReadonlyArray<Figure>> => {
    const observed = await observe(run.times(10_000, 400))
    const { attempts, deliveries, gaps, outOfStep, ratios, standard, ungenuine, unended } =
      judged(observed)
    const percent = (ratio = Number.NaN) => `${((ratio - 1) * 100).toFixed(1)} %`
    return [
      {
        invariant: "I8",
        what: `waits of ${deliveries} deliveries with ${attempts} attempts`,
        seen: `${gaps} waits, ${outOfStep.length} outside ±20 % (${percent(ratios.at(0))} to ${percent(ratios.at(-1))})${outOfStep.slice(0, 3).join("; ")}`,
        holds: gaps > 8 * deliveries && outOfStep.length === 0
      },
      {
        invariant: "I8",
        what: "attempts verified by Node's HMAC, and by standardwebhooks where they carry its headers",
        seen: `${attempts} and ${standard}, ${ungenuine} not genuine`,
        holds: attempts > 0 && standard > 0 && ungenuine === 0
      },
      {
        invariant: "I7",
        what: "deliveries that are not ended after six days, or were tried beyond their ten attempts",
        seen: String(unended),
        holds: unended === 0
      }
    ]
  }
}
