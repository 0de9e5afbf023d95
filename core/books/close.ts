/**
 * Closes the books of an account for a period: reads both ends from the chains, tells every movement in between, and
 * holds the sum against the chain. It writes nothing, and keeps no movement in memory.
 */
import { Effect, Stream } from "effect"
import type { Account } from "../accounts/account.ts"
import { type AddressKey, keyOf } from "../chains/address.ts"
import type * as Page from "../operation/page.ts"
import { Outlay } from "../policy/outlay-ledger.ts"
import { Chains } from "../ports/chains.ts"
import { type PastFailure, TokenHistory } from "../ports/token-history.ts"
import { type Pinned, pinnedOn, TokenSettings } from "../tokens/token.ts"
import type { Wallet } from "../wallets/wallet.ts"
import { Wallets } from "../wallets/wallet-store.ts"
import { between } from "./between.ts"
import { explain, goingOn, type Owned } from "./explain.ts"
import type { Movement } from "./movement.ts"
import {
  BooksDiffer,
  type ChainEnds,
  daysOf,
  type Held,
  heldKey,
  type InTransit,
  type Period,
  type Statement,
  shownUnits,
  transitKey
} from "./statement.ts"

const perPage = 100

const walletsOf = Effect.fnUntraced(function* (accountId: string) {
  const { list } = yield* Wallets
  const found: Array<Wallet> = []
  let request: Page.Request | undefined = { limit: perPage }
  while (request !== undefined) {
    const page: Page.Page<Wallet> = yield* list(accountId, {}, request)
    found.push(...page.rows)
    request = page.next === undefined ? undefined : { limit: perPage, after: page.next }
  }
  return found.toReversed()
})

/** The blocks at which the period begins and ends on a chain. */
const endsOn = Effect.fnUntraced(function* (chainId: string, { from, to }: Period) {
  const { lastBefore } = yield* TokenHistory
  const closing = yield* lastBefore(chainId, to)
  const opening = yield* lastBefore(chainId, from)
  return { chainId, opening, closing } satisfies ChainEnds as ChainEnds
})

interface OnChain {
  readonly ends: ChainEnds
  readonly wallets: ReadonlyArray<Wallet>
  readonly tokens: ReadonlyArray<Pinned>
}

const heldOn = Effect.fnUntraced(function* ({ ends, tokens, wallets }: OnChain) {
  const { balances } = yield* TokenHistory
  const asked = {
    owners: wallets.map(({ address }) => address),
    tokens: tokens.map(({ address }) => address)
  }
  const opening = yield* balances(ends.chainId, ends.opening.number, asked)
  const closing = yield* balances(ends.chainId, ends.closing.number, asked)
  return wallets.flatMap((wallet, row) =>
    tokens.map(
      (token, column): Held => ({
        wallet,
        token,
        openingUnits: opening[row]?.[column] ?? 0n,
        closingUnits: closing[row]?.[column] ?? 0n
      })
    )
  )
})

/** Adds up what passes, and says at the end whether it comes to what the chains say. */
const tally = ({ held, inTransit }: Statement) => {
  const units = new Map<string, bigint>()
  const add = (key: string, more: bigint) => void units.set(key, (units.get(key) ?? 0n) + more)
  return {
    count: ({ log, transit, wallet }: Movement) => {
      add(heldKey(wallet.id, log.token), log.units)
      if (transit !== null) add(transitKey(transit.protocol, transit.token.symbol), transit.units)
    },
    /** Whether anything of it moved. */
    moved: (key: string): boolean => units.has(key),
    verdict: Effect.suspend(() => {
      const wrong = (what: string, at: Held | InTransit, key: string) => {
        const computed = at.openingUnits + (units.get(key) ?? 0n)
        return computed === at.closingUnits
          ? []
          : [
              new BooksDiffer({
                what,
                computed: shownUnits(computed, at.token),
                told: shownUnits(at.closingUnits, at.token)
              })
            ]
      }
      const [first] = [
        ...held.flatMap((each) =>
          wrong(
            `${each.token.symbol} of wallet ${each.wallet.id} on ${each.wallet.chainId}`,
            each,
            heldKey(each.wallet.id, each.token.address)
          )
        ),
        ...inTransit.flatMap((each) =>
          wrong(
            `${each.token.symbol} in transit by ${each.protocol}`,
            each,
            transitKey(each.protocol, each.token.symbol)
          )
        )
      ]
      return first === undefined ? Effect.void : Effect.fail(first)
    })
  }
}

/** Every movement on one chain, in passages as the chain tells them. */
const movementsOn = (accountId: string, { ends, tokens, wallets }: OnChain) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const history = yield* TokenHistory
      const { chainId, closing, opening } = ends
      const owned: Owned = {
        accountId,
        wallets: new Map(wallets.map((wallet) => [keyOf(chainId, wallet.address), wallet])),
        tokens: new Map<AddressKey, Pinned>(tokens.map((token) => [token.address, token])),
        goingOn: yield* goingOn(accountId)
      }
      const range = { after: opening.number, through: closing.number }
      const asked = {
        owners: wallets.map(({ address }) => address),
        tokens: tokens.map(({ address }) => address)
      }
      return history.movements(chainId, range, asked).pipe(
        Stream.mapEffect(({ movements, throughBlock }) =>
          Effect.map(explain(owned, chainId, movements), (told) => ({
            chainId,
            share: (throughBlock - opening.number) / Math.max(1, closing.number - opening.number),
            movements: told
          }))
        ),
        // A chain may have nothing behind the last passage, and is read to its end all the same.
        Stream.concat(Stream.succeed({ chainId, share: 1, movements: [] }))
      )
    })
  )

/** A part of the movements, and how far along its chain it is, from 0 to 1. */
export interface Part {
  readonly chainId: string
  readonly share: number
  readonly movements: ReadonlyArray<Movement>
}

export const closeBooks = Effect.fnUntraced(function* (account: Account, period: Period) {
  const { connected } = yield* Chains
  const { tokens: listed } = yield* TokenSettings
  const wallets = yield* walletsOf(account.id)
  const chains: ReadonlyArray<OnChain> = yield* Effect.forEach(
    connected.filter(({ chain }) => wallets.some(({ chainId }) => chainId === chain.id)),
    (each) =>
      Effect.map(endsOn(each.chain.id, period), (ends) => ({
        ends,
        wallets: wallets.filter(({ chainId }) => chainId === each.chain.id),
        tokens: pinnedOn(each, listed)
      }))
  )
  const ends = chains.map((each) => each.ends)
  const days = daysOf(period)
  const statement: Statement = {
    account,
    period,
    chains: ends,
    held: (yield* Effect.forEach(chains, heldOn)).flat(),
    inTransit: yield* between(account.id, period, ends),
    outlay: yield* (yield* Outlay).days(account.id, days.first, days.last)
  }
  const { count, moved, verdict } = tally(statement)
  const parts = Stream.fromIterable(chains).pipe(
    Stream.flatMap((each) => movementsOn(account.id, each)),
    Stream.tap(({ movements }) => Effect.sync(() => movements.forEach(count)))
  )
  return { statement, parts, moved, verdict, unread: unreadOf(wallets, ends) }
})

export type BooksFailure = PastFailure | BooksDiffer

/** Chains on which the account has wallets, and which are not connected: they are in no file. */
const unreadOf = (
  wallets: ReadonlyArray<Wallet>,
  ends: ReadonlyArray<ChainEnds>
): ReadonlyArray<string> =>
  [...new Set(wallets.map(({ chainId }) => chainId))].filter(
    (chainId) => !ends.some((each) => each.chainId === chainId)
  )
