/**
 * What the signing side reads from the database itself before a wallet's key signs. A key signs only what an
 * executing proposal of its account says, under its own hash and by the rule of its kind.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { type AddressKey, isSame } from "../chains/address.ts"
import { isSameKey } from "../chains/key.ts"
import { isSameToken } from "../chains/token-amount.ts"
import { canonical } from "../encoding/canonical.ts"
import { Secrets } from "../ports/secrets.ts"
import type { SwapVenues } from "../ports/swap-venue.ts"
import { firstBroken, type Kind, type Signing, type SigningRequest } from "../proposals/kind.ts"
import { isUnsigned, type Proposal } from "../proposals/proposal.ts"
import { Proposals } from "../proposals/proposal-store.ts"
import { intentOf } from "../proposals/propose.ts"
import { ofProposal } from "../submissions/identity.ts"
import { type Order, SigningDenied } from "../submissions/order.ts"
import {
  type Reclaim,
  ReclaimDenied,
  violation as reclaimViolation
} from "../submissions/reclaim.ts"
import { SubmissionStore } from "../submissions/submission-store.ts"
import { isOfOrder } from "../swaps/order-form.ts"
import { Identity } from "../timeline/identity.ts"
import { UsdcImplementations } from "../tokens/usdc-implementation-store.ts"
import { whyStopped } from "../tokens/usdc-stop.ts"
import type { Wallet } from "../wallets/wallet.ts"
import { Wallets } from "../wallets/wallet-store.ts"
import { kinds } from "./kinds.ts"

/** What the records say of a signature, all read anew. */
export interface Standing {
  readonly proposal: Proposal | undefined
  /** Recomputed from what is stored. */
  readonly intentHash: string | undefined
  /** Of the part that is asked for, derived from the call it was proposed by. */
  readonly identity: string | undefined
  readonly wallet: Wallet | undefined
  /** Whether the bytes are those of the order that they are asked to be signed for. */
  readonly isOfOrder: boolean
  /** What the rule of the proposal's kind has read. */
  readonly records: unknown
}

/** What holds of every signature, whatever it is for. */
const foundation = (
  request: SigningRequest,
  { identity, intentHash, isOfOrder, proposal, wallet }: Standing
) =>
  firstBroken([
    [proposal?.id === request.proposalId, "the account has no such proposal"],
    [proposal?.accountId === request.accountId, "the proposal is another account's"],
    [proposal?.status === "executing", "the proposal is not executing"],
    [proposal?.intentHash === intentHash, "the proposal's terms are not those that were hashed"],
    [proposal !== undefined && !isUnsigned(proposal), "no passkey has signed the proposal"],
    [identity === request.identity, "the proposal has another identity on the chain"],
    [wallet?.id === request.walletId, "the account has no such wallet"],
    [wallet !== undefined && isSameKey(wallet.key, request.key), "the wallet has another key"],
    [wallet?.chainId === request.chainId, "the wallet is on another chain"],
    [
      isSameToken(request.amount.token, { chainId: request.chainId, address: request.token }),
      "it would be signed for another token"
    ],
    [
      isSame(request.chainId, wallet?.address ?? "", request.from),
      "the wallet has another address"
    ],
    [
      (request.act === "call" || request.act === "order") === (request.call !== null),
      "only a call says what is called"
    ],
    [request.act === "transfer" || request.memo === undefined, "only a transfer carries a memo"],
    [isOfOrder, "the bytes are not those of the order"]
  ])

/** What all kinds together read before they sign. */
type Reading = {
  readonly [Name in Kind]: (typeof kinds)[Name] extends {
    readonly signing?: Signing<never, never, infer Needs>
  }
    ? Needs
    : never
}[Kind]

interface Signs {
  readonly terms: Schema.Codec<never, unknown>
  readonly signing?: Signing<never, unknown, Reading>
}

/** Each rule is handed the terms and records of its own kind, which a union of all cannot say. */
type Rules = Readonly<Record<string, Signs>>

const ofRegistry = kinds as unknown as Rules

const ruleOf = (proposal: Proposal | undefined, all: Rules) => {
  const kind = proposal === undefined ? undefined : all[proposal.kind]
  return kind?.signing === undefined ? undefined : { terms: kind.terms, ...kind.signing }
}

