/** Who did what about a proposal, and when: proposed, confirmed, voted, signed. Told by the names people know. */
import { Effect } from "effect"
import { Approvals } from "../../../core/cosigners/cosigner-store.ts"
import { Humans } from "../../../core/humans/human-store.ts"
import type { Proposal } from "../../../core/proposals/proposal.ts"
import * as Timestamp from "../../../core/time/timestamp.ts"
import type { Visit } from "./parts/guard.ts"
import type { Row } from "./parts/table.tsx"

const humanPrefix = "human:"

/** A person by their name, a key by its label and what is known of its text. */
const actorIn = Effect.fnUntraced(function* ({ account, calls }: Visit) {
  const { api_keys: keys } = yield* calls.list_api_keys({ limit: 100 })
  const humans = yield* Humans
  return Effect.fnUntraced(function* (actor: string) {
    if (actor.startsWith(humanPrefix)) {
      const human = yield* humans.find(account.id, actor.slice(humanPrefix.length))
      return human === undefined ? actor : `${human.name}, in the console`
    }
    const key = keys.find(({ id }) => id === actor)
    if (key === undefined) return `Key ${actor}`
    const name = `${key.prefix}…${key.lastFour}`
    return key.label === null ? `Key ${name}` : `${key.label} (key ${name})`
  })
})

/** The names of co-signers as the account knows them. */
const voterIn = ({ calls }: Visit) =>
  Effect.map(
    calls.list_cosigner_memberships({ limit: 100 }),
    ({ cosigner_memberships: members }) =>
      (accountId: string) =>
        members.find(({ cosignerUserId }) => cosignerUserId === accountId)?.nickname ?? accountId
  )

const votesOn = Effect.fnUntraced(function* (visit: Visit, proposalId: string) {
  const approvals = yield* Approvals
  const approval = yield* approvals.ofProposal(proposalId)
  if (approval === undefined) return []
  const nameOf = yield* voterIn(visit)
  const votes = yield* approvals.votes(approval.id)
  return votes.map(({ at, isApproval, voterAccountId }) => ({
    what: isApproval ? "Approved as co-signer" : "Rejected as co-signer",
    who: nameOf(voterAccountId),
    at: Timestamp.format(at)
  }))
})

/** What was done, oldest first, as rows of `What`, `Who` and `When`. */
export const historyOf = Effect.fnUntraced(function* (visit: Visit, proposal: Proposal) {
  const nameOf = yield* actorIn(visit)
  const { confirmedAt, confirmedBy, createdAt, id, proposedBy, signedBy } = proposal
  const all = [
    { what: "Proposed", who: yield* nameOf(proposedBy), at: Timestamp.format(createdAt) },
    ...(confirmedAt === null
      ? []
      : [
          {
            what: "Confirmed",
            who: confirmedBy === null ? "" : yield* nameOf(confirmedBy),
            at: Timestamp.format(confirmedAt)
          }
        ]),
    ...(yield* votesOn(visit, id)),
    ...(signedBy === null
      ? []
      : [
          { what: "Signed with a passkey", who: yield* nameOf(`${humanPrefix}${signedBy}`), at: "" }
        ])
  ]
  return all.map(
    ({ at, what, who }): Row => ({
      id: `${what} ${who}`,
      cells: [{ text: what }, { text: who }, { text: at, isTime: true }]
    })
  )
})
