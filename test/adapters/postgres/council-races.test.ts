/**
 * On a server: all who decide about one account do so at once. Money moves as it was agreed and no further,
 * nothing of it fails on our side, and nobody waits in a circle.
 */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as FastCheck from "fast-check"
import { Store } from "../../../adapters/memory/store.ts"
import * as Stores from "../../../adapters/postgres/stores.ts"
import { fundingWallet } from "../../../apps/testing/seed.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { Approvals } from "../../../core/cosigners/cosigner-store.ts"
import { windowsAt } from "../../../core/policy/limits.ts"
import { Spending } from "../../../core/policy/spending-ledger.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { expireProposals } from "../../../core/proposals/cancel.ts"
import { setTier } from "../../../core/proposals/set-tier.ts"
import type { Calls } from "../../../core/treasury/treasury.ts"
import { type CosignerGroup, group } from "../../core/cosigners/quorum/cosigner-group.ts"
import type { Person } from "../../core/cosigners/quorum/step.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"

const treasuryAt = (address: string) =>
  Layer.merge(
    Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1),
    Layer.orDie(Layer.provide(Stores.layer, FreshDatabase.engineAt(address, 24)))
  )

const members: ReadonlyArray<Person> = ["ada", "ada's twin", "ben", "cleo", "dora"]
const sends = 16
const [small, large] = [100_000_000n, 2_600_000_000n]
const amountOf = (nth: number) => (nth % 2 === 0 ? small : large)

interface Issued {
  readonly challengeId: string
  readonly message: string
}

const proof = Effect.fnUntraced(function* ({ challengeId, message }: Issued) {
  const walletSignature = yield* Effect.promise(() => fundingWallet.signMessage({ message }))
  return { challengeId, walletSignature }
})

const callsOf = ({ calls }: CosignerGroup, who: Person) => calls.get(who) as Calls

const joins = Effect.fnUntraced(function* (of: CosignerGroup, who: Person) {
  const asked = { cosignerUserId: of.accountIds.get(who) as string }
  const { challenge } = yield* of.agent.invite_cosigner(asked)
  const signed = { ...asked, ...(yield* proof(challenge as Issued)) }
  const { inviteId } = yield* of.agent.invite_cosigner(signed)
  yield* callsOf(of, who).accept_cosigner_invite({ inviteId: inviteId as string })
})

const leaves = Effect.fnUntraced(function* ({ accountIds, agent }: CosignerGroup, who: Person) {
  const { cosigner_memberships: all } = yield* agent.list_cosigner_memberships({})
  const membership = all.find(({ cosignerUserId }) => cosignerUserId === accountIds.get(who))
  const asked = { membershipId: membership?.id ?? "none" }
  const { challenge } = yield* agent.remove_cosigner(asked)
  yield* agent.remove_cosigner({ ...asked, ...(yield* proof(challenge as Issued)) })
})

const ruled = Effect.fnUntraced(function* ({ agent }: CosignerGroup, requiredApprovals: number) {
  const band = { minAmountMicro: String(small), maxAmountMicro: null, requiredApprovals }
  const asked = { rules: [{ action: "send" as const, ...band }] }
  const { challenge } = yield* agent.update_cosigner_rules(asked)
  if (challenge === undefined) return
  yield* agent.update_cosigner_rules({ ...asked, ...(yield* proof(challenge)) })
})

const votes = Effect.fnUntraced(function* (
  of: CosignerGroup,
  who: Person,
  id: string,
  isFor: boolean
) {
  const approval = yield* (yield* Approvals).ofProposal(id)
  const asked = { pendingApprovalId: approval?.id ?? "none" }
  const calls = callsOf(of, who)
  yield* isFor ? calls.approve_cosigner_action(asked) : calls.reject_cosigner_action(asked)
})

/** A group of five under a rule of two votes, and sends, most of them confirmed: the newest first. */
const waiting = Effect.gen(function* () {
  const of = yield* group
  yield* Effect.forEach(members, (who) => joins(of, who))
  yield* ruled(of, 2)
  const ids = yield* Effect.forEach(Array.from({ length: sends }), (_, nth) =>
    Effect.map(
      of.agent.propose_transfer({
        recipientId: of.payeeId,
        fromWalletId: of.walletId,
        amountUsdc: String(amountOf(nth) / 1_000_000n)
      }),
      ({ proposalId }) => proposalId
    )
  )
  yield* Effect.forEach(ids.slice(0, 10).toReversed(), (proposalId) =>
    of.agent.confirm_proposal({ proposalId })
  )
  return { of, ids }
})

