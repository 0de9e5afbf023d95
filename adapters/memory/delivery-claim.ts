/**
 * How deliveries are taken in turn, in memory. Of each endpoint no more are handed out than it has places,
 * and what is handed out for the first time gets its endpoint's next number.
 */
import type {
  Deliveries,
  LeasedDelivery,
  LeaseRequest
} from "../../core/webhooks/delivery-store.ts"
import type { Endpoint } from "../../core/webhooks/endpoint.ts"
import { definition, ms, queue, type Stored } from "./delivery-table.ts"
import { definition as eventDefinition } from "./events.ts"
import { type Lease, leased } from "./leased-table.ts"
import type { Store } from "./store.ts"
import { define, type Journal } from "./table.ts"
import { definition as endpointDefinition } from "./webhook-endpoints.ts"
import { definition as healthDefinition } from "./webhook-health.ts"

const sequenceDefinition = define<{ readonly endpointId: string; readonly last: number }>()({
  name: "webhook sequences",
  key: ({ endpointId }) => endpointId
})

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
  return (
    journal: Journal,
    kept: Stored & { readonly lease: Lease },
    claim: LeaseRequest
  ): LeasedDelivery => {
    const { endpointId, sequence } = kept.delivery
    const delivery = {
      ...kept.delivery,
      sequence: sequence ?? nextSequence(journal, endpointId)
    }
    const { endpoint } = endpoints.get(endpointId) as { readonly endpoint: Endpoint }
    const { previousSecret, sealedSecret, standardHeaders } = endpoint
    const isInGrace = previousSecret !== null && ms(previousSecret.endsAt) > ms(claim.now)
    deliveries.replace(journal, { ...kept, delivery })
    return {
      delivery,
      body: events.get(delivery.eventId)?.body ?? "",
      sealedSecrets: [sealedSecret, ...(isInGrace ? [previousSecret.sealed] : [])],
      standardHeaders,
      isAiling: healths.get(endpointId) !== undefined,
      lease: kept.lease.id
    }
  }
}

export const claiming = (
  store: Store
): Pick<Deliveries["Service"], "claim" | "renew" | "nextDue"> => {
  const healths = store.table(healthDefinition)
  const deliveries = leased(store, store.table(definition), queue, servedBy(store))
  const handedOut = handing(store)
  const placesOf = (claim: LeaseRequest) => (endpointId: string) =>
    (healths.get(endpointId)?.failingSince ?? null) === null
      ? claim.maxPerEndpoint
      : claim.maxWhileFailing
  return {
    claim: (claim) =>
      store.write((journal) =>
        deliveries
          .take(journal, claim, placesOf(claim))
          .map((kept) => handedOut(journal, kept, claim))
      ),
    renew: deliveries.renew,
    nextDue: deliveries.nextDue
  }
}