/** Why a request must not be signed, if it must not. */
export const violation = (
  request: SigningRequest,
  standing: Standing,
  rules: Rules = ofRegistry
): string | undefined => {
  const { proposal, records } = standing
  const unfounded = foundation(request, standing)
  if (unfounded !== undefined) return unfounded
  const rule = ruleOf(proposal, rules)
  if (rule === undefined) return "its kind signs nothing"
  const terms = Schema.decodeUnknownOption(Schema.toCodecJson(rule.terms))(proposal?.terms)
  return Option.isNone(terms)
    ? "the terms are none of its kind"
    : rule.violation(request, terms.value, records)
}

export class SigningPolicy extends Context.Service<
  SigningPolicy,
  {
    /**
     * Dies with `SigningDenied` unless the records warrant the order, signed for this token by these bytes; whoever
     * signs asks this first.
     */
    readonly assertAllowed: (
      order: Order,
      token: AddressKey,
      bytes: Uint8Array
    ) => Effect.Effect<void>
    /** Dies with `ReclaimDenied` unless the records call every one of its payments final. */
    readonly assertReclaimAllowed: (reclaim: Reclaim) => Effect.Effect<void>
  }
>()("bursar/treasury/SigningPolicy") {}

/** Over the records themselves, which the signing side reads for itself, by the rules of these kinds. */
export const layerOver = (rules: Rules) =>
  Layer.effect(
    SigningPolicy,
    Effect.gen(function* () {
      const { derive } = yield* Identity
      const proposals = yield* Proposals
      const secrets = yield* Secrets
      const wallets = yield* Wallets
      const submissions = yield* SubmissionStore
      const implementations = yield* UsdcImplementations
      const services = yield* Effect.context<Reading | SwapVenues>()
      /** The part of the proposal that has this identity on the chain; null as well when none of them has. */
      const partOf = Effect.fnUntraced(function* (
        proposal: Proposal | undefined,
        identity: string
      ) {
        const parts = ruleOf(proposal, rules)?.parts
        if (proposal === undefined || parts === undefined) return null
        const all =
          typeof parts === "function"
            ? parts((yield* submissions.ofProposals([proposal.id])).length)
            : parts
        return all.find((part) => derive(ofProposal(proposal, part)) === identity) ?? null
      })
      const read = Effect.fnUntraced(function* (
        proposal: Proposal | undefined,
        request: SigningRequest,
        bytes: Uint8Array
      ) {
        const [ofOrder, wallet, records] = yield* Effect.all(
          [
            isOfOrder(request, bytes),
            wallets.find(request.accountId, request.walletId),
            proposal === undefined
              ? Effect.undefined
              : (ruleOf(proposal, rules)?.read(proposal, request) ?? Effect.undefined)
          ],
          { concurrency: "unbounded" }
        )
        const standing: Standing = {
          proposal,
          isOfOrder: ofOrder,
          intentHash:
            proposal === undefined ? undefined : secrets.sha256(canonical(intentOf(proposal))),
          identity: proposal === undefined ? undefined : derive(ofProposal(proposal, request.part)),
          wallet,
          records
        }
        return standing
      })
      return {
        assertReclaimAllowed: Effect.fnUntraced(function* (reclaim: Reclaim) {
          const { accountId, chainId, from, walletId } = reclaim
          const wallet = yield* wallets.find(accountId, walletId)
          const payments = yield* submissions.identitiesOf(chainId, from)
          const against = reclaimViolation(reclaim, { wallet, payments })
          if (against !== undefined) yield* Effect.die(new ReclaimDenied(walletId, against))
        }),
        assertAllowed: Effect.fnUntraced(function* (
          order: Order,
          token: AddressKey,
          bytes: Uint8Array
        ) {
          const proposal = yield* proposals.find(order.accountId, order.proposalId)
          const part = yield* partOf(proposal, order.identity)
          const request: SigningRequest = { ...order, token, part }
          const [standing, stopped] = yield* Effect.all(
            [
              Effect.provideContext(read(proposal, request, bytes), services),
              Effect.provideService(whyStopped(order.chainId), UsdcImplementations, implementations)
            ],
            { concurrency: "unbounded" }
          )
          const against = violation(request, standing, rules) ?? stopped
          if (against !== undefined) {
            return yield* Effect.die(new SigningDenied(order.proposalId, against))
          }
        })
      }
    })
  )

/** By the rules of the kinds there are. */
export const layer = layerOver(ofRegistry)
