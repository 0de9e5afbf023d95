/**
 * Writes an event and a delivery for every endpoint that wants it, in the transaction of the change it tells of: the
 * event exists if and only if the change does. Workers hear of it after the commit. A test event goes to one endpoint.
 */
import { DateTime, Effect, type Schema } from "effect"
import { record } from "../audit/record.ts"
import type { Notice } from "../notices/notice.ts"
import { byScope } from "../operation/authority.ts"
import { Caller } from "../operation/caller.ts"
import { Deployment } from "../operation/deployment.ts"
import * as Operation from "../operation/operation.ts"
import { NotFound } from "../operation/refusal.ts"
import { Atomically } from "../ports/atomically.ts"
import { Ids } from "../ports/ids.ts"
import { Notifier } from "../ports/notifier.ts"
import { askTogether } from "../ports/together.ts"
import { Identity } from "../timeline/identity.ts"
import type { Delivery } from "./delivery.ts"
import { Deliveries, Events, type Numbered } from "./delivery-store.ts"
import * as Endpoint from "./endpoint.ts"
import { WebhookEndpoints } from "./endpoint-store.ts"
import { apiVersion, type Event, factsOf, idOf } from "./event.ts"
import * as Find from "./find.ts"
import { findEndpoint } from "./find.ts"

/** A new delivery of an event: due at once, or `skipped` while its endpoint is disabled. */
export const deliveryTo = Effect.fnUntraced(function* (
  endpoint: Endpoint.Endpoint,
  event: Pick<Event, "id" | "accountId" | "type">,
  replayOf: string | null = null
) {
  const now = yield* DateTime.now
  const disabled = endpoint.disabledAt !== null
  const delivery: Delivery = {
    id: yield* (yield* Ids).uuid,
    accountId: event.accountId,
    eventId: event.id,
    eventType: event.type,
    endpointId: endpoint.id,
    url: endpoint.url,
    status: disabled ? "skipped" : "pending",
    attemptCount: 0,
    maxAttempts: endpoint.maxAttempts,
    nextAttemptAt: disabled ? null : now,
    lastResponseStatus: null,
    lastError: null,
    createdAt: now,
    deliveredAt: null,
    replayOf,
    sequence: null
  }
  return delivery
})

/** Queues deliveries and wakes the workers once the transaction has committed. */
export const enqueue = Effect.fnUntraced(function* (deliveries: ReadonlyArray<Delivery>) {
  if (deliveries.length === 0) return
  yield* (yield* Deliveries).enqueue(deliveries)
  yield* (yield* Atomically).afterCommit((yield* Notifier).signal("deliveries"))
})

type Written = Pick<Event, "accountId" | "object" | "type" | "pid" | "vaultId"> & {
  /** What it tells, by names that outlive the records; null for what is told for its own sake. */
  readonly about: ReadonlyArray<string> | null
  /** When the request that it tells of was made. */
  readonly madeAt: DateTime.Utc | null
  readonly data: Schema.JsonObject
}

/** The id of an event that follows from what it tells; another one each time for what is told for its own sake. */
const idFor = Effect.fnUntraced(function* (wanted: Written, nth: number) {
  const { about, object } = wanted
  if (about === null) return `evt_${yield* (yield* Ids).base62(24)}`
  return idOf(object, (yield* Identity).derive(factsOf(wanted, about, nth)))
})

/** An event as it is written; its body is fixed here and sent as it stands from now on. */
const eventOf = Effect.fnUntraced(function* (wanted: Written, version: number | null, nth: number) {
  const { accountId, data, object, pid, type, vaultId } = wanted
  const { livemode } = yield* Deployment
  const createdAt = yield* DateTime.now
  const id = yield* idFor(wanted, nth)
  const envelope = {
    id,
    object,
    type,
    created: Math.floor(DateTime.toEpochMillis(createdAt) / 1000),
    livemode,
    api_version: apiVersion,
    data: version === null ? { object: data } : { object: data, version }
  }
  const body = JSON.stringify(envelope)
  const event: Event = { id, accountId, object, type, pid, vaultId, version, body, createdAt }
  return event
})

const numberedOf = ({ accountId, madeAt, pid }: Written): ReadonlyArray<Numbered> =>
  pid === null || madeAt === null ? [] : [{ accountId, pid, madeAt }]

/** Of each the version it has; null for what is of no request. */
const versionsOf = Effect.fnUntraced(function* (all: ReadonlyArray<Written>) {
  const numbered = all.map(numberedOf)
  const asked = numbered.flat()
  const versions = asked.length === 0 ? [] : yield* (yield* Events).nextVersions(asked)
  let at = 0
  return numbered.map((each) => (each.length === 0 ? null : (versions[at++] ?? null)))
})

