/**
 * Charges what wallets have paid and no record explains, with what carrying it cost, and closes the days of which not all
 * trades are known, a page of wallets at a time. Where it stands is in the records' line, and what a page comes to is
 * written with it: whoever goes on, after whatever failure, does no page twice.
 */
import { Clock, DateTime, Effect, Ref, Schema } from "effect"
import { type AddressKey, keyOf } from "../chains/address.ts"
import * as Usdc from "../money/usdc.ts"
import { windowsAt } from "../policy/limits.ts"
import type { Charge as OutlayCharge } from "../policy/outlay-ledger.ts"
import { type Charge, Spending } from "../policy/spending-ledger.ts"
import { Atomically } from "../ports/atomically.ts"
import type { Connected } from "../ports/chains.ts"
import { type ClosedDay, Sales } from "../sales/sale-store.ts"
import { SubmissionStore } from "../submissions/submission-store.ts"
import {
  learnForgotten,
  type MadePayment,
  madeBy,
  type Reach,
  type Through
} from "../submissions/submitter.ts"
import { type Held, type Line, Reading, Timeline } from "../timeline/timeline.ts"
import { standingIn } from "../wallets/reconcile.ts"
import type { Wallet } from "../wallets/wallet.ts"
import { Wallets } from "../wallets/wallet-store.ts"
import { unknownDays } from "./close-days.ts"
import { chargeForgotten, forgottenOutlay } from "./forgotten-outlay.ts"
import {
  change,
  type HeldLine,
  isReadBy,
  keepRenewed,
  leftAloneMs,
  take,
  withRenewal
} from "./reading-lease.ts"

/** As many wallets as a node takes in one question. */
export const walletsAtOnce = 50

/** Who reads. */
export interface Reader {
  readonly readerId: string
  /** Whether its lease outlasts a page that takes long: not that of a process that a chain has just not answered. */
  readonly renews: boolean
}

/** What was found on a page, and what the line says before and after it. */
interface Page {
  readonly chainId: string
  readonly charges: ReadonlyArray<Charge>
  /** Of one day. */
  readonly outlay: ReadonlyArray<OutlayCharge>
  readonly days: ReadonlyArray<ClosedDay>
  readonly from: Reading
  readonly to: Reading
  readonly readerId: string
}

/** The payments of a wallet that may count: in a window from now on, of USDC, and paid to somebody. */
const counting = (made: ReadonlyArray<MadePayment>, usdc: string, month: string) =>
  made.flatMap(({ at, identity, isBurn, paid }) => {
    // What is burnt arrives at a wallet of the account's own, which no cap bounds.
    const isCounted = paid !== null && isBurn !== true && paid.amount.token.address === usdc
    return isCounted && windowsAt(at).month >= month ? [{ at, identity, paid }] : []
  })

/** What one wallet has made and the records do not explain. */
const unexplainedOf = Effect.fnUntraced(function* (
  { address, chainId }: Wallet,
  made: ReadonlyArray<MadePayment>
) {
  if (made.length === 0) return []
  const recorded = yield* (yield* SubmissionStore).identitiesOf(chainId, keyOf(chainId, address))
  const standing = standingIn(recorded)
  return made.filter(({ identity }) => standing(identity) !== undefined)
})

/** What a wallet has paid so: nothing to wallets of its account, which no cap bounds. */
const chargesOf = Effect.fnUntraced(function* (
  { accountId, chainId }: Wallet,
  payments: ReturnType<typeof counting>
) {
  const wallets = yield* Wallets
  const charges: Array<Charge> = []
  for (const { at, identity, paid } of payments) {
    const { amount, to } = paid
    if ((yield* wallets.ownerOf(chainId, to)) === accountId) continue
    const amountMicro = Usdc.toUsd(Usdc.make(amount.units))
    charges.push({ accountId, chainId, identity, to, amountMicro, windows: windowsAt(at), at })
  }
  return charges
})

/** Nothing counts from before the month of the line's begin, and no wallet has paid before it was opened. */
const reachOf = (page: ReadonlyArray<Wallet>, through: Through, begun: DateTime.Utc): Reach => {
  const paidSince = DateTime.startOf(begun, "month")
  // One that was opened since then may be older: records that forgot it have opened it anew.
  const opened = page.map(({ createdAt }) => createdAt)
  const oldest = opened.reduce((one, other) => DateTime.min(one, other), begun)
  return { through, paidSince, keptSince: DateTime.max(paidSince, oldest) }
}

