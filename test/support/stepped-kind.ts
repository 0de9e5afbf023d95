/**
 * A kind of three steps: a payment, an attestation of it by somebody outside, and a second payment. Nothing of the
 * product is like it; it takes the machine of steps through what that can do.
 */
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { Address, AddressKey, keyOf } from "../../core/chains/address.ts"
import * as Usd from "../../core/money/usd.ts"
import * as Usdc from "../../core/money/usdc.ts"
import { windowsAt } from "../../core/policy/limits.ts"
import { Spending } from "../../core/policy/spending-ledger.ts"
import * as Kind from "../../core/proposals/kind.ts"
import type { Proposal } from "../../core/proposals/proposal.ts"
import { kinds } from "../../core/treasury/kinds.ts"
import { watches } from "../../core/treasury/watches.ts"
import type { Moment, NextStep, Step, StepSubmission } from "../../core/waits/next-step.ts"
import type { Wait } from "../../core/waits/wait.ts"
import { alone, type Look, Watches } from "../../core/waits/watches.ts"
import * as SendingRows from "./sending-rows.ts"

/** Whoever attests, outside; what was handed in stays handed in whatever becomes of the process. */
export class Attester extends Context.Service<
  Attester,
  {
    /** Takes a claim in. The same one again changes nothing. */
    readonly post: (uid: string) => Effect.Effect<void>
    /** What the chain says of a claim: the block that has it; undefined while none has. */
    readonly attested: (uid: string) => Effect.Effect<string | undefined>
  }
>()("bursar/test/Attester") {}

export const terms = {
  fromWalletId: Schema.String,
  fromAddress: Address,
  chainId: Schema.String,
  token: AddressKey,
  burnTo: Address,
  mintTo: Address,
  amountSmallestUnit: Usdc.Units,
  /** What is to be held of the caps before anything is attested. */
  reserveMicro: Schema.NullOr(Usdc.Units)
}
export type Terms = Schema.Struct<typeof terms>["Type"]

const pays = (of: Terms, kind: "burn" | "mint", to: Address, part?: string): StepSubmission => ({
  _tag: "submit",
  kind,
  purpose: "send",
  chainId: of.chainId,
  walletId: of.fromWalletId,
  act: "transfer",
  from: keyOf(of.chainId, of.fromAddress),
  to: keyOf(of.chainId, to),
  amount: { token: { chainId: of.chainId, address: of.token }, units: of.amountSmallestUnit },
  ...(part === undefined ? {} : { part })
})

const attestWithin = "20 minutes"

/** What comes next. */
export const next = (of: Terms, steps: ReadonlyArray<Step>, moment: Moment): NextStep => {
  const last = steps.filter((step) => step.kind !== "cancel").at(-1)
  if (last === undefined) return pays(of, "burn", of.burnTo, "burn")
  if (!last.isDone) {
    const reason = last._tag === "wait" ? last.wait.reason : last.submission.reason
    return {
      _tag: "end",
      outcome: last.kind === "burn" ? "not_executed" : "partly_executed",
      reason: reason ?? "It was not done."
    }
  }
  if (last.kind === "burn") {
    return {
      _tag: "wait",
      kind: "attest",
      watch: "attester",
      chainId: of.chainId,
      terms: {
        reserve: of.reserveMicro === null ? null : String(of.reserveMicro),
        walletId: of.fromWalletId,
        token: of.token,
        from: keyOf(of.chainId, of.fromAddress),
        to: keyOf(of.chainId, of.burnTo)
      },
      deadline: DateTime.addDuration(moment.now, attestWithin)
    }
  }
  if (last.kind === "attest") return pays(of, "mint", of.mintTo)
  const amount = String(of.amountSmallestUnit)
  return {
    _tag: "end",
    outcome: "executed",
    result: { soldAmount: amount, boughtAmount: amount, feesPaid: [] }
  }
}

