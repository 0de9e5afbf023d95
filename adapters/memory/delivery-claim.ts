/**
 * How deliveries are taken in turn, in memory. Of each endpoint no more are handed out than it has places,
 * and what is handed out for the first time gets its endpoint's next number.
 */
import { DateTime } from "effect"
import type { Claim, Claimed, Deliveries } from "../../core/webhooks/delivery-store.ts"
import type { Endpoint } from "../../core/webhooks/endpoint.ts"
import { definition, dueMs, type Kept, leaseEndMs, ms } from "./delivery-table.ts"
import { definition as eventDefinition } from "./events.ts"
import { leaseFrom, renewing } from "./leases.ts"
import { countWhile } from "./sorted-rows.ts"
import type { Store } from "./store.ts"
import { define, type Journal } from "./table.ts"
import { definition as endpointDefinition } from "./webhook-endpoints.ts"
import { definition as healthDefinition } from "./webhook-health.ts"

const sequenceDefinition = define<{ readonly endpointId: string; readonly last: number }>()({
  name: "webhook sequences",
  key: ({ endpointId }) => endpointId
})

/** What one endpoint may be sent now: as many as it has places, the longest due first. */
const claimable = (
  waiting: ReadonlyArray<Kept>,
  leased: ReadonlyArray<Kept>,
  { most, now }: Claim,
  maxAtWork: number
): ReadonlyArray<Kept> => {
  const ended = countWhile(leased, (kept) => leaseEndMs(kept) <= ms(now))
  const places = Math.min(most, maxAtWork - (leased.length - ended))
  if (places <= 0) return []
  const due = countWhile(waiting, (kept) => dueMs(kept) <= ms(now))
  return [...leased.slice(0, ended), ...waiting.slice(0, Math.min(due, places))]
    .sort((a, b) => dueMs(a) - dueMs(b))
    .slice(0, places)
}

const soonest = (dueAtMs: ReadonlyArray<number>): DateTime.Utc | undefined =>
  dueAtMs.length === 0 ? undefined : DateTime.makeUnsafe(Math.min(...dueAtMs))

/** Whether an endpoint is there and not disabled. */
export const servedBy = (store: Store) => {
  const endpoints = store.table(endpointDefinition)
  return (endpointId: string): boolean => {
    const kept = endpoints.get(endpointId)
    return kept?.removedAt === null && kept.endpoint.disabledAt === null
  }
}

/** Hands one out under a lease, with all that an attempt needs. */
const handing = (store: Store) => {
  const deliveries = store.table(definition)
  const events = store.table(eventDefinition)
  const endpoints = store.table(endpointDefinition)
  const healths = store.table(healthDefinition)
  const sequences = store.table(sequenceDefinition)
  const nextSequence = (journal: Journal, endpointId: string): number => {
    const before = sequences.get(endpointId)
    const last = (before?.last ?? 0) + 1
    if (before === undefined) sequences.insert(journal, { endpointId, last })
    else sequences.replace(journal, { endpointId, last })
    return last
  }
  const handedOut = (journal: Journal, kept: Kept, claim: Claim): Claimed => {
    const { endpointId, sequence } = kept.delivery
    const delivery = {
      ...kept.delivery,
      sequence: sequence ?? nextSequence(journal, endpointId)
    }
    const lease = `lease-${store.next("lease")}`
    const { endpoint } = endpoints.get(endpointId) as { readonly endpoint: Endpoint }
    const { previousSecret, sealedSecret, standardHeaders } = endpoint
    const isInGrace = previousSecret !== null && ms(previousSecret.endsAt) > ms(claim.now)
    deliveries.replace(journal, {
      ...kept,
      delivery,
      lease: leaseFrom(lease, claim.now, claim.leaseMs)
    })
    return {
      delivery,
      body: events.get(delivery.eventId)?.body ?? "",
      sealedSecrets: [sealedSecret, ...(isInGrace ? [previousSecret.sealed] : [])],
      standardHeaders,
      isAiling: healths.get(endpointId) !== undefined,
      lease
    }
  }
  return handedOut
}

export const claiming = (
  store: Store
): Pick<Deliveries["Service"], "claim" | "renew" | "nextDue"> => {
  const deliveries = store.table(definition)
  const healths = store.table(healthDefinition)
  const isServed = servedBy(store)
  const handedOut = handing(store)
  /** Endpoints that deliveries wait for or are at work for, and that may be sent them. */
  const busyEndpoints = () =>
    [...new Set([...deliveries.groupNames("waiting"), ...deliveries.groupNames("leased")])].filter(
      isServed
    )
  const maxAtWork = (endpointId: string, claim: Claim) =>
    (healths.get(endpointId)?.failingSince ?? null) === null
      ? claim.maxPerEndpoint
      : claim.maxWhileFailing
  return {
    claim: (claim) =>
      store.write((journal) =>
        busyEndpoints()
          .flatMap((endpointId) =>
            claimable(
              deliveries.group("waiting", endpointId),
              deliveries.group("leased", endpointId),
              claim,
              maxAtWork(endpointId, claim)
            )
          )
          .sort((a, b) => dueMs(a) - dueMs(b))
          .slice(0, claim.most)
          .map((kept) => handedOut(journal, kept, claim))
      ),
    renew: renewing(store, deliveries),
    nextDue: () =>
      store.read(() => {
        const due = busyEndpoints().flatMap((endpointId) => [
          ...deliveries.group("waiting", endpointId).slice(0, 1).map(dueMs),
          ...deliveries.group("leased", endpointId).slice(0, 1).map(leaseEndMs)
        ])
        return soonest(due)
      })
  }
}
