/**
 * On a server: keys are revoked while they act. Whatever they ask for is refused or ends with them, and
 * nothing of theirs is done once they are dead.
 */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Result } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import * as Terse from "../../../adapters/postgres/terse.ts"
import { bothFurnished } from "../../../apps/testing/seed.ts"
import { Audit } from "../../../core/audit/audit-store.ts"
import { GovernanceRequests } from "../../../core/governance/governance-store.ts"
import type { Refusal } from "../../../core/operation/refusal.ts"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import { Recipients } from "../../../core/recipients/recipient-store.ts"
import { type Calls, callsOf, type Needs } from "../../../core/treasury/treasury.ts"
import { WebhookEndpoints } from "../../../core/webhooks/endpoint-store.ts"
import * as Revocations from "../../support/revocations.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

/** What its own account gives an act to work with: its first key, a wallet and whom it pays. */
const world = Effect.gen(function* () {
  const [{ accountId, caller, wallet }] = yield* bothFurnished
  yield* (yield* ChainScript).fund(wallet.address, 10_000_000_000n)
  const [payee] = (yield* (yield* Recipients).list(accountId, { limit: 1 })).rows
  const payment = { fromWalletId: wallet.id, recipientId: payee?.id ?? "", amountUsdc: "1" }
  return { accountId, first: callsOf(caller), payment }
})
type World = Effect.Success<typeof world>

type Act = (call: Calls) => Effect.Effect<unknown, Refusal, Needs>
type Making = (world: World, place: number) => Effect.Effect<Act, Refusal, Revocations.Treasury>

/** Makes ready what a key is to do, and gives that. */
const acts: Readonly<Record<string, Making>> = {
  propose: ({ payment }) => Effect.succeed((call) => call.propose_transfer(payment)),

  confirm: Effect.fnUntraced(function* ({ first, payment }) {
    const { proposalId } = yield* first.propose_transfer(payment)
    return (call: Calls) => call.confirm_proposal({ proposalId })
  }),

  "release a recipient": Effect.fnUntraced(function* ({ accountId }) {
    const over = { chainId: "local", status: "pending" } as const
    const { id } = yield* Stored.recipient(accountId, over)
    return (call: Calls) => call.approve_recipient({ recipientId: id })
  }),

  "invite a co-signer": Effect.fnUntraced(function* () {
    const { id: cosignerUserId } = yield* Stored.account()
    return (call: Calls) => call.invite_cosigner({ cosignerUserId })
  }),

  "register a webhook": (_, place) => {
    const url = `https://shop.example.com/webhooks/${place}`
    const once = { idempotencyKey: `register-${place}` }
    return Effect.succeed((call) => call.create_merchant_webhook({ url }, once))
  },

  "vote for another account": Effect.fnUntraced(function* ({ accountId }) {
    const { id: owner } = yield* Stored.account()
    yield* Stored.member(owner, { cosignerAccountId: accountId })
    const createdAt = yield* DateTime.now
    const times = { createdAt, expiresAt: DateTime.add(createdAt, { days: 7 }) }
    const { id: proposalId } = yield* Stored.proposal({
      ...times,
      accountId: owner,
      status: "requires_action",
      updatedAt: createdAt,
      terms: {
        fromWalletId: Rows.anId(),
        fromAddress: Rows.anAddress(),
        recipientId: Rows.anId(),
        toAddress: Rows.anAddress(),
        chainId: "local",
        amountSmallestUnit: "1000000",
        memo: null
      }
    })
    const waiting = { ...times, accountId: owner, proposalId }
    const { id: pendingApprovalId } = yield* Stored.approval(waiting)
    return (call: Calls) => call.reject_cosigner_action({ pendingApprovalId })
  }),

  "point a webhook elsewhere": Effect.fnUntraced(function* ({ first }, place) {
    const url = `https://shop.example.com/webhooks/${place}`
    const { id } = yield* first.create_merchant_webhook({ url })
    return (call: Calls) => call.update_merchant_webhook({ id, url: `${url}/elsewhere` })
  }),

  "rotate a secret": Effect.fnUntraced(function* ({ first }, place) {
    const url = `https://shop.example.com/webhooks/${place}`
    const { id } = yield* first.create_merchant_webhook({ url })
    const once = { idempotencyKey: `rotate-${place}` }
    return (call: Calls) => call.rotate_merchant_webhook_secret({ id }, once)
  })
}

const sealedSecretsOf = Effect.fnUntraced(function* (keyIds: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`select of_call from idempotency_key
    where sealed_secrets is not null and called_by = any(${keyIds.map(Terse.encode)}::bytea[])`
})

/** What the account's audit log has of keys after their own revocation. */
const posthumous = Effect.fnUntraced(function* (accountId: string, keyIds: ReadonlyArray<string>) {
  const { rows } = yield* (yield* Audit).list(accountId, { limit: 10_000 })
  const ended = new Map(
    rows
      .filter(({ action }) => action === "api_key.revoked")
      .map(({ createdAt, subjectId }) => [subjectId, createdAt])
  )
  return rows.filter(({ actor, createdAt }) => {
    const endedAt = keyIds.includes(actor) ? ended.get(actor) : undefined
    return endedAt !== undefined && DateTime.isGreaterThan(createdAt, endedAt)
  })
})

const perAct = 16

it.live.each(Object.keys(acts))(
  "a key that is revoked while it does this leaves nothing behind that waits: %s",
  (name) =>
    Revocations.withoutDeadlock(
      Effect.gen(function* () {
        const own = yield* world
        const { accountId } = own
        const actors = yield* Effect.forEach(Revocations.places(perAct), (place) =>
          Effect.gen(function* () {
            const key = yield* Revocations.aKey(accountId)
            return { ...key, act: yield* (acts[name] as Making)(own, place) }
          })
        )
        const ends = yield* Effect.forEach(
          actors,
          ({ act, call, caller }, place) =>
            Revocations.both(place, Revocations.revoking(caller, {}), Effect.result(act(call))),
          Revocations.atOnce
        )
        const ids = actors.map(({ id }) => id)
        assert.deepStrictEqual(yield* (yield* Proposals).waitingBy(accountId, ids), [])
        assert.deepStrictEqual(yield* (yield* GovernanceRequests).pendingBy(accountId, ids), [])
        assert.deepStrictEqual(yield* sealedSecretsOf(ids), [])
        assert.deepStrictEqual(yield* posthumous(accountId, ids), [])
        const registered = yield* (yield* WebhookEndpoints).registeredBy(accountId, ids)
        const told = ends.flatMap(([{ webhooks }]) => webhooks)
        assert.sameMembers(
          told.map(({ id }) => id),
          registered.map(({ id }) => id)
        )
        for (const [, done] of ends) {
          if (Result.isFailure(done)) assert.strictEqual(done.failure._tag, "UNAUTHENTICATED")
        }
      })
    ),
  60_000
)
