/**
 * What must hold once a world has come to rest: the records agree with the chain, the receivers with the
 * stores, every client with what it was told, and nothing is left undone.
 */
import { DateTime } from "effect"
import { verifyWebhook } from "../../../adapters/receiver/verify.ts"
import { keyOf } from "../../../core/chains/address.ts"
import { waitsMs } from "../../../core/webhooks/delivery.ts"
import { ledgerOf } from "../chain.ts"
import type { Conversation } from "../client.ts"
import type { KeptDelivery } from "../stores.ts"
import type { Arrival, World } from "../world.ts"

const ms = DateTime.toEpochMillis

/** I4: every transfer to a vault stands in the records once, as the chain has it, and sums agree. */
const moneyRules = (world: World) => {
  const vaults = new Map(
    world.stores
      .all("wallets")
      .filter(({ kind }) => kind === "collection")
      .map((wallet) => [keyOf(wallet.chainId, wallet.address).valueOf(), wallet.id])
  )
  const standing = world.stores.all("transfers").filter(({ state }) => state !== "reorged")
  const byLog = Map.groupBy(standing, (each) => `${each.txHash} ${each.logIndex}`)
  for (const [, rows] of byLog)
    if (rows.length > 1) world.bad("I4 a transfer stands in the records twice")
  const received = new Map<string, bigint>()
  for (const payment of ledgerOf(world)) {
    const vaultId = vaults.get(payment.to)
    if (vaultId === undefined || payment.blockNumber <= world.watchedFrom) continue
    received.set(vaultId, (received.get(vaultId) ?? 0n) + payment.amountMicro)
    const row = byLog.get(`${payment.txHash} ${payment.logIndex}`)?.[0]
    if (row === undefined) world.bad("I4 money on the chain is not in the records")
    else if (row.amountMicro !== payment.amountMicro || row.blockNumber !== payment.blockNumber) {
      world.bad("I4 a transfer is not in the records as the chain has it")
    }
  }
  for (const [vaultId, sumMicro] of received) {
    const booked = standing
      .filter((each) => each.vaultId === vaultId)
      .reduce((total, each) => total + each.amountMicro, 0n)
    if (booked !== sumMicro) world.bad("I4 the records of a vault have another sum than the chain")
  }
}

/** One paid event for a paid request, one expired event for an expired one, and no other. */
const eventRules = (world: World) => {
  const told = world.stores.all("events").map(({ pid, type }) => `${type} ${pid}`)
  const count = (line: string) => told.filter((each) => each === line).length
  for (const { pid, status } of world.stores.all("payment requests")) {
    for (const end of ["paid", "expired"]) {
      if (count(`payment_request.${end} ${pid}`) !== (status === end ? 1 : 0)) {
        world.bad(`I7 a request that is ${status} has a wrong number of events ${end}`)
      }
    }
  }
}

/** I7: what is called delivered was answered 2xx by the receiver itself. */
const deliveryRules = (world: World, arrivals: ReadonlyMap<string, ReadonlyArray<Arrival>>) => {
  for (const { delivery } of world.stores.all("deliveries")) {
    const arrived = arrivals.get(`${delivery.url} ${delivery.eventId}`) ?? []
    const isAnswered = arrived.some(
      ({ reply }) => reply._tag === "answered" && reply.status >= 200 && reply.status < 300
    )
    if (delivery.status === "delivered" && !isAnswered) {
      world.bad("I7 called delivered, and no receiver said so")
    }
    if (delivery.status === "pending" || delivery.status === "retrying") {
      world.bad(`I7 a delivery is ${delivery.status} for ever`)
    }
  }
}

const areConsecutive = (numbers: ReadonlyArray<number | null>): boolean =>
  numbers
    .flatMap((each) => each ?? [])
    .sort((one, other) => one - other)
    .every((each, at) => each === at + 1)

/** I8: what a merchant counts by leaves no gap and is given once. */
const numberRules = (world: World) => {
  const sent = world.stores.all("deliveries").map(({ delivery }) => delivery)
  for (const [, deliveries] of Map.groupBy(sent, ({ endpointId }) => endpointId)) {
    if (!areConsecutive(deliveries.map(({ sequence }) => sequence))) {
      world.bad("I8 the deliveries of an endpoint are not numbered one after the other")
    }
  }
  if (sent.some(({ attemptCount, sequence }) => attemptCount > 0 && sequence === null)) {
    world.bad("I8 a delivery was tried without a number")
  }
  const told = world.stores.all("events").filter(({ pid }) => pid !== null)
  for (const [, events] of Map.groupBy(told, ({ pid }) => pid)) {
    if (!areConsecutive(events.map(({ version }) => version ?? 0))) {
      world.bad("I8 the events of a request are not numbered one after the other")
    }
  }
}

/** How much later than its moment a calm process may begin: a webhook sender's deadline and a look. */
const slackMs = 1500

