/**
 * Whether a swap was made already by records that are lost: an order that carries its identity was filled. It is asked
 * before each order is decided; while nobody can tell, nothing is signed.
 */
import { DateTime, Effect, Option, Schema } from "effect"
import { type AddressKey, isSame, keyOf } from "../chains/address.ts"
import { Caller } from "../operation/caller.ts"
import * as Venue from "../ports/swap-venue.ts"
import type { Proposal } from "../proposals/proposal.ts"
import { ofProposal } from "../submissions/identity.ts"
import { findPayment } from "../submissions/submitter.ts"
import { Identity } from "../timeline/identity.ts"
import { heldMs, notRead, whyHeld } from "../timeline/sending.ts"
import { isUnread, Timeline } from "../timeline/timeline.ts"
import type { Wait } from "../waits/wait.ts"
import { WaitStore } from "../waits/wait-store.ts"
import type { Look } from "../waits/watches.ts"
import { filledBy, written } from "./order-journal.ts"
import { SeenFills } from "./seen-fills-store.ts"
import type { Subject } from "./subject.ts"
import type { Terms } from "./terms.ts"

const finalityMs = 3_000
const unansweredMs = 15_000
const undecidedMs = 60_000

const takenBefore =
  "Another swap was made under this idempotency key before; nothing was signed again, and the step shows its transaction."

const unread = (txId: string) =>
  `In ${txId} the wallet sold this token by an order that neither these records nor the chain tell of. It may be this swap, so nothing is signed. Look at that transaction, and cancel this proposal if it is the swap. This wallet sells no more of this token until a node tells what that order was; use another wallet.`

const notTold = (txId: string) =>
  `It was cancelled and nothing was signed. Whether it was made before, in ${txId}, nobody can tell.`

const notAnswered = (detail: string) =>
  `It was cancelled and nothing was signed. Whether it was made before, the chain did not tell: ${detail}`

/** Where the look for fills of a wallet goes on, and where it leaves off. */
const seenOf = Effect.fnUntraced(function* (chainId: string, owner: AddressKey) {
  const { find, keep } = yield* SeenFills
  return {
    seen: yield* find(chainId, owner),
    keep: (seen: Venue.SeenFills) => keep(chainId, owner, seen)
  }
})

const SignedIn = Schema.toCodecJson(Schema.Struct({ signed: Venue.SignedOrder }))
const decode = Schema.decodeUnknownOption(SignedIn)

/** The orders among these that the account's records have signed. */
const recordedBy = (accountId: string) =>
  Effect.map(
    WaitStore,
    ({ ofOrders }) =>
      (orderIds: ReadonlyArray<string>) =>
        Effect.map(ofOrders(accountId, orderIds), (waits) =>
          waits.flatMap(({ journal }) =>
            Option.match(decode(journal), { onNone: () => [], onSome: ({ signed }) => [signed] })
          )
        )
  )

/**
 * The same swap as is asked for now. What is sold for an amount in USD changes with its price, so how much it was is
 * told by the result.
 */
const isSameSwap = (swap: Terms, { buy, receiver, sell }: Venue.SwapOrder): boolean =>
  keyOf(swap.chainId, swap.sell.tokenAddress) === sell &&
  keyOf(swap.chainId, swap.buy.tokenAddress) === buy &&
  isSame(swap.chainId, swap.receiver, receiver)

const filled = (
  swap: Terms,
  { fill, isFinal, order }: Extract<Venue.Found, { readonly _tag: "filled" }>
): Look => {
  if (!isFinal) return { nextLookMs: finalityMs }
  const evidence = { type: "transaction", id: fill.txId } as const
  if (!isSameSwap(swap, order)) {
    return { reason: takenBefore, ended: { isDone: false, evidence }, nextLookMs: 0 }
  }
  return {
    journal: written({ isFound: true, filled: filledBy(fill) }),
    ended: { isDone: true, evidence },
    nextLookMs: 0
  }
}

const undecided = Effect.fnUntraced(function* (wait: Wait, txId: string) {
  if (wait.isStopAsked) {
    const look: Look = {
      reason: notTold(txId),
      ended: { isDone: false, evidence: null },
      nextLookMs: 0
    }
    return look
  }
  const isStuck = DateTime.isGreaterThan(yield* DateTime.now, wait.deadline)
  const look: Look = { reason: unread(txId), isStuck, nextLookMs: undecidedMs }
  return look
})

/** What it is asked again for. Once its time is over the operator is told, and may give it up. */
const unanswered = Effect.fnUntraced(function* (wait: Wait, detail: string) {
  const isStuck = DateTime.isGreaterThan(yield* DateTime.now, wait.deadline)
  const look: Look =
    wait.isStopAsked && isStuck
      ? {
          reason: notAnswered(detail),
          ended: { isDone: false, evidence: null },
          nextLookMs: 0
        }
      : { reason: detail, isStuck, nextLookMs: unansweredMs }
  return look
})

/**
 * Whether the swap of the call that is being answered was made by records that are lost; asked where something else
 * would refuse it, as what was sold then is missing now. Where nobody can tell, it was not.
 */
export const wasMade = Effect.fnUntraced(function* ({
  from,
  sell
}: Pick<Subject, "from" | "sell">) {
  const { accountId, call } = yield* Caller
  const venue = Venue.venueOn(yield* Venue.SwapVenues, from.chainId)
  if (call === undefined || venue === undefined) return false
  const { chainId } = from
  const owner = keyOf(chainId, from.address)
  const identity = (yield* Identity).derive(ofProposal({ id: "", accountId, call }))
  if (venue.execution === "transaction") {
    const found = yield* Effect.option(findPayment({ chainId, from: owner, identity }))
    return Option.isSome(found) && found.value !== undefined
  }
  const found = yield* Effect.option(
    venue.find({
      ...{ chainId, identity, owner, sell: sell.address },
      // Nothing is signed before the chain was asked again.
      through: undefined,
      recorded: yield* recordedBy(accountId),
      ...(yield* seenOf(chainId, owner))
    })
  )
  return Option.isSome(found) && found.value._tag === "filled"
})

/** What follows from what the chain has of it; undefined when it was never made. */
export const findMade = Effect.fnUntraced(function* (
  wait: Wait,
  proposal: Proposal,
  swap: Terms,
  venue: Venue.OrderVenue
) {
  const { chainId } = swap
  const standing = yield* Timeline.use(({ look }) => look)
  if (standing._tag !== "open") {
    const look: Look = { reason: (yield* whyHeld) ?? null, nextLookMs: heldMs }
    return look
  }
  if (isUnread(standing, chainId)) return yield* unanswered(wait, notRead(chainId))
  const owner = keyOf(chainId, swap.fromAddress)
  const asked = venue.find({
    ...{ chainId, owner },
    identity: (yield* Identity).derive(ofProposal(proposal)),
    sell: keyOf(chainId, swap.sell.tokenAddress),
    through: standing.waited?.through[chainId],
    recorded: yield* recordedBy(wait.accountId),
    ...(yield* seenOf(chainId, owner))
  })
  const told = yield* Effect.result(asked)
  if (told._tag === "Failure") return yield* unanswered(wait, told.failure.message)
  const found = told.success
  switch (found._tag) {
    case "none":
      return undefined
    case "filled":
      return filled(swap, found)
    case "undecidable":
      return yield* undecided(wait, found.txId)
  }
})
