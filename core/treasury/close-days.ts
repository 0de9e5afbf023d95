/**
 * Finds days whose cap on trades nobody can know any more: something left a wallet that is neither a payment nor a sale
 * that these records call finally gone. What cannot be read counts as unknown.
 */
import { DateTime, Effect, Option, Stream } from "effect"
import { type Address, type AddressKey, familyOf, keyOf } from "../chains/address.ts"
import type { TokenAmount, TokenId } from "../chains/token-amount.ts"
import { windowsAt } from "../policy/limits.ts"
import { ChainUnavailable, type Connected } from "../ports/chains.ts"
import { HistoryMissing, TokenHistory } from "../ports/token-history.ts"
import { type ClosedDay, Sales } from "../sales/sale-store.ts"
import { SubmissionStore } from "../submissions/submission-store.ts"
import type { MadePayment, Through } from "../submissions/submitter.ts"
import * as Pinned from "../tokens/pinned.ts"
import { standingIn } from "../wallets/reconcile.ts"
import type { Wallet } from "../wallets/wallet.ts"

/** What a trade takes out of a wallet may leave it so much later than the day that the trade counts in. */
const startedWithin = { hours: 1 } as const

/** So long after the fence the days in which forgotten trades may count are over. What was confirmed in them may go on. */
const daysLast = { days: 2 } as const

/** How far a block's time may lie before that of the process that began what is in it. */
const clocksDiffer = { minutes: 1 } as const

/** Of what was read of a chain. */
export interface Read {
  readonly connected: Connected
  readonly page: ReadonlyArray<Wallet>
  /** What the wallets have paid or used up by an identity. */
  readonly made: ReadonlyArray<MadePayment>
  readonly through: Through
  /** When the line of the records began, and by when nobody traded on the one before any more. */
  readonly begun: DateTime.Utc
  readonly fenced: DateTime.Utc
}

/** The days in which a trade may count that was seen at a moment. */
const daysOf = (at: DateTime.Utc): ReadonlyArray<string> => [
  ...new Set([at, DateTime.subtract(at, startedWithin)].map((each) => windowsAt(each).day))
]

const isTrade = ({ bought, isBurn, paid }: MadePayment) =>
  bought !== undefined || isBurn === true || paid === null

const tokenKey = (walletId: string, { address }: TokenId, units: bigint) =>
  JSON.stringify([walletId, address, String(units)])

/** Takes one of a multiset; false when there is none left. */
const takeFrom = (left: Map<string, number>, key: string): boolean => {
  const count = left.get(key) ?? 0
  left.set(key, count - 1)
  return count > 0
}

const counted = (keys: ReadonlyArray<string>) =>
  new Map([...Map.groupBy(keys, (key) => key)].map(([key, all]) => [key, all.length]))

/** What a wallet let go at a moment. */
interface Gone {
  readonly wallet: Wallet
  readonly at: DateTime.Utc
}

/** What went by a transaction under an identity that the records have not. */
const goneByIdentity = Effect.fnUntraced(function* ({ made }: Read, wallet: Wallet) {
  const key = keyOf(wallet.chainId, wallet.address)
  const trades = made.filter((each) => each.from === key && isTrade(each))
  if (trades.length === 0) return []
  const recorded = yield* (yield* SubmissionStore).identitiesOf(wallet.chainId, key)
  const standing = standingIn(recorded)
  return trades.flatMap(
    ({ at, identity }): ReadonlyArray<Gone> =>
      standing(identity) === undefined ? [] : [{ wallet, at }]
  )
})

interface Left {
  readonly wallet: Wallet
  readonly at: DateTime.Utc
  readonly txId: string
  readonly amount: TokenAmount
}

/** The begin of the first day that counts. */
const countingSince = ({ begun }: Read) =>
  DateTime.startOf(DateTime.subtract(begun, startedWithin), "day")

/** Sales of the wallets' accounts that have left, of the first day that counts and of a month before it. */
const salesSince = Effect.fnUntraced(function* (read: Read, wallets: ReadonlyArray<Wallet>) {
  const accountIds = [...new Set(wallets.map(({ accountId }) => accountId))]
  const { day } = windowsAt(DateTime.subtract(countingSince(read), { days: 31 }))
  return yield* (yield* Sales).leftSince(accountIds, day)
})

type SoldBefore = Effect.Success<ReturnType<typeof salesSince>>

/** The tokens that may be sold, and those that the accounts have sold: they may be off the list since. */
const tradedTokens = Effect.fnUntraced(function* (chainId: string, sales: SoldBefore) {
  const pinned = ((yield* Pinned.on(chainId)) ?? []).map(({ address }) => address)
  const sold = sales.flatMap(({ amount: { token } }) =>
    token.chainId === chainId && token.address !== null ? [token.address] : []
  )
  return [...new Set([...pinned, ...sold])]
})

