/**
 * Charges what wallets have paid and no record explains, a page of wallets at a time. Where it stands is in the records'
 * line, and each page's charges are written with it: whoever goes on, after whatever failure, does no page twice.
 */
import { Clock, DateTime, Effect } from "effect"
import { type AddressKey, keyOf } from "../chains/address.ts"
import * as Usdc from "../money/usdc.ts"
import { windowsAt } from "../policy/limits.ts"
import { type Charge, Spending } from "../policy/spending-ledger.ts"
import { Atomically } from "../ports/atomically.ts"
import type { Connected } from "../ports/chains.ts"
import { SubmissionStore } from "../submissions/submission-store.ts"
import { type MadePayment, madeBy, type Through } from "../submissions/submitter.ts"
import { type Line, Timeline } from "../timeline/timeline.ts"
import { standingIn } from "../wallets/reconcile.ts"
import type { Wallet } from "../wallets/wallet.ts"
import { Wallets } from "../wallets/wallet-store.ts"

/** As many wallets as a node takes in one question. */
export const walletsAtOnce = 50

/** How long the others leave alone what one process reads; a page of wallets with long histories takes a while. */
const readingMs = 120_000

type Held = NonNullable<Line["held"]>

/** The payments of a wallet that may count: in a window from now on, of USDC, and paid to somebody. */
const counting = (made: ReadonlyArray<MadePayment>, usdc: string, month: string) =>
  made.flatMap(({ at, identity, isBurn, paid }) => {
    // What is burnt arrives at a wallet of the account's own, which no cap bounds.
    const isCounted = paid !== null && isBurn !== true && paid.amount.token.address === usdc
    return isCounted && windowsAt(at).month >= month ? [{ at, identity, paid }] : []
  })

/** What one wallet has paid and the records do not explain: nothing to wallets of its account, which no cap bounds. */
const chargesOf = Effect.fnUntraced(function* (
  { accountId, address, chainId }: Wallet,
  payments: ReturnType<typeof counting>
) {
  const wallets = yield* Wallets
  const recorded = yield* (yield* SubmissionStore).identitiesOf(chainId, keyOf(chainId, address))
  const standing = standingIn(recorded)
  const charges: Array<Charge> = []
  for (const { at, identity, paid } of payments) {
    const { amount, to } = paid
    if (standing(identity) === undefined) continue
    if ((yield* wallets.ownerOf(chainId, to)) === accountId) continue
    const amountMicro = Usdc.toUsd(Usdc.make(amount.units))
    charges.push({ accountId, chainId, identity, to, amountMicro, windows: windowsAt(at), at })
  }
  return charges
})

/** What a page of wallets has paid; linear in its payments. */
const chargesOn = Effect.fnUntraced(function* (
  { chain, usdc }: Connected,
  page: ReadonlyArray<Wallet>,
  through: Through,
  month: string
) {
  const keys = page.map(({ address }) => keyOf(chain.id, address))
  const made = keys.length === 0 ? [] : yield* madeBy(chain.id, keys, through)
  const byWallet = Map.groupBy(made, ({ from }) => from)
  const charges: Array<Charge> = []
  for (const wallet of page) {
    const own = byWallet.get(keyOf(chain.id, wallet.address)) ?? []
    const payments = counting(own, usdc, month)
    if (payments.length > 0) charges.push(...(yield* chargesOf(wallet, payments)))
  }
  return charges
})

/** Reads one page of a chain and writes its charges with how far that came; nothing when another was first. */
const readPage = Effect.fnUntraced(function* (
  line: Line,
  held: Held,
  connected: Connected,
  reader: Held["reader"]
) {
  const { id } = connected.chain
  const reading = held.read[id]
  if (reading === undefined) return
  const after = reading.after === null ? undefined : (reading.after as AddressKey)
  const page = yield* (yield* Wallets).listOn(id, after, walletsAtOnce)
  const { month } = windowsAt(DateTime.makeUnsafe(line.begunAt))
  const charges = yield* chargesOn(connected, page, reading.through, month)
  const last = page.at(-1)
  const next = {
    ...reading,
    after: last === undefined ? reading.after : keyOf(id, last.address),
    isDone: page.length < walletsAtOnce
  }
  const charged = held.charged + charges.length
  const to = { ...line, held: { ...held, charged, reader, read: { ...held.read, [id]: next } } }
  const { write } = yield* Timeline
  const together = Effect.gen(function* () {
    yield* (yield* Spending).charge(charges)
    if (!(yield* write(line, to))) return yield* Effect.fail("changed")
  })
  yield* Effect.option((yield* Atomically).run(together))
})

/** One page more of a chain, by one process at a time; how long until the next. */
export const readOn = Effect.fnUntraced(function* (
  line: Line,
  held: Held,
  connected: Connected,
  readerId: string
) {
  const nowMs = yield* Clock.currentTimeMillis
  const { reader } = held
  const leftMs = reader === null ? 0 : Date.parse(reader.until) - nowMs
  if (reader !== null && reader.id !== readerId && leftMs > 0) return Math.min(leftMs, 5000)
  const until = DateTime.formatIso(DateTime.makeUnsafe(nowMs + readingMs))
  const own = { id: readerId, until }
  if (reader?.id === readerId && leftMs > 0) yield* readPage(line, held, connected, own)
  // Written before anything is asked, so that the others leave it alone from the first page on.
  else yield* (yield* Timeline).write(line, { ...line, held: { ...held, reader: own } })
  return 0
})
