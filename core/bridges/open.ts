/**
 * Opens a bridge: looks whether it left already, whether both ends let it pass, and what it would cost now. What is
 * found is written down before anything is signed; it is never less than what was approved.
 */
import { DateTime, Effect, Schema } from "effect"
import type { Offer, Start } from "../ports/bridge.ts"
import { Chains } from "../ports/chains.ts"
import { whyClosed } from "../sales/closed-day.ts"
import type { Sales } from "../sales/sale-store.ts"
import { AgreedPrices } from "../tokens/agreed-price.ts"
import { whyStopped } from "../tokens/usdc-stop.ts"
import type { Wait } from "../waits/wait.ts"
import { alone, type Look } from "../waits/watches.ts"
import { hasLeft } from "./depart.ts"
import { findLeft } from "./find-left.ts"
import { coinsOf, costOf, isWithin, readyFor } from "./max-coin.ts"
import { type Reading, read } from "./read-journey.ts"
import { unreceivable } from "./receivable.ts"
import { Opened } from "./steps.ts"
import * as Terms from "./terms.ts"

const againMs = 15_000
const soonMs = 1_000
const finalityMs = 3_000

const encode = Schema.encodeSync(Schema.toCodecJson(Opened))

const isOver = ({ deadline }: Wait) =>
  Effect.map(DateTime.now, (now) => DateTime.isGreaterThan(now, deadline))

/** What stands in the way is asked again until the deadline; nothing was begun, so nothing has to be undone. */
const closed = Effect.fnUntraced(function* (wait: Wait, reason: string) {
  const look: Look = { reason, nextLookMs: againMs }
  return (yield* isOver(wait)) ? { ...look, ended: { isDone: false, evidence: null } } : look
})

const tooDear = "It would cost more than was approved now."
const coinTooDear =
  "It would cost more of the chains' own coins now than was approved, or they have no price."
const noRoute = "The bridge has no way between the two chains now."
const outOfBounds = "The bridge does not carry such an amount now."

const stopped = "It was cancelled before anything was moved."
const takenBefore =
  "Another bridge left under this idempotency key before; nothing was sent again, and the step shows its transaction."

type Found = Extract<Start, { readonly _tag: "left" | "taken" }>

/** The chain has something under its identity. It is followed, or ends this, once it is final. */
const followFound = Effect.fnUntraced(function* (
  { proposalId }: Wait,
  { _tag, isFinal, txId }: Found
): Effect.fn.Return<Look, never, Sales> {
  if (!isFinal) return { reason: null, nextLookMs: finalityMs }
  const evidence = { type: "transaction", id: txId } as const
  if (_tag === "taken") {
    return { reason: takenBefore, ended: { isDone: false, evidence }, nextLookMs: 0 }
  }
  yield* hasLeft(proposalId)
  return { journal: { departed: txId }, ended: { isDone: true, evidence }, nextLookMs: 0 }
})

/** Why an offer's costs in the chains' own coins cannot be borne, those of its way back among them. */
const uncovered = Effect.fnUntraced(function* (
  { accountId }: Wait,
  { buy, maxCoin, sell }: Terms.Terms,
  offer: Offer
) {
  if (maxCoin === undefined && offer.wayBack === null) return undefined
  yield* (yield* AgreedPrices).learn(coinsOf(sell.chainId, buy.chainId))
  const cost = yield* costOf(offer, { from: sell, to: buy })
  if (cost === undefined || !isWithin(cost, maxCoin)) return coinTooDear
  const borne = yield* Effect.result(readyFor(accountId, sell.chainId, buy.chainId, cost))
  return borne._tag === "Success" ? undefined : borne.failure.message
})

/** What it costs now, and the very call that lets it go. */
const quoted = Effect.fnUntraced(function* (wait: Wait, { approved, bridge, identity }: Reading) {
  const offers = yield* bridge.quote(Terms.endsOf(approved))
  const offer = offers.find(({ minBuyUnits }) => minBuyUnits >= approved.minBuyAmount)
  if (offer === undefined) return yield* closed(wait, tooDear)
  const obstacle = yield* uncovered(wait, approved, offer)
  if (obstacle !== undefined) return yield* closed(wait, obstacle)
  const carriage = { minBuyAmount: offer.minBuyUnits, offer: offer.terms }
  const departure = bridge.departure(Terms.journeyOf(approved, identity, carriage))
  // A fork could take the newest block away, and the step names its evidence for ever.
  const { number } = yield* (yield* Chains).newestFinal(approved.sell.chainId)
  const { estimatedSeconds } = offer
  const opened: Look = {
    journal: encode({ ...carriage, ...departure, estimatedSeconds }) as Schema.JsonObject,
    ended: { isDone: true, evidence: { type: "block", id: String(number) } },
    nextLookMs: 0
  }
  return opened
})

const look = Effect.fnUntraced(function* (wait: Wait) {
  const reading = yield* read(wait.accountId, wait.proposalId)
  const { approved, bridge, identity } = reading
  // What left is found by its identity, whatever the least that arrives was.
  const floor = { minBuyAmount: approved.minBuyAmount, offer: {} }
  const { bridge: by, start } = yield* findLeft(bridge, Terms.journeyOf(approved, identity, floor))
  if (by !== bridge && start._tag === "left")
    return yield* followFound(wait, { ...start, _tag: "taken" })
  if (start._tag === "left" || start._tag === "taken") return yield* followFound(wait, start)
  if (wait.isStopAsked) {
    return { reason: stopped, ended: { isDone: false, evidence: null }, nextLookMs: 0 }
  }
  const reason = yield* whyClosed(wait.proposalId)
  if (reason !== undefined) {
    return { reason, ended: { isDone: false, evidence: null }, nextLookMs: 0 }
  }
  const unsafe = yield* whyStopped(approved.buy.chainId)
  if (unsafe !== undefined) return yield* closed(wait, unsafe)
  const obstacle = yield* unreceivable(wait.accountId, approved)
  if (obstacle !== undefined) {
    const look = yield* closed(wait, obstacle)
    return look.ended === undefined ? { ...look, nextLookMs: soonMs } : look
  }
  if (start._tag === "closed") return yield* closed(wait, start.reason)
  return yield* quoted(wait, reading).pipe(
    Effect.catchTags({
      NoRoute: () => closed(wait, noRoute),
      OutOfBounds: () => closed(wait, outOfBounds),
      BridgeUnavailable: ({ detail }) => closed(wait, detail)
    })
  )
})

/** Nothing of it has left the treasury, unless the chain says so. */
export const opening = alone(look, { isUnbegun: () => true })
