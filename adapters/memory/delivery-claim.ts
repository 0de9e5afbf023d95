/**
 * How endpoints are held and their deliveries handed out, in memory. What is handed out for the first time
 * gets its endpoint's next number.
 */
import { DateTime } from "effect"
import type { HeldLease } from "../../core/ports/leases.ts"
import * as Numbering from "../../core/timeline/numbering.ts"
import {
  type Deliveries,
  type HeldEndpoint,
  type LeasedDelivery,
  type LeaseRequest,
  minDue
} from "../../core/webhooks/delivery-store.ts"
import type { Endpoint } from "../../core/webhooks/endpoint.ts"
import { definition, dueMs, ms, queueDefinition, type Stored } from "./delivery-table.ts"
import { definition as eventDefinition } from "./events.ts"
import type { Lease } from "./leased-table.ts"
import { countWhile } from "./sorted-rows.ts"
import type { Store } from "./store.ts"
import type { Journal } from "./table.ts"
import { definition as endpointDefinition } from "./webhook-endpoints.ts"
import { definition as healthDefinition } from "./webhook-health.ts"

type Claiming = Pick<Deliveries["Service"], "claim" | "release" | "renew" | "nextDue">

/** Whether an endpoint is there and not disabled. */
export const servedBy = (store: Store) => {
  const endpoints = store.table(endpointDefinition)
  return (endpointId: string): boolean => {
    const kept = endpoints.get(endpointId)
    return kept?.removedAt === null && kept.endpoint.disabledAt === null
  }
}

/** Hands one out under its endpoint's lease, with all that an attempt needs. */
const handing = (store: Store) => {
  const deliveries = store.table(definition)
  const events = store.table(eventDefinition)
  const endpoints = store.table(endpointDefinition)
  const healths = store.table(healthDefinition)
  return (
    journal: Journal,
    kept: Stored,
    sequence: number,
    lease: string,
    now: DateTime.Utc
  ): LeasedDelivery => {
    const delivery = { ...kept.delivery, sequence }
    const { endpoint } = endpoints.get(delivery.endpointId) as { readonly endpoint: Endpoint }
    const { previousSecret, sealedSecret, standardHeaders } = endpoint
    const isInGrace = previousSecret !== null && ms(previousSecret.endsAt) > ms(now)
    const health = healths.get(delivery.endpointId)
    deliveries.replace(journal, { ...kept, delivery })
    return {
      delivery,
      body: events.get(delivery.eventId)?.body ?? "",
      sealedSecrets: [sealedSecret, ...(isInGrace ? [previousSecret.sealed] : [])],
      standardHeaders,
      isAiling: health !== undefined,
      isFailing: (health?.failingSince ?? null) !== null,
      lease
    }
  }
}

/** The queues of endpoints, each there as soon as its endpoint was first held. */
const queuesOf = (store: Store) => {
  const queues = store.table(queueDefinition)
  const endpoints = store.table(endpointDefinition)
  /** What an endpoint of before was sent may be lost. */
  const firstLine = (endpointId: string) => {
    const kept = endpoints.get(endpointId)
    const isOld = kept === undefined || Numbering.isOlder(store.line, kept.endpoint.createdAt)
    return isOld ? 1 : store.line.number
  }
  const of = (endpointId: string) =>
    queues.get(endpointId) ?? {
      endpointId,
      lastSequence: 0,
      line: firstLine(endpointId),
      lease: null
    }
  return {
    of,
    keep: (journal: Journal, queue: ReturnType<typeof of>) =>
      queues.get(queue.endpointId) === undefined
        ? queues.insert(journal, queue)
        : queues.replace(journal, queue),
    /** The one that is held under this lease, and no other. */
    held: ({ id, lease }: HeldLease) => {
      const queue = queues.by("lease", lease)
      return queue?.endpointId === id ? queue : undefined
    }
  }
}

const isOf = (held: ReadonlyArray<HeldEndpoint>, endpointId: string) =>
  held.some(({ id }) => id === endpointId)

