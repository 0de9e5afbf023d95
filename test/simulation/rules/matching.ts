/**
 * Which request a transfer pays, decided a second time and in another way: by crossing out, from the
 * sentences of the specification and from the rows as they stand, not from what the core has counted.
 */
import { Clock, DateTime, Effect, Layer } from "effect"
import { keyOf } from "../../../core/chains/address.ts"
import type { PaymentRequest } from "../../../core/payments/request.ts"
import type { Transfer } from "../../../core/payments/transfer.ts"
import { Transfers } from "../../../core/payments/transfer-store.ts"
import type { Wired } from "../ports.ts"
import type { Stores } from "../stores.ts"
import { comingFor, signedFor } from "./signed.ts"

const ms = DateTime.toEpochMillis
const dust = 10_000n

/** `paid pr_…`, or why it is a deposit and whom it may have been meant for. */
export const verdictText = (transfer: Transfer, pidOf: (requestId: string) => string) =>
  transfer.requestId === null
    ? `${transfer.settlementIssue} ${[...transfer.candidatePids].sort().join(" ")}`
    : `pays ${pidOf(transfer.requestId)}`

/** What the request still waits for, money on its way counted as come. */
const missing = (stores: Stores, request: PaymentRequest): bigint => {
  let left: bigint = request.amountMicro
  for (const each of stores.all("transfers")) {
    if (each.requestId === request.id && each.state !== "reorged") left -= each.amountMicro
  }
  left -= comingFor(stores, request.id)
  return left > 0n ? left : 0n
}

/** The one paid request that money of this amount can have been meant for a second time. */
const repeatedPid = (stores: Stores, transfer: Transfer, nowMs: number) => {
  const alike = stores
    .all("payment requests")
    .filter(({ amountMicro, status, vaultId }) =>
      [vaultId === transfer.vaultId, amountMicro === transfer.amountMicro, status === "paid"].every(
        Boolean
      )
    )
  const monthAgoMs = nowMs - 30 * 24 * 3_600_000
  const same = alike.filter((each) => each.payerAddress === transfer.payerAddress)
  const fresh = alike.filter((each) => each.paidAt !== null && ms(each.paidAt) >= monthAgoMs)
  return (same.length === 1 ? same : fresh.length === 1 ? fresh : [])[0]?.pid
}

export const verdict = (stores: Stores, transfer: Transfer, nowMs: number): string => {
  const isOurs = stores
    .all("wallets")
    .some(
      ({ accountId, address, chainId }) =>
        accountId === transfer.accountId && keyOf(chainId, address) === transfer.payerAddress
    )
  if (isOurs) return "none "
  const signed = signedFor(stores, transfer)
  if (signed !== undefined) return `pays ${signed.pid}`
  const ofVault = stores
    .all("payment requests")
    .filter((each) => each.vaultId === transfer.vaultId && each.status !== "paid")
  const closed = new Set(["expired", "cancelled"])
  const invited = ofVault.filter(
    (each) => !closed.has(each.status) && ms(transfer.blockTime) <= ms(each.expiresAt)
  )
  const say = (issue: string, meant: ReadonlyArray<PaymentRequest>) =>
    `${issue} ${meant
      .map((each) => each.pid)
      .sort()
      .join(" ")}`
  const fitting = (among: ReadonlyArray<PaymentRequest>) =>
    among.filter((each) => missing(stores, each) === transfer.amountMicro)
  const ifAny = (some: ReadonlyArray<PaymentRequest>, all: ReadonlyArray<PaymentRequest>) =>
    some.length > 0 ? some : all
  switch (invited.length) {
    case 0: {
      const again = repeatedPid(stores, transfer, nowMs)
      if (again !== undefined && fitting(ofVault).length === 0) return `duplicate ${again}`
      if (ofVault.length === 0) return say("none", [])
      return say("late", ofVault.length === 1 ? ofVault : ifAny(fitting(ofVault), ofVault))
    }
    case 1: {
      const [single] = invited as [PaymentRequest]
      const left = missing(stores, single)
      const isDust = transfer.amountMicro < dust && !(left > 0n && left <= transfer.amountMicro)
      return isDust ? say("underpaid", invited) : `pays ${single.pid}`
    }
    default: {
      const equal = fitting(invited)
      return equal.length === 1 ? `pays ${equal[0]?.pid}` : say("ambiguous", ifAny(equal, invited))
    }
  }
}

/** Judges every transfer the moment before it is recorded, when the rows are those it was matched with. */
export const matchWatched = (
  world: { readonly stores: Stores; readonly bad: (line: string) => void },
  below: Wired
): Wired => {
  const pidOf = (requestId: string) =>
    world.stores.get("payment requests", requestId)?.pid ?? requestId
  return Layer.merge(
    below,
    Layer.effect(
      Transfers,
      Effect.map(Transfers, (transfers) => ({
        ...transfers,
        record: (transfer) =>
          Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
            const right = verdict(world.stores, transfer, nowMs)
            return Effect.tap(transfers.record(transfer), ({ outcome }) => {
              const said = verdictText(transfer, pidOf)
              if (outcome !== "known" && said !== right) {
                world.bad(`I5 ${transfer.txHash.slice(-4)} "${said}" where "${right}" is right`)
              }
              return Effect.void
            })
          })
      }))
    ).pipe(Layer.provide(below))
  )
}