/** Everything that left the wallets since so long before the first day that counts, whoever took it, oldest first. */
const leftBy = Effect.fnUntraced(function* (
  read: Read,
  wallets: ReadonlyArray<Wallet>,
  sales: SoldBefore
) {
  const { connected, through } = read
  const { chain } = connected
  const asked = yield* Effect.serviceOption(TokenHistory)
  if (Option.isNone(asked)) {
    return yield* new HistoryMissing({
      chainId: chain.id,
      blockNumber: through.number,
      detail: "nobody tells what left its wallets"
    })
  }
  const history = asked.value
  const since = DateTime.subtract(countingSince(read), startedWithin)
  const after = yield* history.lastBefore(chain.id, since)
  const byKey = new Map<AddressKey, Wallet>(
    wallets.map((wallet) => [keyOf(chain.id, wallet.address), wallet])
  )
  const owners = wallets.map(({ address }): Address => address)
  const tokens = yield* tradedTokens(chain.id, sales)
  const range = { after: after.number, through: through.number }
  const left: Array<Left> = []
  yield* Stream.runForEach(history.movements(chain.id, range, { owners, tokens }), (passage) =>
    Effect.sync(() => {
      for (const { at, owner, token: address, txHash: txId, units } of passage.movements) {
        const wallet = byKey.get(owner)
        const amount = { token: { chainId: chain.id, address }, units: -units }
        if (wallet !== undefined && units < 0n) left.push({ wallet, at, txId, amount })
      }
    })
  )
  return left.toSorted((one, other) => one.at.epochMilliseconds - other.at.epochMilliseconds)
})

/**
 * Takes for what left a wallet a sale that explains it, once; undefined when there is none. One that counts in the day
 * before explains only what left soon after it began. Of several the newest is taken: a wallet sells a token by one sale
 * at a time, so that is its own, and none of which the own was read is left over for another trade.
 */
const salesOf = (read: Read, sales: SoldBefore) => {
  const since = countingSince(read)
  const { day } = windowsAt(since)
  // What left just before the first day takes its own sale, which may have begun so much earlier.
  const oldest = DateTime.subtract(DateTime.subtract(since, startedWithin), startedWithin)
  const left = sales
    .filter((sale) => sale.day >= day || DateTime.isGreaterThanOrEqualTo(sale.openedAt, oldest))
    .toSorted((one, other) => one.openedAt.epochMilliseconds - other.openedAt.epochMilliseconds)
  const byKey = Map.groupBy(left, ({ amount, walletId }) =>
    tokenKey(walletId, amount.token, amount.units)
  )
  return ({ amount, at, wallet }: Left) => {
    const mayBe = byKey.get(tokenKey(wallet.id, amount.token, amount.units)) ?? []
    const latest = DateTime.add(at, clocksDiffer)
    const eve = mayBe.findLastIndex(
      ({ day: soldOn, openedAt }) =>
        soldOn < day &&
        DateTime.isLessThanOrEqualTo(openedAt, latest) &&
        DateTime.isLessThanOrEqualTo(at, DateTime.add(openedAt, startedWithin))
    )
    const isOfDay = eve === -1 && DateTime.isGreaterThanOrEqualTo(at, since)
    const place = isOfDay ? mayBe.findIndex((sale) => sale.day >= day) : eve
    return place === -1 ? undefined : mayBe.splice(place, 1)[0]
  }
}

/** What went of tokens that others may take, without being a payment or a sale that is known to have gone. */
const goneByOthers = Effect.fnUntraced(function* (read: Read, wallets: ReadonlyArray<Wallet>) {
  const sales = yield* salesSince(read, wallets)
  const left = yield* leftBy(read, wallets, sales)
  if (left.length === 0) return []
  const paymentKey = (from: AddressKey, txId: string, { token, units }: TokenAmount) =>
    JSON.stringify([from, txId, token.address, String(units)])
  const paid = counted(
    read.made.flatMap((each) =>
      each.paid === null || isTrade(each)
        ? []
        : [paymentKey(each.from, each.txId, each.paid.amount)]
    )
  )
  const since = countingSince(read)
  const takeSale = salesOf(read, sales)
  return left.flatMap((each): ReadonlyArray<Gone> => {
    const { amount, at, txId, wallet } = each
    const from = keyOf(wallet.chainId, wallet.address)
    if (takeFrom(paid, paymentKey(from, txId, amount)) || takeSale(each) !== undefined) return []
    return DateTime.isLessThan(at, since) ? [] : [{ wallet, at }]
  })
})

/** The days of accounts in which this may count, each once. */
const closing = (gone: ReadonlyArray<Gone>): ReadonlyArray<ClosedDay> => {
  const days = gone.flatMap(({ at, wallet: { accountId } }) =>
    daysOf(at).map((day): ClosedDay => ({ accountId, day }))
  )
  return [...new Map(days.map((each) => [`${each.accountId} ${each.day}`, each])).values()]
}

/**
 * The days of accounts whose trades these records do not all know, as far as wallets of a page tell. Once they are over
 * nothing is asked any more, and those are closed in which a trade counts that is under way: it may not have begun.
 */
export const unknownDays = Effect.fnUntraced(function* (read: Read) {
  const { begun, connected, fenced, page } = read
  const wallets = page.filter(({ kind }) => kind === "standard")
  if (wallets.length === 0) return []
  const unreadable = wallets.flatMap(
    (wallet): ReadonlyArray<Gone> => [begun, fenced].map((at) => ({ wallet, at }))
  )
  if (DateTime.isGreaterThan(yield* DateTime.now, DateTime.add(fenced, daysLast))) {
    return yield* (yield* Sales).openOn(closing(unreadable))
  }
  const gone = familyOf(connected.chain.id).takesApprovals
    ? yield* goneByOthers(read, wallets).pipe(
        Effect.catchTags({
          HistoryMissing: ({ message }) => Effect.as(Effect.logWarning(message), unreadable),
          // A day that began before the final block is final: whoever says otherwise lags behind.
          NotFinal: ({ chainId, message }) =>
            new ChainUnavailable({ chainId, reason: "inconsistent", detail: message })
        })
      )
    : (yield* Effect.forEach(wallets, (wallet) => goneByIdentity(read, wallet))).flat()
  return closing(gone)
})
