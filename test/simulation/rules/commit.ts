/**
 * What must hold of every single commit: the change, its audit entry, its event and the event's deliveries
 * are in it together, and no row goes a way it may not go.
 */
import { DateTime } from "effect"
import * as ScriptedChain from "../../../adapters/memory/scripted-chain.ts"
import { keyOf } from "../../../core/chains/address.ts"
import type { PaymentRequest } from "../../../core/payments/request.ts"
import type { Transfer } from "../../../core/payments/transfer.ts"
import { ledgerOf } from "../chain.ts"
import { owedForSends } from "../solana/sends.ts"
import type { Commit, KeptDelivery, Rows } from "../stores.ts"
import type { World } from "../world.ts"
import { judgeLateness } from "./lateness.ts"
import { isEarlyRepeat } from "./repeats.ts"
import { comingFor } from "./signed.ts"

const ms = DateTime.toEpochMillis
const dust = 10_000n

type Step<Row> = { readonly before: Row | undefined; readonly after: Row | undefined }

/** Every way a payment request may go. Paid, expired and cancelled are for ever. */
const ways: Readonly<Record<string, ReadonlyArray<string>>> = {
  open: ["processing", "partially_paid", "paid", "expired", "cancelled"],
  processing: ["open", "partially_paid", "paid"],
  partially_paid: ["processing", "paid", "expired"],
  paid: [],
  expired: [],
  cancelled: []
}

const deliveryWays: Readonly<Record<string, ReadonlyArray<string>>> = {
  pending: ["delivered", "retrying", "failed", "gone", "skipped"],
  retrying: ["retrying", "delivered", "failed", "gone", "skipped"],
  delivered: [],
  failed: [],
  gone: [],
  // Under way while its endpoint was removed.
  skipped: ["skipped", "delivered", "failed", "gone"]
}

const sum = (transfers: ReadonlyArray<Transfer>, state: Transfer["state"]) =>
  transfers.reduce((total, each) => (each.state === state ? total + each.amountMicro : total), 0n)

const creditedTo = (world: World, requestId: string) =>
  world.stores.all("transfers").filter((each) => each.requestId === requestId)

/** The status that the credited transfers give, said another way than the core says it. */
const statusOf = (
  request: PaymentRequest,
  credited: ReadonlyArray<Transfer>,
  comingMicro: bigint
) => {
  const final = sum(credited, "final")
  if (final >= request.amountMicro) return "paid"
  if (comingMicro > 0n || credited.some(({ state }) => state === "seen")) return "processing"
  return final > 0n ? "partially_paid" : "open"
}

/** Money that stands in a final block stamped in time, and that the vault got for nobody else. */
const cameInTime = (world: World, request: PaymentRequest) => {
  const ledger = ledgerOf(world)
  const head = world.head
  const creditedLogs = new Map(
    world.stores
      .all("transfers")
      .filter((each) => each.state !== "reorged")
      .map((each) => [`${each.txHash} ${each.logIndex}`, each])
  )
  return ledger.find((payment) => {
    if (payment.to !== keyOf(request.chainId, request.payToAddress)) return false
    if (payment.blockNumber > head - world.profile.confirmations + 1) return false
    if (payment.stampedMs > ms(request.expiresAt)) return false
    // A transfer that is not in the records yet: had it come first, it would have counted.
    return (
      creditedLogs.get(`${payment.txHash} ${payment.logIndex}`) === undefined &&
      payment.amountMicro >= dust &&
      payment.blockNumber > world.watchedFrom
    )
  })
}

const requestRules = (world: World, { before, after }: Step<PaymentRequest>) => {
  if (after === undefined) return world.bad("I6 a payment request was deleted")
  const credited = creditedTo(world, after.id)
  const final = sum(credited, "final")
  if (before !== undefined && before.status !== after.status) {
    if (ways[before.status]?.includes(after.status) !== true) {
      world.bad(`I6 ${before.status} became ${after.status}`)
    }
    if (["cancelled", "expired"].includes(after.status) && comingFor(world.stores, after.id) > 0n) {
      world.bad(`I6 ${after.status} with a signature on its way`)
    }
    if (after.status === "cancelled" && credited.some(({ state }) => state !== "reorged")) {
      world.bad("I6 cancelled with money credited to it")
    }
    if (after.status === "expired") {
      if (credited.some(({ state }) => state === "seen"))
        world.bad("I6 expired with money in flight")
      if (cameInTime(world, after) !== undefined) {
        world.bad("I6 expired while money that came in time was final on the chain")
      }
    }
  }
  if (after.status === "paid" && final < after.amountMicro) {
    world.bad("I6 paid with less final money than was asked")
  }
}

