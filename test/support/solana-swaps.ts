/** A swap on the local Solana, pushed forward look by look, with the venue and the network in the test's hands. */
import { assert } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import * as Jupiter from "../../adapters/providers/jupiter.ts"
import { LocalSolana } from "../../apps/sandbox/solana/local-solana.ts"
import { AddressKey } from "../../core/chains/address.ts"
import { type SwapVenue, SwapVenues } from "../../core/ports/swap-venue.ts"
import { keyOf } from "../../core/proposals/step.ts"
import * as Journal from "../../core/solana/journal.ts"
import { callOf } from "../../core/solana/swap.ts"
import { SubmissionStore } from "../../core/submissions/submission-store.ts"
import { slotsToSettle } from "./real-send-worlds.ts"
import * as Rows from "./rows.ts"
import { look } from "./send-steps.ts"
import * as SendingRows from "./sending-rows.ts"
import { signable } from "./signable-orders.ts"
import * as Solana from "./solana.ts"
import * as Stored from "./stored-rows.ts"

export const chainId = "local-solana"

/** Nobody's clock in these tests comes to it. */
export const farAway = 4_000_000_000

/** The local aggregator as the venue of the chain. */
export const atTheVenue = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, Exclude<R, SwapVenues | Scope.Scope> | LocalSolana> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { market } = yield* LocalSolana
      const venue: SwapVenue = yield* Jupiter.venue({ chainId, url: market.url })
      return yield* Effect.provideService(effect, SwapVenues, { venues: [venue] })
    })
  ) as Effect.Effect<A, E, Exclude<R, SwapVenues | Scope.Scope> | LocalSolana>

export const mintOf = Effect.fnUntraced(function* (symbol: string) {
  const { market } = yield* LocalSolana
  const token = market.tokens.find((each) => each.symbol === symbol)
  return AddressKey.make(token?.mint ?? assert.fail(`there is no ${symbol}`))
})

/** What an owner has of a mint, in the newest slot. */
export const unitsOf = Effect.fnUntraced(function* (owner: string, mint: string) {
  const client = yield* Solana.rpc
  const account = yield* Solana.tokenAccount(owner, mint)
  const { value } = yield* Effect.promise(() =>
    client.getAccountInfo(account, { commitment: "processed", encoding: "jsonParsed" }).send()
  )
  if (value === null || !("parsed" in value.data)) return 0n
  const { info } = value.data.parsed as {
    readonly info: { readonly tokenAmount: { readonly amount: string } }
  }
  return BigInt(info.tokenAmount.amount)
})

export interface Meant {
  readonly accountId: string
  readonly keyId: string
  readonly call: { readonly operation: string; readonly idempotencyKey: string }
  readonly sell: AddressKey
  readonly buy: AddressKey
  readonly sellAmount: bigint
  readonly minBuyAmount: bigint
  readonly slippageBps: number
  readonly notAfter: number
}

/** A hundred dollars for JUP, of which there are 200 at first, in a pool that keeps 0.3 %. */
export const meant = Effect.fnUntraced(function* (over: Partial<Meant> = {}) {
  const { usdc } = yield* LocalSolana
  const whole: Meant = {
    accountId: Rows.anId(),
    keyId: Rows.aKeyId(),
    call: { operation: "propose_solana_swap", idempotencyKey: `swap-${Rows.anId()}` },
    sell: AddressKey.make(usdc),
    buy: yield* mintOf("JUP"),
    sellAmount: 100_000_000n,
    minBuyAmount: 150_000_000n,
    slippageBps: 50,
    notAfter: farAway,
    ...over
  }
  return whole
})

/** The swap as its confirmation leaves it: executing and queued, on records that have not seen it before. */
export const queued = Effect.fnUntraced(function* (swap: Meant, receiver?: string) {
  yield* Stored.account({ id: swap.accountId })
  const { accountId, buy, call, keyId, minBuyAmount, notAfter, sell, sellAmount, slippageBps } =
    swap
  const { order, proposal, wallet } = yield* signable({
    accountId,
    chainId,
    keyId,
    proposal: { call }
  })
  yield* (yield* SubmissionStore).open(
    SendingRows.aSubmission(proposal, wallet, {
      act: "call",
      to: AddressKey.make(receiver ?? wallet.address),
      amount: { token: { chainId, address: sell }, units: sellAmount },
      identity: order.identity,
      call: callOf({ buy, minBuyAmount, slippageBps, notAfter })
    })
  )
  return { proposal, wallet: wallet.address }
})
export type Queued = Effect.Success<ReturnType<typeof queued>>

/** The same, from a wallet that is given what it sells, twice. */
export const begun = Effect.fnUntraced(function* (over: Partial<Meant> = {}, receiver?: string) {
  const { advance, market, mint, usdc } = yield* LocalSolana
  const swap = yield* meant(over)
  const standing = yield* queued(swap, receiver)
  const units = 2n * swap.sellAmount
  yield* swap.sell === usdc
    ? mint(standing.wallet, units)
    : market.issue(swap.sell, standing.wallet, units)
  yield* advance(1)
  return { ...standing, swap }
})

export const submissionOf = ({ proposal }: Pick<Queued, "proposal">) =>
  Effect.gen(function* () {
    const submission = yield* (yield* SubmissionStore).find(keyOf(proposal.id))
    return submission ?? assert.fail("it was never opened")
  })

export const journalOf = (queued: Pick<Queued, "proposal">) =>
  Effect.map(submissionOf(queued), Journal.read)

/** Looks while slots pass until it has ended, some times at most; how it stands then. */
export const ended = Effect.fnUntraced(function* (queued: Pick<Queued, "proposal">, turns = 12) {
  const { advance } = yield* LocalSolana
  const hasEnded = Effect.map(
    submissionOf(queued),
    ({ status }) => status === "final" || status === "failed"
  )
  for (let turn = 0; turn < turns && !(yield* hasEnded); turn++) {
    yield* look
    yield* advance(turn < 2 ? 1 : slotsToSettle)
  }
  return yield* submissionOf(queued)
})