/** I8: gaps within a fifth of the schedule; later only where something went wrong in between. */
const gapRules = (world: World, { attempts, delivery }: KeptDelivery) => {
  attempts.forEach((attempt, at) => {
    if (attempt.n !== at + 1) world.bad("I7 attempts are not numbered one after the other")
    const next = attempts[at + 1]
    const scheduled = waitsMs[at]
    if (next === undefined || scheduled === undefined) return
    const gapMs = ms(next.at) - ms(attempt.at) - attempt.durationMs
    if (gapMs < Math.floor(0.8 * scheduled)) world.bad("I8 an attempt came too early")
    const isCalm = world.isCalm || ms(attempt.at) >= world.healedAtMs
    const askedToWait = attempt.responseStatus === 503
    if (
      isCalm &&
      !askedToWait &&
      gapMs > 1.2 * scheduled + slackMs &&
      isActive(world, delivery.endpointId)
    ) {
      world.bad(`I8 an attempt came too late, after ${gapMs} ms instead of ${scheduled}`)
    }
  })
}

/** With as many deliveries as an endpoint has places none waits; one that fails long has a single place. */
const isActive = (world: World, endpointId: string) => {
  const sent = world.stores
    .all("deliveries")
    .filter(({ delivery }) => delivery.endpointId === endpointId)
  const failed = sent.flatMap(({ attempts }) => attempts.filter(({ error }) => error !== null))
  return sent.length <= (failed.length < 5 ? 4 : 1)
}

/** I8: one event, one body; every parcel verifies at the moment it arrives, and is fresh. */
const signatureRules = (
  world: World,
  arrivals: ReadonlyMap<string, ReadonlyArray<Arrival>>,
  secrets: ReadonlyMap<string, string>
) => {
  for (const arrived of arrivals.values()) {
    if (new Set(arrived.map(({ body }) => body)).size > 1)
      world.bad("I8 an event changed its bytes")
    for (const { atMs, body, headers, url } of arrived) {
      const ageSeconds = Math.floor(atMs / 1000) - Number(headers["svc-webhook-timestamp"])
      if (ageSeconds * 1000 > world.profile.slowest + 1000) {
        world.bad("I8 a parcel carries the timestamp of another attempt")
      }
      const secret = secrets.get(url)
      if (secret === undefined) continue
      try {
        verifyWebhook({ body, headers, secret, nowSeconds: Math.floor(atMs / 1000) })
      } catch (error) {
        world.bad(
          `I8 a webhookRequest does not verify: ${(error as { readonly reason: string }).reason}`
        )
      }
    }
  }
}

const stable = (answer: Conversation["answers"][number]) => {
  const { secret: _, secretAvailable: __, ...rest } = answer
  return JSON.stringify(rest)
}

/** I17: one key, one answer, and the thing it made there once. */
const onceRules = (world: World, conversations: ReadonlyArray<Conversation>) => {
  const made = new Map<string, number>()
  const count = (key: string | null) => {
    if (key !== null) made.set(key, (made.get(key) ?? 0) + 1)
  }
  for (const request of world.stores.all("payment requests")) count(request.externalReference)
  for (const { endpoint } of world.stores.all("webhook endpoints")) count(endpoint.description)
  for (const [, times] of made) if (times > 1) world.bad(`I17 one key made ${times} things`)
  for (const { answers, isOpen, key, operation } of conversations) {
    // A confirmation answers how the proposal stands at that moment, under the same key too.
    if (operation !== "confirm_proposal" && new Set(answers.map(stable)).size > 1)
      world.bad(`I17 ${operation} answered twice, not the same`)
    if (isOpen) world.bad(`I17 ${operation} is never answered`)
    const isMaking = /^create_(payment|checkout|merchant)/u.test(operation)
    if (isMaking && answers.length > 0 && !made.has(key))
      world.bad("I17 answered, and nothing is made")
  }
}

const restRules = (world: World) => {
  if (world.stores.all("tasks").length > 0) world.bad("I3 a task is left undone")
  for (const job of world.stores.all("provisioning jobs")) {
    if (job.status !== "completed") world.bad(`I3 a provisioning job is ${job.status} for ever`)
  }
  for (const { status } of world.stores.all("payment requests")) {
    if (!["paid", "expired", "cancelled"].includes(status)) {
      world.bad(`I3 a payment request is ${status} for ever`)
    }
  }
}

const secretsOf = (world: World, conversations: ReadonlyArray<Conversation>) => {
  const urls = world.stores.all("webhook endpoints")
  return new Map(
    conversations.flatMap(({ answers }) =>
      answers.flatMap(({ id, secret }): ReadonlyArray<readonly [string, string]> => {
        const url = urls.find(({ endpoint }) => endpoint.id === id)?.endpoint.url
        return typeof secret === "string" && url !== undefined ? [[url, secret]] : []
      })
    )
  )
}

/** Judges a world that has come to rest, or should have. */
export const judgeRest = (world: World, conversations: ReadonlyArray<Conversation>): void => {
  const arrivals = Map.groupBy(
    world.arrivals,
    ({ headers, url }) => `${url} ${headers["svc-webhook-id"]}`
  )
  moneyRules(world)
  eventRules(world)
  deliveryRules(world, arrivals)
  for (const kept of world.stores.all("deliveries")) gapRules(world, kept)
  numberRules(world)
  signatureRules(world, arrivals, secretsOf(world, conversations))
  onceRules(world, conversations)
  restRules(world)
}
