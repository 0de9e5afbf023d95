/**
 * The operation that proposes an approval. The amount is always exact, the wallet's balance when none is
 * named; nothing is ever approved without a bound, and approving nothing takes an approval back.
 */
import { Effect, Schema } from "effect"
import { usdc } from "../chains/usdc.ts"
import * as Text from "../encoding/text.ts"
import * as Decimal from "../money/decimal.ts"
import * as Usd from "../money/usd.ts"
import * as Usdc from "../money/usdc.ts"
import {
  InvalidAddress,
  InvalidAmount,
  NotFound,
  UnsupportedChain,
  UpstreamUnavailable
} from "../operation/refusal.ts"
import { OutlayLimitExceeded } from "../policy/outlay.ts"
import { revisionOf } from "../policy/revision.ts"
import { Allowances, Holdings } from "../ports/holdings.ts"
import * as Proposal from "../proposals/operation.ts"
import { unitsFor, worthUp } from "../sales/worth.ts"
import { ready } from "../submissions/submitter.ts"
import { AgreedPrices } from "../tokens/agreed-price.ts"
import { PriceUnavailable, TokenNotVerified } from "../tokens/refusals.ts"
import { InsufficientBalance } from "../wallets/balance.ts"
import { termsFor, wayOf } from "./approval.ts"
import { requireVenue } from "./offered.ts"
import * as Subject from "./subject.ts"
import { tokenApprove } from "./token-approve.ts"

/** Far above all there is of any token. */
const most = 10n ** 39n

const parseAmount = Effect.fnUntraced(function* (
  { pinned }: Subject.Listed,
  text: string | undefined
) {
  if (text === undefined) return undefined
  const amount = /^(?:0|[1-9]\d{0,39})$/u.test(text) ? BigInt(text) : undefined
  if (amount !== undefined && amount <= (pinned.isUsdc ? Usdc.maxMicro : most)) return amount
  return yield* new InvalidAmount({
    param: "amountSmallestUnit",
    message:
      'Send an integer of smallest units as a string: "12500000" is 12.50 USDC, and "0" revokes the approval.'
  })
})

const tokenOf = ({ pinned, wallet }: Subject.Listed) => ({
  chainId: wallet.chainId,
  address: pinned.address
})

/** What the chain says before it is proposed. */
export interface Seen {
  readonly units: bigint | undefined
  readonly heldUnits: bigint
  readonly isAllowed: boolean
}

const unlessAway = <A, R>(
  { wallet: { chainId } }: Subject.Listed,
  asking: Effect.Effect<A, { readonly _tag: "ChainUnavailable" }, R>
) =>
  Effect.mapError(
    asking,
    () =>
      new UpstreamUnavailable({
        message: `The chain ${chainId} does not respond; try again in a moment.`,
        details: { chainId }
      })
  )

/** All the wallet holds now, by a contract that says what the list says. */
const heldBy = Effect.fnUntraced(function* (subject: Subject.Listed) {
  const { pinned, tokenAddress, wallet } = subject
  const { balances } = yield* Holdings
  const asking = balances(wallet.chainId, [wallet.address], [pinned])
  const [[held] = []] = yield* unlessAway(subject, asking)
  if (held !== undefined) return held
  return yield* new TokenNotVerified({
    param: "tokenAddress",
    message: `The contract at ${tokenAddress} on ${wallet.chainId} is not the ${pinned.symbol} of ${pinned.decimals} decimals that the operator's list says, by its decimals, symbol or code; ask the operator.`
  })
})

/** Whether the spender may take something now; asked only where the token makes a difference of it. */
const isAllowed = Effect.fnUntraced(function* (subject: Subject.Listed) {
  if (!subject.pinned.approvesByZero) return false
  const { current } = yield* Allowances
  const asking = current(subject.wallet.chainId, [Subject.permissionOf(subject)])
  const [units = 0n] = yield* unlessAway(subject, asking)
  return units > 0n
})