const claimingDue = (store: Store): Claiming["claim"] => {
  const healths = store.table(healthDefinition)
  const deliveries = store.table(definition)
  const queues = queuesOf(store)
  const isServed = servedBy(store)
  const handedOut = handing(store)

  /** Those nobody holds, the longest due first; none that more is asked of as held. */
  const free = ({ held, now }: LeaseRequest): ReadonlyArray<string> =>
    [...deliveries.groupNames("waiting")]
      .map((endpointId) => ({ endpointId, first: deliveries.group("waiting", endpointId)[0] }))
      .flatMap(({ endpointId, first }) => {
        const { lease } = queues.of(endpointId)
        const isFree = (lease === null || ms(lease.endsAt) <= ms(now)) && !isOf(held, endpointId)
        const isDue = first !== undefined && dueMs(first) <= ms(now)
        return isDue && isFree && isServed(endpointId) ? [{ endpointId, dueMs: dueMs(first) }] : []
      })
      .sort((one, other) => one.dueMs - other.dueMs || (one.endpointId < other.endpointId ? -1 : 1))
      .map(({ endpointId }) => endpointId)

  const handOut = (
    journal: Journal,
    now: DateTime.Utc,
    { id, inHand, wanted }: Omit<HeldEndpoint, "lease">,
    lease: Lease
  ) => {
    const waiting = deliveries.group("waiting", id)
    const due = waiting.slice(
      0,
      countWhile(waiting, (kept) => dueMs(kept) <= ms(now))
    )
    const ready = due.filter(({ delivery }) => !inHand.includes(delivery.id)).slice(0, wanted)
    let { lastSequence, line } = queues.of(id)
    const next = () => {
      lastSequence = Numbering.after(lastSequence, line, store.line)
      line = store.line.number
      return lastSequence
    }
    const handed = ready.map((kept) =>
      handedOut(journal, kept, kept.delivery.sequence ?? next(), lease.id, now)
    )
    if (handed.length > 0) queues.keep(journal, { endpointId: id, lastSequence, line, lease })
    return handed
  }

  /** A part of those that are free, and so many as have `minDue` deliveries together. */
  const takenOf = (
    all: ReadonlyArray<string>,
    { maxPerEndpoint, most, now, part }: LeaseRequest
  ) => {
    let count = 0
    for (let due = 0; due < minDue && count < all.length; count++) {
      const first = deliveries.group("waiting", all[count] ?? "").slice(0, maxPerEndpoint)
      due += countWhile(first, (kept) => dueMs(kept) <= ms(now))
    }
    return all.slice(0, Math.min(most, Math.max(count, Math.ceil(all.length * part))))
  }

  return (request) =>
    store.write((journal) => {
      const { leaseMs, maxPerEndpoint, maxWhileFailing, now } = request
      const taken = takenOf(free(request), request)
      const again = request.held.flatMap((each) => {
        const queue = queues.held(each)
        const lease = queue?.lease ?? null
        if (queue === undefined || lease === null) return []
        const handed = isServed(each.id) ? handOut(journal, now, each, lease) : []
        if (handed.length + each.inHand.length === 0)
          queues.keep(journal, { ...queue, lease: null })
        return handed
      })
      const first = taken.flatMap((id) => {
        const isFailing = (healths.get(id)?.failingSince ?? null) !== null
        const wanted = isFailing ? maxWhileFailing : maxPerEndpoint
        const endsAt = DateTime.add(now, { milliseconds: leaseMs })
        const lease = { id: `lease-${store.next("lease")}`, endsAt }
        return handOut(journal, now, { id, inHand: [], wanted }, lease)
      })
      const dueAt = ({ delivery }: LeasedDelivery) => ms(delivery.nextAttemptAt ?? now)
      return [...again, ...first].sort((one, other) => dueAt(one) - dueAt(other))
    })
}

export const claiming = (store: Store): Claiming => {
  const deliveries = store.table(definition)
  const queues = queuesOf(store)
  const isServed = servedBy(store)
  return {
    claim: claimingDue(store),

    release: (held) =>
      store.write((journal) => {
        for (const each of held) {
          const queue = queues.held(each)
          if (queue !== undefined) queues.keep(journal, { ...queue, lease: null })
        }
      }),

    renew: ({ held, leaseMs, now }) =>
      store.write((journal) =>
        held.flatMap((each) => {
          const queue = queues.held(each)
          if (queue === undefined) return []
          const endsAt = DateTime.add(now, { milliseconds: leaseMs })
          queues.keep(journal, { ...queue, lease: { id: each.lease, endsAt } })
          return [each.lease]
        })
      ),

    nextDue: (claimedAt, held = []) =>
      store.read(() => {
        const leases = new Set(held.map(({ lease }) => lease))
        const inHand = new Set(held.flatMap((each) => each.inHand))
        const soonest = [...deliveries.groupNames("waiting")].filter(isServed).flatMap((id) => {
          const { lease } = queues.of(id)
          const isTheirs = lease !== null && !leases.has(lease.id)
          const fromMs = isTheirs ? ms(lease.endsAt) : 0
          const first = deliveries
            .group("waiting", id)
            .find(
              (kept) =>
                !inHand.has(kept.delivery.id) && Math.max(dueMs(kept), fromMs) > ms(claimedAt)
            )
          return first === undefined ? [] : [Math.max(dueMs(first), fromMs)]
        })
        return soonest.length === 0 ? undefined : DateTime.makeUnsafe(Math.min(...soonest))
      })
  }
}
