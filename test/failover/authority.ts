/**
 * What can be taken away in a failover, as a process sets it up: an account of its own for each, so that what is
 * taken from one is missed by no other. Commands are done as a running service does those of its operator.
 */
import { Effect, Layer } from "effect"
import type { Records } from "../../apps/cli/operator/office.ts"
import { fundingWallet } from "../../apps/testing/seed.ts"
import { Cosigners } from "../../core/cosigners/cosigner-store.ts"
import { sendInvite } from "../../core/cosigners/invite-cosigner.ts"
import { issueEnrolment } from "../../core/humans/issue-enrolment.ts"
import type { KeyKind } from "../../core/operation/caller.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { Durability } from "../../core/ports/durability.ts"
import { Ids } from "../../core/ports/ids.ts"
import { Recipients } from "../../core/recipients/recipient-store.ts"
import { seedAccounts } from "../../core/treasury/seed.ts"
import type { Bug } from "../money/settings.ts"
import * as Value from "../support/chain-values.ts"
import type { Given, Wanted } from "./given.ts"

const account = (kind: KeyKind, payee: string) =>
  seedAccounts({
    kind,
    name: "Treasury under test",
    tier: "startup",
    chainId: "local",
    customer: { externalId: "customer", namespace: "default" },
    payee: { label: "Payee", address: Value.address(payee) },
    ...(kind === "agent"
      ? { fundingWallet: { chainId: "local", address: Value.address(fundingWallet.address) } }
      : {})
  })

/** Another account that co-signs for it, or is invited to. */
const cosigner = Effect.fnUntraced(function* (
  ownerAccountId: string,
  payee: string,
  other: NonNullable<Wanted["other"]>
) {
  const { account: opened, apiKey: otherKey } = yield* account("developer", payee)
  const known = { otherId: opened.id, otherKey, inviteId: "", membershipId: "" }
  if (other === "stranger") return known
  const wanted = { ownerAccountId, cosignerAccountId: opened.id, nickname: null }
  const { createdAt, id: inviteId } = yield* sendInvite(wanted, "test")
  if (other === "invited") return { ...known, inviteId }
  const cosigners = yield* Cosigners
  const invite = yield* cosigners.lockInvite(inviteId)
  if (invite !== undefined) yield* cosigners.answerInvite({ ...invite, status: "accepted" })
  const id = yield* (yield* Ids).uuid
  yield* cosigners.join({ ...wanted, id, inviteId, createdAt, removedAt: null })
  return { ...known, inviteId, membershipId: id }
})

const nobody = { otherId: "", otherKey: "", inviteId: "", membershipId: "" }

const people = [
  { name: "Ada", role: "owner" },
  { name: "Ben", role: "approver" }
] as const

const linksOf = (accountId: string) =>
  Effect.forEach(people, (each) =>
    Effect.map(
      issueEnrolment({ ...each, accountId, purpose: "operator" }, "test"),
      ({ url }) => url
    )
  )

const written = Effect.fnUntraced(function* (wanted: Wanted, payee: string) {
  const { hasPeople, kind, other } = wanted
  const opened = yield* account(kind, payee)
  const { id } = opened.account
  const { rows } = yield* (yield* Recipients).list(id, { limit: 1 })
  return {
    accountId: id,
    walletId: opened.wallet.id,
    address: opened.wallet.address,
    recipientId: rows[0]?.id ?? "",
    apiKey: opened.apiKey,
    ...(other === undefined ? nobody : yield* cosigner(id, payee, other)),
    links: hasPeople === undefined ? [] : yield* linksOf(id)
  } satisfies Given
})

/** Sets one up in one transaction. */
export const give = (wanted: Wanted, payee: string) =>
  Effect.flatMap(Atomically, ({ run }) => run(written(wanted, payee)))

/** What a command of the operator prints as JSON; one that fails is a defect. */
export const command = Effect.fnUntraced(function* (words: ReadonlyArray<string>) {
  const { answer } = yield* Effect.promise(() => import("../../apps/cli/operator/answer.ts"))
  const printed = { stdout: "", stderr: "" }
  const { exitCode } = yield* answer(
    yield* Effect.context<Records>(),
    { words: [...words, "--json"], columns: null },
    ({ text, to }) => {
      printed[to] += text
    },
    Effect.void
  )
  if (exitCode !== 0) return yield* Effect.die(new Error(`${words.join(" ")}: ${printed.stderr}`))
  return JSON.parse(printed.stdout) as unknown
})

const boastful = Layer.succeed(Durability, {
  place: Effect.succeed("here"),
  isKept: () => Effect.succeed(true)
})

/** Says of whatever is committed that a standby has it, if that mistake is planted. */
export const boasting = (bug: Bug | undefined) =>
  bug === "says that a standby has it" ? boastful : Layer.empty