const look = Effect.fnUntraced(function* (subject: Subject.Listed, units: bigint | undefined) {
  // Of USDC everything but the balance is known, and nothing is asked of what is only taken back.
  if (units === 0n || (units !== undefined && wayOf(subject.pinned) === "permit")) {
    return { units, heldUnits: 0n, isAllowed: false } satisfies Seen as Seen
  }
  yield* (yield* AgreedPrices).learn([tokenOf(subject)])
  const seen: Seen = {
    units,
    heldUnits: yield* heldBy(subject),
    isAllowed: yield* isAllowed(subject)
  }
  return seen
})

const nothingHeld = ({ pinned: { decimals, symbol } }: Subject.Listed) =>
  new InsufficientBalance({
    param: "fromWalletId",
    message: `The wallet holds no ${symbol}; fund it first, or send amountSmallestUnit.`,
    details: { held: Decimal.format({ units: 0n, places: decimals }), symbol },
    next: { operation: "list_wallets", args: {} }
  })

const unpriced = ({ pinned: { symbol }, wallet: { chainId } }: Subject.Listed) =>
  new PriceUnavailable({
    message: `There is no recent price of ${symbol} on ${chainId} that two sources agree on; try again in a few minutes.`,
    details: { chainId, symbol }
  })

/** The amount that is proposed, and what it is worth. */
const amountOf = Effect.fnUntraced(function* (subject: Subject.Listed, { heldUnits, units }: Seen) {
  const { decimals } = subject.pinned
  if (units === 0n) return { units, worth: Usd.zero }
  const price = yield* (yield* AgreedPrices).known(tokenOf(subject))
  if (price === undefined) return yield* unpriced(subject)
  if (units !== undefined) return { units, worth: worthUp({ units, decimals }, price) }
  if (heldUnits === 0n) return yield* nothingHeld(subject)
  const { hardCapMicro } = yield* revisionOf(subject.wallet.accountId)
  const capped = unitsFor(hardCapMicro, decimals, price)
  const least = heldUnits < capped ? heldUnits : capped
  return { units: least, worth: worthUp({ units: least, decimals }, price) }
})

export const proposeTokenApprove = Proposal.operation("propose_token_approve", tokenApprove, {
  summary:
    'Proposes a token approval: a flow\'s spender may take an exact amount from a wallet; "0" revokes it. Nothing changes yet.',
  next: "confirm_proposal with the returned proposalId executes it; check_allowance then shows it.",
  input: {
    ...Subject.fields,
    amountSmallestUnit: Schema.optionalKey(
      Text.Line(40).annotate({
        description:
          'The new allowance in smallest units; it replaces the old one, and "0" revokes it. Default: the current balance of the wallet, at most the hard cap per transfer.'
      })
    )
  },
  refusals: [
    NotFound,
    InvalidAddress,
    InvalidAmount,
    UnsupportedChain,
    InsufficientBalance,
    TokenNotVerified,
    PriceUnavailable,
    OutlayLimitExceeded,
    UpstreamUnavailable
  ],
  example: {
    input: {
      fromWalletId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3e",
      tokenAddress: usdc.base,
      flow: "intent_swap",
      amountSmallestUnit: "12500000"
    }
  },
  asks: () => Effect.undefined,
  prepare: Effect.fnUntraced(function* (input) {
    const subject = yield* Subject.findListed(input)
    const units = yield* parseAmount(subject, input.amountSmallestUnit)
    if (units !== 0n) yield* requireVenue(subject.flow, subject.wallet.chainId)
    yield* ready(subject.wallet.chainId, subject.wallet.accountId)
    return yield* look(subject, units)
  }),
  resolve: Effect.fnUntraced(function* (input, seen) {
    const subject = yield* Subject.findListed(input)
    const { units, worth } = yield* amountOf(subject, seen)
    return { terms: termsFor(subject, units, worth, seen.isAllowed) }
  })
})
