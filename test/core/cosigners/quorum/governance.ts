/** The steps of those who come, go and rule: each done by its operations, and told to the oracle. */
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { Cosigners } from "../../../../core/cosigners/cosigner-store.ts"
import * as GovernanceRows from "../../../support/governance-rows.ts"
import { callsOf, idOf, type Life, noId, outcome, proof, rulesOf } from "./life.ts"
import type { Band, Person } from "./step.ts"

export const invite = Effect.fnUntraced(function* (life: Life, who: Person) {
  const { agent } = life.group
  const asked = { cosignerUserId: idOf(life, who) }
  const before = life.oracle.invites.length
  const expected = life.oracle.invite(who)
  const inviting = Effect.gen(function* () {
    const { challenge } = yield* agent.invite_cosigner(asked)
    return yield* agent.invite_cosigner({ ...asked, ...(yield* proof(life, challenge)) })
  })
  const actual = yield* outcome(inviting, ({ inviteId }) => {
    life.names.invites.push(String(inviteId))
    return "ok"
  })
  assert.strictEqual(life.names.invites.length, Math.max(before, life.oracle.invites.length))
  return [actual, expected]
})

/** What no call can bring about, the records could still hold: the owner's twin among the members. */
export const plantTwin = Effect.fnUntraced(function* (life: Life, who: Person) {
  if (life.oracle.members.has(who)) return ["ok", "ok"]
  const row = GovernanceRows.anInvite(life.group.ownerId, idOf(life, who), {
    id: yield* noId,
    createdAt: yield* DateTime.now,
    expiresAt: DateTime.add(yield* DateTime.now, { days: 7 })
  })
  const cosigners = yield* Cosigners
  yield* cosigners.invite(row)
  yield* cosigners.answerInvite({ ...row, status: "accepted" })
  const membership = GovernanceRows.aMembership(row, {
    id: yield* noId,
    createdAt: yield* DateTime.now
  })
  yield* cosigners.join(membership)
  life.oracle.members.add(who)
  life.names.memberships.set(who, membership.id)
  return ["ok", "ok"]
})

export const answer = Effect.fnUntraced(function* (
  life: Life,
  who: Person,
  step: "accept" | "decline"
) {
  if (who === "owner's twin") return yield* plantTwin(life, who)
  const at = life.oracle.invites.findLastIndex((each) => each.who === who)
  const row = life.oracle.invites[at]
  if (row === undefined) return ["ok", "ok"]
  const expected = life.oracle.answer(row, step === "accept" ? "accepted" : "declined")
  const asked = { inviteId: life.names.invites[at] as string }
  const calls = callsOf(life, who)
  const actual = yield* outcome(
    step === "accept" ? calls.accept_cosigner_invite(asked) : calls.decline_cosigner_invite(asked)
  )
  const { cosigner_memberships: rows } = yield* life.group.agent.list_cosigner_memberships({})
  const joined = rows.find(({ cosignerUserId }) => cosignerUserId === idOf(life, who))
  if (joined !== undefined) life.names.memberships.set(who, joined.id)
  return [actual, expected]
})

export const remove = Effect.fnUntraced(function* (life: Life, who: Person) {
  const { agent } = life.group
  const asked = { membershipId: life.names.memberships.get(who) ?? (yield* noId) }
  const removing = Effect.gen(function* () {
    const { challenge } = yield* agent.remove_cosigner(asked)
    return yield* agent.remove_cosigner({ ...asked, ...(yield* proof(life, challenge)) })
  })
  return [yield* outcome(removing), life.oracle.remove(who)]
})

export const bringBack = Effect.fnUntraced(function* (life: Life, at: number | undefined) {
  const challenge = at === undefined ? undefined : life.oracle.challenges[at]
  if (at === undefined || challenge === undefined) return ["ok", "ok"]
  const asked = {
    rules: rulesOf(challenge.bands),
    ...(yield* proof(life, life.names.challenges[at]))
  }
  const ruling = life.group.agent.update_cosigner_rules(asked)
  return [yield* outcome(ruling, () => "ruled"), life.oracle.signRules(challenge)]
})

export const rule = Effect.fnUntraced(function* (
  life: Life,
  bands: ReadonlyArray<Band>,
  isSigned: boolean
) {
  const expected = life.oracle.askRules(bands)
  const asking = life.group.agent.update_cosigner_rules({ rules: rulesOf(bands) })
  const actual = yield* outcome(asking, ({ challenge }) => {
    if (challenge === undefined) return "ruled"
    life.names.challenges.push(challenge)
    return "challenge"
  })
  if (actual !== "challenge" || expected !== "challenge" || !isSigned) return [actual, expected]
  return yield* bringBack(life, life.oracle.challenges.length - 1)
})
