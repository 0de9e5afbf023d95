/**
 * What can be taken away in a failover, as a process sets it up: an account of its own for each, so that what is
 * taken from one is missed by no other. The operator's commands are done as the command line does them.
 */
import { Effect, Layer } from "effect"
import { authenticate } from "../../core/accounts/authenticate.ts"
import { pauseAccount } from "../../core/accounts/pause.ts"
import { Cosigners } from "../../core/cosigners/cosigner-store.ts"
import { sendInvite } from "../../core/cosigners/invite-cosigner.ts"
import { watch } from "../../core/operation/taking-authority.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { Durability } from "../../core/ports/durability.ts"
import { Ids } from "../../core/ports/ids.ts"
import { setTier } from "../../core/proposals/set-tier.ts"
import { callsOf } from "../../core/treasury/treasury.ts"
import { developerAccount } from "../money/process.ts"
import type { Bug } from "../money/settings.ts"
import type { Kind } from "./taking-kinds.ts"

/** One thing that can be taken away once. */
export interface Given {
  readonly kind: Kind
  readonly accountId: string
  /** Its wallet, which has nothing. */
  readonly walletId: string
  readonly address: string
  readonly recipientId: string
  readonly apiKey: string
  /** Of the account that co-signs or is invited to, if there is one. */
  readonly otherKey: string
  readonly inviteId: string
}

/** The rules that are to be set; they ask for more than none do. */
export const rules = [
  { action: "send" as const, minAmountMicro: "1000000", maxAmountMicro: null, requiredApprovals: 1 }
]

/** Another account that co-signs for it, or is invited to. */
const cosigner = Effect.fnUntraced(function* (ownerAccountId: string, payee: string) {
  const { account, apiKey } = yield* developerAccount(payee)
  const wanted = { ownerAccountId, cosignerAccountId: account.id, nickname: null }
  const { createdAt, id: inviteId } = yield* sendInvite(wanted, "test")
  return {
    apiKey,
    inviteId,
    join: Effect.gen(function* () {
      const cosigners = yield* Cosigners
      const invite = yield* cosigners.lockInvite(inviteId)
      if (invite !== undefined) yield* cosigners.answerInvite({ ...invite, status: "accepted" })
      const id = yield* (yield* Ids).uuid
      yield* cosigners.join({ ...wanted, id, inviteId, createdAt, removedAt: null })
    })
  }
})

const written = Effect.fnUntraced(function* (kind: Kind, payee: string) {
  const { account, apiKey, wallet } = yield* developerAccount(payee)
  const { recipients } = yield* Effect.flatMap(authenticate(apiKey), (caller) =>
    callsOf(caller).list_recipients({})
  )
  const common = {
    kind,
    accountId: account.id,
    walletId: wallet.id,
    address: wallet.address,
    recipientId: recipients[0]?.id ?? "",
    apiKey
  }
  if (kind === "revoke_cosigner_invite") {
    const invited = yield* cosigner(account.id, payee)
    return { ...common, otherKey: invited.apiKey, inviteId: invited.inviteId }
  }
  if (kind !== "update_cosigner_rules" && kind !== "reject_cosigner_action") {
    return { ...common, otherKey: "", inviteId: "" }
  }
  const member = yield* cosigner(account.id, payee)
  yield* member.join
  return { ...common, otherKey: member.apiKey, inviteId: member.inviteId }
})

/** Sets one up in one transaction. */
export const give = (kind: Kind, payee: string) =>
  Effect.flatMap(Atomically, ({ run }) => run(written(kind, payee)))

/** What the operator's command does, and whether a standby has it. */
export const command = Effect.fnUntraced(function* (kind: "pause" | "tier set", accountId: string) {
  const { run } = yield* Atomically
  const { begin, told } = yield* watch
  const tighten = Effect.asVoid(setTier(accountId, "personal"))
  const work = kind === "pause" ? Effect.asVoid(pauseAccount(accountId)) : tighten
  yield* run(Effect.andThen(begin, work))
  return yield* told
})

const boastful = Layer.succeed(Durability, {
  place: Effect.succeed("here"),
  isKept: () => Effect.succeed(true)
})

/** Says of whatever is committed that a standby has it, if that mistake is planted. */
export const boasting = (bug: Bug | undefined) =>
  bug === "says that a standby has it" ? boastful : Layer.empty
