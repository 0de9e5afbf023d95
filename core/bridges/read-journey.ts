/** Reads from the records what a step of a bridge is about: its terms, its bridge, its identity and what it was opened with. */
import { Effect, Schema } from "effect"
import { type Bridge, Bridges, type Journey, type Protocol } from "../ports/bridge.ts"
import type { Proposal } from "../proposals/proposal.ts"
import { Proposals } from "../proposals/proposal-store.ts"
import { ofProposal } from "../submissions/identity.ts"
import { SubmissionStore } from "../submissions/submission-store.ts"
import { Identity } from "../timeline/identity.ts"
import { WaitStore } from "../waits/wait-store.ts"
import { Opened } from "./steps.ts"
import * as Terms from "./terms.ts"

const decodeTerms = Schema.decodeUnknownSync(Schema.toCodecJson(Schema.Struct(Terms.terms)))
const decodeOpened = Schema.decodeUnknownOption(Schema.toCodecJson(Opened))

export const bridgeOf = Effect.fnUntraced(function* (protocol: Protocol) {
  const bridge = (yield* Bridges).find((each) => each.protocol === protocol)
  if (bridge !== undefined) return bridge
  return yield* Effect.die(new Error(`The bridge ${protocol} is not configured.`))
})

export interface Reading {
  readonly bridge: Bridge
  readonly approved: Terms.Terms
  readonly identity: string
}

export const readProposal = Effect.fnUntraced(function* (proposal: Proposal) {
  const approved = decodeTerms(proposal.terms)
  const identity = (yield* Identity).derive(ofProposal(proposal))
  const reading: Reading = { bridge: yield* bridgeOf(approved.protocol), approved, identity }
  return reading
})

/** Of the proposal that a wait or a submission is a step of. */
export const read = Effect.fnUntraced(function* (accountId: string, proposalId: string) {
  const proposal = yield* (yield* Proposals).find(accountId, proposalId)
  if (proposal !== undefined) return yield* readProposal(proposal)
  return yield* Effect.die(new Error(`There is no proposal ${proposalId}.`))
})

/** What it was opened with; undefined before that, and where it left before these records knew of it. */
export const openedOf = Effect.fnUntraced(function* (proposalId: string) {
  const waits = yield* (yield* WaitStore).ofProposals([proposalId])
  const opening = waits.findLast(({ watch }) => watch === "bridge_opening")
  const opened = decodeOpened(opening?.journal)
  return opened._tag === "Some" ? opened.value : undefined
})

/** Whether a transaction in which it leaves was handed over, and may still stand in a block or come to. */
export const hasBegun = Effect.fnUntraced(function* (proposalId: string) {
  const submissions = yield* (yield* SubmissionStore).ofProposals([proposalId])
  return submissions.some(
    ({ purpose, status }) =>
      purpose.name === "bridge_departure" && (status === "submitted" || status === "seen")
  )
})

/** The floor alone, where nothing better is known: what is looked for on the chain does not depend on it. */
const floorOf = ({ minBuyAmount }: Terms.Terms): Terms.Carriage => ({ minBuyAmount, offer: {} })

/** What travels: as it was opened, or as the terms say where that is lost. */
export const journeyOf = Effect.fnUntraced(function* (
  { approved, identity }: Reading,
  proposalId: string
) {
  const opened = yield* openedOf(proposalId)
  return Terms.journeyOf(approved, identity, opened ?? floorOf(approved)) satisfies Journey
})