const standingRules = (world: World, request: PaymentRequest) => {
  const credited = creditedTo(world, request.id)
  const isAttempted = credited.length > 0 || comingFor(world.stores, request.id) > 0n
  if (isAttempted && !request.wasAttempted) {
    world.bad("I4 a request says that nothing was ever credited to it, and something is")
  }
  if (["expired", "cancelled"].includes(request.status)) {
    if (credited.some(({ state }) => state !== "reorged")) {
      world.bad(`I6 money is credited to a request that is ${request.status}`)
    }
    return
  }
  const status = statusOf(request, credited, comingFor(world.stores, request.id))
  if (request.status !== status) {
    world.bad(`I6 a request is ${request.status} where its transfers make it ${status}`)
  }
  if (request.receivedMicro !== sum(credited, "final")) {
    world.bad("I4 a request has received another sum than its final transfers")
  }
}

const transferRules = (world: World, { before, after }: Step<Transfer>) => {
  if (after === undefined) return world.bad("I4 a transfer was deleted")
  judgeLateness(world, { before, after })
  const wasDropped = after.state === "reorged" && before?.state !== "reorged"
  if (
    wasDropped &&
    ScriptedChain.find(world.chain).blocks[after.blockNumber]?.hash === after.blockHash
  ) {
    world.bad("I4 a transfer was dropped, and its block stands")
  }
  if (before === undefined) return
  const isSetAside = after.requestId === null && after.settlementIssue === "underpaid"
  const isRevived = before.blockHash !== after.blockHash
  if (before.requestId !== after.requestId && !isSetAside && !isRevived) {
    world.bad("I4 a credited transfer was credited again")
  }
  if (before.state === "final" && after.state !== "final") {
    world.bad("I6 a final transfer is final no more")
  }
}

const deliveryRules = (world: World, { before, after }: Step<KeptDelivery>) => {
  if (after === undefined) return world.bad("I7 a delivery was deleted")
  const { attempts, delivery } = after
  if (delivery.attemptCount !== attempts.length) {
    world.bad(`I7 a delivery counts ${delivery.attemptCount} of ${attempts.length} attempts`)
  }
  if (delivery.attemptCount > delivery.maxAttempts) world.bad("I7 a delivery was tried too often")
  if (before === undefined) return
  const from = before.delivery.status
  if (before.attempts.length !== attempts.length || from !== delivery.status) {
    if (deliveryWays[from]?.includes(delivery.status) !== true) {
      world.bad(`I7 a delivery that was ${from} became ${delivery.status}`)
    }
  }
}

/** What has to be told of a commit, one line for each change: audit entries first, then events. */
const owed = (world: World, commit: Commit) => {
  const entries: Array<string> = []
  const events: Array<string> = []
  for (const { before, after } of commit.of("payment requests")) {
    if (after === undefined) continue
    if (before === undefined) entries.push(`payment_request.created ${after.id}`)
    else if (before.status !== after.status) {
      entries.push(`payment_request.${after.status} ${after.id}`)
    } else if (ms(before.expiresAt) !== ms(after.expiresAt)) {
      entries.push(`payment_request.extended ${after.id}`)
    }
    if (before === undefined && after.checkoutSessionId !== null) {
      events.push(`payment_request.created ${after.pid}`)
    }
    if (before?.status !== after.status && ["paid", "expired"].includes(after.status)) {
      events.push(`payment_request.${after.status} ${after.pid}`)
    }
  }
  for (const { before, after } of commit.of("transfers")) {
    if (after === undefined) continue
    if (before?.blockHash !== after.blockHash) {
      entries.push(`transfer.seen ${after.id}`)
    }
    const [pid, ...others] = after.candidatePids
    const becameFinal = after.state === "final" && before?.state !== "final"
    if (becameFinal && after.settlementIssue === "late" && others.length === 0) {
      if (pid !== undefined && after.amountMicro >= dust) {
        events.push(`payment_request.payment_failed ${pid}`)
      }
    }
    if (becameFinal && after.settlementIssue === "duplicate" && isEarlyRepeat(world, after)) {
      events.push(`payment_request.payment_failed ${pid}`)
    }
  }
  for (const { requestId } of commit.inserted("payments turned down")) {
    const request = world.stores.get("payment requests", requestId)
    events.push(`payment_request.payment_failed ${request?.pid}`)
  }
  for (const wallet of commit.inserted("wallets")) entries.push(`wallet.created ${wallet.id}`)
  for (const job of commit.inserted("provisioning jobs")) {
    entries.push(`provisioning_job.created ${job.id}`)
  }
  for (const { before, after } of commit.of("webhook endpoints")) {
    const id = after?.endpoint.id
    if (before === undefined) entries.push(`merchant_webhook.created ${id}`)
    else if (after?.removedAt !== null) entries.push(`merchant_webhook.deleted ${id}`)
  }
  for (const { before, after } of commit.of("webhook health")) {
    const [wasFailing, isFailing] = [before, after].map(
      (each) => (each?.failingSince ?? null) !== null
    )
    if (wasFailing === isFailing) continue
    const word = isFailing ? "failing" : "healthy"
    entries.push(`merchant_webhook.${word} ${(after ?? before)?.endpointId}`)
  }
  for (const { delivery } of commit.inserted("deliveries")) {
    if (delivery.replayOf !== null) entries.push(`webhook_delivery.replayed ${delivery.replayOf}`)
    else if (delivery.eventType === "webhook.test") {
      entries.push(`merchant_webhook.tested ${delivery.endpointId}`)
    }
  }
  entries.push(...owedForSends(world, commit))
  return { entries: entries.sort(), events: events.sort() }
}