/** Writes events, no two of them of the same request. */
const writeAll = Effect.fnUntraced(function* (all: ReadonlyArray<Written>) {
  const { append } = yield* Events
  const versions = yield* versionsOf(all)
  const written: Array<Event> = []
  let open = all.map((wanted, at) => ({ wanted, version: versions[at] ?? null }))
  // What happens a second time is another event.
  for (let nth = 1; open.length > 0; nth++) {
    const events = yield* Effect.forEach(open, ({ version, wanted }) =>
      eventOf(wanted, version, nth)
    )
    const ids = yield* append(events)
    const isWritten = (at: number) => ids.has(events[at]?.id ?? "")
    written.push(...events.filter((_, at) => isWritten(at)))
    open = open.filter((_, at) => !isWritten(at))
  }
  return written
})

const write = (wanted: Written) => Effect.map(writeAll([wanted]), ([event]) => event as Event)

const deliveriesOf = (event: Event, endpoints: ReadonlyArray<Endpoint.Endpoint>) =>
  Effect.forEach(endpoints, (endpoint) => deliveryTo(endpoint, event))

const toAll = (event: Event, endpoints: ReadonlyArray<Endpoint.Endpoint>) =>
  Effect.flatMap(deliveriesOf(event, endpoints), enqueue)

/** A payment request, and what happened to it by names that outlive the records, beside the type of the event. */
export interface Subject {
  readonly accountId: string
  readonly pid: string
  readonly vaultId: string | null
  readonly madeAt: DateTime.Utc
  readonly about: ReadonlyArray<string>
}

/** A change of a request, and what is told of it. */
export interface Change {
  readonly subject: Subject
  readonly data: Schema.JsonObject
}

/** Tells every subscribed endpoint of a change of each of several requests. */
export const emitAll = Effect.fnUntraced(function* (
  type: Endpoint.Subscribable,
  changes: ReadonlyArray<Change>
) {
  const events = yield* writeAll(
    changes.map(({ data, subject: { about, ...subject } }) => ({
      ...subject,
      object: "event" as const,
      type,
      data,
      about: [subject.pid, ...about]
    }))
  )
  const { subscribed } = yield* WebhookEndpoints
  const ofAccounts = [...Map.groupBy(events, (event) => event.accountId)]
  const endpoints = yield* askTogether(ofAccounts.map(([accountId]) => subscribed(accountId, type)))
  const deliveries: Array<Delivery> = []
  for (const [at, [, theirs]] of ofAccounts.entries()) {
    for (const event of theirs)
      deliveries.push(...(yield* deliveriesOf(event, endpoints[at] ?? [])))
  }
  yield* enqueue(deliveries)
  return events
})

/** Tells every subscribed endpoint of a change. */
export const emit = (type: Endpoint.Subscribable, subject: Subject, data: Schema.JsonObject) =>
  Effect.map(emitAll(type, [{ subject, data }]), ([event]) => event as Event)

/** Tells the endpoints that asked for it of a notice; where none did, nothing is written. */
export const emitNotice = Effect.fnUntraced(function* (notice: Notice) {
  const { accountId, id, path, subject, summary, type } = notice
  const endpoints = yield* (yield* WebhookEndpoints).subscribed(accountId, type)
  if (endpoints.length === 0) return
  const { siteUrl } = yield* Deployment
  const data = { noticeId: id, subject, summary, url: `${siteUrl}${path}` }
  const of = { pid: null, vaultId: null, madeAt: null }
  const told = { accountId, object: "notice" as const, type, ...of, data }
  yield* toAll(yield* write({ ...told, about: [subject] }), endpoints)
})

/** Sends a `webhook.test` event to one endpoint, whatever it subscribed to. */
export const sendMerchantWebhookTest = Operation.make("send_merchant_webhook_test", {
  summary: "Sends a signed webhook.test event to one endpoint at once and returns its delivery.",
  next: "get_webhook_delivery with the returned id shows the result.",
  scope: "payment_requests:write",
  sideEffect: "write",
  authority: byScope,
  input: { id: Endpoint.EndpointId },
  output: Find.fields,
  refusals: [NotFound],
  handle: Effect.fnUntraced(function* ({ id }) {
    const endpoint = yield* findEndpoint(id)
    const event = yield* write({
      accountId: endpoint.accountId,
      object: "event",
      type: "webhook.test",
      pid: null,
      vaultId: null,
      about: null,
      madeAt: null,
      data: {
        message: "This is a test event. If you verified its signature, you are ready.",
        endpointId: endpoint.id
      }
    })
    const delivery = yield* deliveryTo(endpoint, event)
    yield* enqueue([delivery])
    yield* record({
      accountId: endpoint.accountId,
      actor: (yield* Caller).keyId,
      action: "merchant_webhook.tested",
      subjectType: "merchant_webhook",
      subjectId: endpoint.id
    })
    return delivery
  })
})