const reserved = Effect.fnUntraced(function* (proposal: Proposal, of: Terms) {
  const at = yield* DateTime.now
  yield* (yield* Spending).reserve(
    {
      proposalId: proposal.id,
      accountId: proposal.accountId,
      amountMicro: Usdc.toUsd(of.amountSmallestUnit),
      windows: windowsAt(at),
      at
    },
    SendingRows.limits()
  )
  return { status: "executing" as const }
})

export const stepped = {
  ...Kind.define("three_steps", {
    title: "Pay twice",
    movesMoney: true,
    refusals: [],
    terms,
    summary: () => "Pay, have it attested, and pay again",
    check: () => Effect.void,
    perform: reserved,
    next,
    isStoppable: true,
    signing: {
      parts: ["burn", "cancel"],
      read: () => Effect.void,
      violation: (request, of) =>
        Kind.firstBroken([
          [
            request.to === keyOf(of.chainId, request.part === null ? of.mintTo : of.burnTo),
            "the terms name another address to pay"
          ]
        ])
    }
  })
}

/** What is submitted beside the wait when it is asked to stop: one unit more is paid. */
const taking = ({ chainId, terms: of }: Wait): StepSubmission => ({
  _tag: "submit",
  kind: "cancel",
  purpose: "send",
  chainId,
  walletId: String(of.walletId),
  act: "transfer",
  from: AddressKey.make(String(of.from)),
  to: AddressKey.make(String(of.to)),
  amount: { token: { chainId, address: AddressKey.make(String(of.token)) }, units: 1n },
  part: "cancel"
})

export const uidOf = ({ proposalId }: Pick<Wait, "proposalId">) => `claim of ${proposalId}`

/** It is far too late after an hour. */
const stuckAfter = "1 hour"

/** Writes down what it claims, claims it, and looks whether it is attested. */
export const look = Effect.fnUntraced(function* (wait: Wait) {
  const { journal, terms: of } = wait
  const uid = uidOf(wait)
  if (journal.uid === undefined) {
    if (wait.isStopAsked) {
      const stopped: Look = {
        reason: "It was cancelled before it was claimed.",
        ended: { isDone: false, evidence: null },
        nextLookMs: 0
      }
      return stopped
    }
    const reserve = typeof of.reserve === "string" ? Usd.make(BigInt(of.reserve)) : undefined
    const claimed: Look = {
      journal: { uid },
      nextLookMs: 0,
      ...(reserve === undefined ? {} : { reserve })
    }
    return claimed
  }
  const attester = yield* Attester
  if (journal.isPosted !== true) {
    yield* attester.post(uid)
    return { journal: { ...journal, isPosted: true }, nextLookMs: 0 } satisfies Look as Look
  }
  if (wait.isStopAsked && journal.isTakenBack !== true) {
    const taken: Look = {
      journal: { ...journal, isTakenBack: true },
      submissions: [taking(wait)],
      nextLookMs: 5000
    }
    return taken
  }
  const block = yield* attester.attested(uid)
  if (block === undefined) {
    const stuckAt = DateTime.addDuration(wait.openedAt, stuckAfter)
    const isStuck = DateTime.isGreaterThan(yield* DateTime.now, stuckAt)
    const waiting: Look = { isStuck, reason: "It is not attested yet.", nextLookMs: 5000 }
    return waiting
  }
  const done: Look = {
    ended: { isDone: true, evidence: { type: "block", id: block } },
    nextLookMs: 0
  }
  return done
})

export const watch = alone(look, { isUnbegun: ({ journal }) => journal.uid === undefined })

/** The registries, with this kind and its watch among them. */
export const registered = Layer.mergeAll(
  // What is handed down is typed by the product's own registry, which names neither.
  Layer.succeed(Kind.Kinds, { ...kinds, three_steps: stepped } as Kind.Registry),
  Layer.succeed(Watches, { ...watches, attester: watch } as (typeof Watches)["Service"])
)