/** Told and not owed: a status passed through within one commit, and an expiry moved to where it was. */
const passing = /^payment_request\.(open|processing|partially_paid|extended) /u

const differ = (told: ReadonlyArray<string>, due: ReadonlyArray<string>) => {
  const rest = [...told]
  const missing = due.filter((each) => {
    const at = rest.indexOf(each)
    if (at >= 0) rest.splice(at, 1)
    return at < 0
  })
  return { missing, extra: rest.filter((each) => !passing.test(each)) }
}

const kind = (line: string | undefined) => line?.split(" ")[0]

const tellingRules = (world: World, commit: Commit) => {
  const { entries, events } = owed(world, commit)
  const audited = commit.inserted("audit").map((each) => `${each.action} ${each.subjectId}`)
  const audit = differ(audited, entries)
  for (const line of audit.missing) world.bad(`I12 no audit entry in the commit of ${kind(line)}`)
  for (const line of audit.extra)
    world.bad(`I12 an audit entry of what did not happen: ${kind(line)}`)
  const written = commit.inserted("events").filter(({ type }) => type !== "webhook.test")
  const told = differ(
    written.map((each) => `${each.type} ${each.pid}`),
    events
  )
  for (const line of told.missing) world.bad(`I7 no event in the commit of ${kind(line)}`)
  for (const line of told.extra) world.bad(`I7 an event of what did not happen: ${kind(line)}`)
  for (const event of written) deliveredToAll(world, commit, event)
}

const deliveredToAll = (world: World, commit: Commit, event: Rows["events"]) => {
  const queued = commit
    .inserted("deliveries")
    .filter(({ delivery }) => delivery.eventId === event.id)
  const wanting = world.stores
    .all("webhook endpoints")
    .filter(
      ({ endpoint, removedAt }) =>
        removedAt === null &&
        endpoint.accountId === event.accountId &&
        endpoint.events.some((type) => type === event.type)
    )
  const missed = wanting.filter(
    ({ endpoint }) => !queued.some(({ delivery }) => delivery.endpointId === endpoint.id)
  )
  if (missed.length > 0) world.bad(`I7 ${event.type} is not queued for everybody who wants it`)
}

/** Judges one commit. */
export const judgeCommit = (world: World, commit: Commit): void => {
  if (!world.isBegun) return
  for (const cursor of commit.inserted("cursors")) world.watchedFrom = cursor.head
  const touched = new Set<string>()
  for (const step of commit.of("transfers")) {
    transferRules(world, step)
    for (const each of [step.before, step.after]) if (each?.requestId) touched.add(each.requestId)
  }
  for (const step of commit.of("payment requests")) {
    requestRules(world, step)
    if (step.after !== undefined) touched.add(step.after.id)
  }
  for (const { after } of commit.of("submissions")) {
    const requestId = after?.submission.purpose.requestId
    if (requestId !== undefined) touched.add(requestId)
  }
  for (const id of touched) {
    const request = world.stores.get("payment requests", id)
    if (request !== undefined) standingRules(world, request)
  }
  for (const step of commit.of("deliveries")) deliveryRules(world, step)
  tellingRules(world, commit)
}