/** All that happens at once. */
const everything = (of: CosignerGroup, ids: ReadonlyArray<string>, isRevoked: boolean) => {
  const { agent, ownerId, payeeId } = of
  const tier = (to: "personal" | "startup") =>
    Effect.flatMap(Atomically, ({ run }) => run(setTier(ownerId, to)))
  const deciding = ids.flatMap((proposalId, nth) => [
    Effect.asVoid(agent.confirm_proposal({ proposalId })),
    ...members.map((who, at) => votes(of, who, proposalId, (nth + at) % 5 !== 0))
  ])
  const changing = ids
    .slice(0, 4)
    .flatMap((proposalId) => [
      ...[3, 2, 1].map((required) => ruled(of, required)),
      leaves(of, "dora"),
      joins(of, "dora"),
      leaves(of, "ada's twin"),
      Effect.andThen(leaves(of, "ben"), joins(of, "ben")),
      Effect.asVoid(agent.cancel_proposal({ proposalId })),
      Effect.asVoid(expireProposals),
      Effect.asVoid(tier("personal")),
      Effect.asVoid(tier("startup"))
    ])
  const revoking = isRevoked
    ? [Effect.asVoid(agent.revoke_recipient({ recipientId: payeeId }))]
    : []
  // Those who lock many begin together, before there is little left to lock.
  const first = [ruled(of, 3), Effect.asVoid(tier("personal")), ...revoking, ruled(of, 3)]
  return { first, rest: [...deciding, ...changing] }
}

/** What was sent, after seeing that every send of it had the votes of enough humans. */
const agreed = Effect.fnUntraced(function* (
  { accountIds, agent }: CosignerGroup,
  ids: ReadonlyArray<string>
) {
  const approvals = yield* Approvals
  const ada = accountIds.get("ada")
  const twin = accountIds.get("ada's twin")
  let sentMicro = 0n
  for (const [nth, proposalId] of ids.entries()) {
    const { status } = yield* agent.get_proposal({ proposalId })
    if (status !== "executing") continue
    sentMicro += amountOf(nth)
    const approval = yield* approvals.ofProposal(proposalId)
    assert.strictEqual(approval?.status, "approved")
    const cast = yield* approvals.votes(approval?.id ?? "")
    const yes = cast.filter(({ isApproval }) => isApproval).map((vote) => vote.voterAccountId)
    const humans = new Set(yes.map((each) => (each === twin ? ada : each)))
    assert.isAtLeast(humans.size, approval?.required ?? 0)
  }
  return sentMicro
})

/** How often somebody waited in a circle; told once all who could have are gone. */
const deadlocks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const others = sql`select pid from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`
  yield* Effect.repeat(others, { until: (rows) => rows.length === 0 })
  const rows = yield* sql<{ deadlocks: bigint }>`select deadlocks from pg_stat_database
    where datname = current_database()`
  return rows[0]?.deadlocks
})

const race = Effect.fnUntraced(function* (isRevoked: boolean, seed: number) {
  const { of, ids } = yield* waiting
  const { first, rest } = everything(of, ids, isRevoked)
  const all = FastCheck.shuffledSubarray(rest, { minLength: rest.length })
  const [order = []] = FastCheck.sample(all, { numRuns: 1, seed })
  const said = yield* Effect.forEach(
    [...first, ...order],
    (each) =>
      Effect.match(each, { onSuccess: () => "done", onFailure: ({ _tag }) => _tag as string }),
    { concurrency: 64 }
  )
  assert.notInclude(said, "INTERNAL")
  const sentMicro = yield* agreed(of, ids)
  const windows = windowsAt(yield* DateTime.now)
  const { dayMicro } = yield* (yield* Spending).used(of.ownerId, windows)
  assert.strictEqual(dayMicro, sentMicro)
})

for (const [name, isRevoked, seed] of [
  ["and the payee stays", false, 1],
  ["and the payee is revoked", true, 2]
] as const) {
  it.live(
    `votes, confirmations, rules, removals, tiers and sweeps at once, ${name}`,
    () =>
      Effect.gen(function* () {
        const address = yield* FreshDatabase.url()
        yield* Effect.provide(race(isRevoked, seed), treasuryAt(address))
        const circles = yield* Effect.provide(deadlocks, FreshDatabase.engineAt(address, 2))
        assert.strictEqual(circles, 0n)
      }),
    60_000
  )
}