/** What a page of wallets has paid, and the days whose trades it leaves unknown; linear in what left the wallets. */
const foundOn = Effect.fnUntraced(function* (
  connected: Connected,
  page: ReadonlyArray<Wallet>,
  through: Through,
  { begun, fenced }: { readonly begun: DateTime.Utc; readonly fenced: DateTime.Utc }
) {
  const { chain, usdc } = connected
  const { month } = windowsAt(begun)
  const keys = page.map(({ address }) => keyOf(chain.id, address))
  const made = keys.length === 0 ? [] : yield* madeBy(chain.id, keys, reachOf(page, through, begun))
  if (keys.length > 0) yield* learnForgotten(chain.id, keys)
  const byWallet = Map.groupBy(made, ({ from }) => from)
  const now = yield* DateTime.now
  const charges: Array<Charge> = []
  const outlay: Array<OutlayCharge> = []
  for (const wallet of page) {
    const own = byWallet.get(keyOf(chain.id, wallet.address)) ?? []
    const unexplained = yield* unexplainedOf(wallet, own)
    charges.push(...(yield* chargesOf(wallet, counting(unexplained, usdc, month))))
    outlay.push(...forgottenOutlay(wallet, unexplained, now))
  }
  const days = yield* unknownDays({ connected, page, made, through, begun, fenced })
  return { charges, outlay, days }
})

/** Writes the charges of a page with how far that came, unless another process came on from the same page before. */
const keepPage = Effect.fnUntraced(function* (
  known: Ref.Ref<HeldLine>,
  { charges, chainId, days, from, outlay, readerId, to }: Page
) {
  const spending = yield* Spending
  const sales = yield* Sales
  const { run } = yield* Atomically
  const { write } = yield* Timeline
  const isFrom = Schema.toEquivalence(Reading)
  const next = (held: Held, nowMs: number) => {
    const reading = held.read[chainId]
    if (reading === undefined || !isFrom(reading, from)) return undefined
    const charged = held.charged + charges.length
    return withRenewal({ ...held, charged, read: { ...held.read, [chainId]: to } }, readerId, nowMs)
  }
  const together = Effect.fnUntraced(function* (before: Line, after: Line) {
    yield* spending.charge(charges)
    yield* sales.close(days)
    if (!(yield* write(before, after))) return yield* Effect.fail("changed")
    yield* chargeForgotten(outlay)
  })
  const isKept = yield* change(known, next, (before, after) =>
    Effect.isSuccess(run(together(before, after)))
  )
  for (const { accountId, day } of isKept ? days : []) {
    yield* Effect.logWarning(
      `The records do not know all trades of account ${accountId} on ${day}: its cap on trades of that day counts as used up.`
    )
  }
  if (!isKept) {
    yield* Effect.logWarning(
      `A page of wallets on ${chainId} was read in vain: another process kept it first, or the line of the records is another.`
    )
  }
})

/** Reads one page of a chain and keeps it. */
const readPage = Effect.fnUntraced(function* (
  held: HeldLine,
  from: Reading,
  connected: Connected,
  { readerId, renews }: Reader
) {
  const { id } = connected.chain
  const after = from.after === null ? undefined : (from.after as AddressKey)
  const page = yield* (yield* Wallets).listOn(id, after, walletsAtOnce)
  const begun = DateTime.makeUnsafe(held.line.begunAt)
  const known = yield* Ref.make(held)
  const renewing = renews ? keepRenewed(known, readerId) : Effect.never
  const fenced = DateTime.makeUnsafe((held.held.since[id] ?? 0) * 1000)
  const found = yield* Effect.raceFirst(
    foundOn(connected, page, from.through, { begun, fenced }),
    renewing
  )
  const last = page.at(-1)
  const to = {
    ...from,
    after: last === undefined ? from.after : keyOf(id, last.address),
    isDone: page.length < walletsAtOnce
  }
  yield* keepPage(known, { ...found, chainId: id, from, readerId, to })
})

/** One page more of a chain, by one process at a time; how long until the next. */
export const readOn = Effect.fnUntraced(function* (
  held: HeldLine,
  from: Reading,
  connected: Connected,
  reader: Reader
) {
  const nowMs = yield* Clock.currentTimeMillis
  const othersMs = leftAloneMs(held.held, reader.readerId, nowMs)
  if (othersMs > 0) return Math.min(othersMs, 5000)
  // Written before anything is asked, so that the others leave it alone from the first page on.
  if (!isReadBy(held.held, reader.readerId, nowMs)) yield* take(held, reader.readerId)
  else yield* readPage(held, from, connected, reader)
  return 0
})
