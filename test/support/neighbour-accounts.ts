/**
 * One of everything between accounts: a neighbour this account co-signs for, another that co-signs for it,
 * invites both ways, and a request a human has yet to sign.
 */
import { DateTime, Effect } from "effect"
import { Cosigners } from "../../core/cosigners/cosigner-store.ts"
import type { Facts as CallerFacts } from "../../core/operation/caller.ts"
import { Ids } from "../../core/ports/ids.ts"
import type { callsOf } from "../../core/treasury/treasury.ts"
import * as Accounts from "./accounts.ts"

export interface CosignerGroup {
  /** An account that may be invited. */
  readonly neighbourId: string
  /** The membership of one who co-signs for this account. */
  readonly membershipId: string
  readonly incomingInviteId: string
  readonly otherIncomingInviteId: string
  readonly outgoingInviteId: string
  /** What waits for this account's vote. */
  readonly approvalId: string
  readonly otherApprovalId: string
  readonly governanceRequestId: string
}

const join = Effect.fnUntraced(function* (ownerAccountId: string, cosignerAccountId: string) {
  const ids = yield* Ids
  const membership = {
    id: yield* ids.uuid,
    ownerAccountId,
    cosignerAccountId,
    nickname: null,
    inviteId: yield* invited(ownerAccountId, cosignerAccountId, "accepted"),
    createdAt: yield* DateTime.now,
    removedAt: null
  }
  yield* (yield* Cosigners).join(membership)
  return membership.id
})

const invited = Effect.fnUntraced(function* (
  ownerAccountId: string,
  cosignerAccountId: string,
  status: "pending" | "accepted"
) {
  const createdAt = yield* DateTime.now
  const invite = {
    id: yield* (yield* Ids).uuid,
    ownerAccountId,
    cosignerAccountId,
    nickname: null,
    status,
    createdAt,
    expiresAt: DateTime.add(createdAt, { days: 7 })
  }
  yield* (yield* Cosigners).invite(invite)
  return invite.id
})

/** Furnishes the account of a developer; `tick` passes between two writes. */
export const cosignersOf = Effect.fnUntraced(function* (
  { accountId }: CallerFacts,
  call: ReturnType<typeof callsOf>,
  tick: Effect.Effect<void>
) {
  const neighbour = yield* Accounts.opened({ name: "Neighbour" })
  const others = yield* Effect.forEach(["Ada", "Ben", "Cleo"], (name) => Accounts.opened({ name }))
  const [ada, ben, cleo] = others.map((each) => each.accountId) as [string, string, string]
  yield* join(neighbour.accountId, accountId)
  const membershipId = yield* join(accountId, cleo)
  const newcomer = Effect.fnUntraced(function* (address: string) {
    const added = yield* neighbour.call.add_recipient({ address, chainId: "local" })
    yield* tick
    yield* neighbour.call.confirm_proposal({ proposalId: added.proposalId as string })
    yield* tick
    const { recipients } = yield* neighbour.call.list_recipients({})
    return recipients.find((each) => each.address === address)?.id as string
  })
  const approvalId = yield* newcomer("0x52908400098527886E0F7030069857D2E4169EE7")
  const otherApprovalId = yield* newcomer("0x8617E340B3D01FA5F11F306F4090FD50E238070D")
  const incomingInviteId = yield* invited(ada, accountId, "pending")
  yield* tick
  const otherIncomingInviteId = yield* invited(ben, accountId, "pending")
  yield* tick
  const outgoingInviteId = yield* invited(accountId, ada, "pending")
  const asked = yield* call.invite_cosigner({ cosignerUserId: ben })
  yield* tick
  return {
    neighbourId: neighbour.accountId,
    membershipId,
    incomingInviteId,
    otherIncomingInviteId,
    outgoingInviteId,
    approvalId,
    otherApprovalId,
    governanceRequestId: asked.governanceRequestId as string
  } satisfies CosignerGroup
})
