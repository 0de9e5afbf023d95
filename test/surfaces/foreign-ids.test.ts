/** What belongs to another account is answered exactly as what does not exist, and nothing of it changes. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Name, operations } from "../../core/treasury/operations.ts"
import { type Owner, owner } from "../support/full-account.ts"
import * as Rows from "../support/rows.ts"
import type { Fields, Said } from "../support/surface-calls.ts"
import * as SurfaceCalls from "../support/surface-calls.ts"
import * as Surfaces from "../support/surfaces.ts"
import { inputs } from "../support/valid-inputs.ts"

interface Id {
  readonly of: (owner: Owner) => string
  readonly random: () => string
}

const uuid = (of: Id["of"]): Id => ({ of, random: Rows.anId })
const pid = (of: Id["of"]): Id => ({ of, random: Rows.aPid })
const request = [uuid((own) => own.requestId), pid((own) => own.pid)]
const endpoint = [uuid((own) => own.endpointId)]
const delivery = [uuid((own) => own.deliveryId)]
const vault = [uuid((own) => own.vaultId)]
const wallet = [uuid((own) => own.walletId)]
const second = [uuid((own) => own.secondWalletId)]
const onSolana = [uuid((own) => own.solanaWalletId)]
const payable = [uuid((own) => own.recipientId)]
const recipient = [...payable, uuid((own) => own.newcomerId)]
const proposal = [uuid((own) => own.proposalId)]

const event: ReadonlyArray<Id> = [{ of: (own) => own.eventId, random: () => Rows.anEventId() }]

/** Fields that name one thing the caller must own. */
const direct: Readonly<Record<string, ReadonlyArray<Id>>> = {
  "get_holdings.walletId": [...wallet, ...vault],
  "get_wallet.walletId": [...wallet, ...vault],
  "get_recipient.recipientId": recipient,
  "get_provisioning_job.jobId": [uuid((own) => own.jobId)],
  "create_checkout_session.customer": [],
  "create_payment_request.walletMappingId": vault,
  "get_payment_request.idOrPid": request,
  "extend_payment_request.idOrPid": request,
  "cancel_payment_request.idOrPid": request,
  "get_merchant_webhook.id": endpoint,
  "update_merchant_webhook.id": endpoint,
  "send_merchant_webhook_test.id": endpoint,
  "delete_merchant_webhook.id": endpoint,
  "rotate_merchant_webhook_secret.id": endpoint,
  "disable_merchant_webhook.id": endpoint,
  "enable_merchant_webhook.id": endpoint,
  "recover_merchant_webhook.id": endpoint,
  "get_webhook_delivery.id": delivery,
  "replay_webhook_delivery.id": delivery,
  "get_event.eventId": event,
  // A challenge is an agent's; the stories of governing try another's.
  "add_recipient.challengeId": [],
  "approve_recipient.challengeId": [],
  "get_deposit.depositId": [uuid((own) => own.depositId)],
  "resolve_deposit.depositId": [uuid((own) => own.depositId)],
  "approve_recipient.recipientId": [uuid((own) => own.newcomerId)],
  // Accounts are invited by their id; that one exists is no secret to whoever has it.
  "invite_cosigner.cosignerUserId": [],
  "invite_cosigner.challengeId": [],
  "update_cosigner_rules.challengeId": [],
  "remove_cosigner.challengeId": [],
  "accept_cosigner_invite.inviteId": [uuid((own) => own.incomingInviteId)],
  "decline_cosigner_invite.inviteId": [uuid((own) => own.otherIncomingInviteId)],
  "revoke_cosigner_invite.inviteId": [uuid((own) => own.outgoingInviteId)],
  "remove_cosigner.membershipId": [uuid((own) => own.membershipId)],
  "approve_cosigner_action.pendingApprovalId": [uuid((own) => own.approvalId)],
  "reject_cosigner_action.pendingApprovalId": [uuid((own) => own.otherApprovalId)],
  "get_governance_request.requestId": [uuid((own) => own.governanceRequestId)],
  "cancel_governance_request.requestId": [uuid((own) => own.governanceRequestId)],
  "revoke_recipient.recipientId": recipient,
  "simulate_transfer.recipientId": recipient,
  "simulate_transfer.fromWalletId": [...wallet, ...vault],
  "simulate_transfer.depositId": [uuid((own) => own.refundableId)],
  "simulate_transfer.paymentRequestId": [],
  "propose_rename_account.accountId": [...wallet, ...vault],
  "set_wallet_metadata.accountId": [...wallet, ...vault],
  "propose_transfer.recipientId": payable,
  "propose_transfer.fromWalletId": [...wallet, ...vault],
  "propose_refund.depositId": [uuid((own) => own.refundableId)],
  // Beside a deposit it is one name too many; the stories of refunds try another's.
  "propose_refund.paymentRequestId": [],
  "propose_refund.recipientId": payable,
  "propose_refund.fromWalletId": [...wallet, ...vault],
  "quote_swap.fromWalletId": wallet,
  // Beside another wallet of the same chain it is refused; it is the selling wallet's twin.
  "quote_swap.toWalletId": wallet,
  "quote_bridge.fromWalletId": wallet,
  "quote_bridge.toWalletId": second,
  "propose_bridge.fromWalletId": wallet,
  "propose_bridge.toWalletId": second,
  "propose_bridge.previewQuoteId": [],
  "propose_swap.fromWalletId": wallet,
  "propose_swap.previewQuoteId": [],
  "propose_solana_swap.fromWalletId": onSolana,
  "propose_solana_swap.toWalletId": onSolana,
  "propose_solana_swap.previewQuoteId": [],
  "check_allowance.fromWalletId": [...wallet, ...vault],
  "propose_token_approve.fromWalletId": [...wallet, ...vault],
  "confirm_proposal.proposalId": proposal,
  "get_proposal.proposalId": [...proposal, uuid((own) => own.otherProposalId)],
  "get_proposal_history.proposalId": [...proposal, uuid((own) => own.otherProposalId)],
  "cancel_proposal.proposalId": proposal,
  "get_audit_proof.entryId": [uuid((own) => own.auditEntryId)],
  "revoke_api_key.keyId": [uuid((own) => own.keyId)]
}

const customer: ReadonlyArray<Id> = [{ of: (own) => own.externalId, random: () => "nobody" }]

/** Fields by which a list is narrowed. */
const filters: Readonly<Record<string, ReadonlyArray<Id>>> = {
  "list_payment_requests.walletMappingId": vault,
  "list_payment_requests.customerExternalId": customer,
  "list_wallets.customerExternalId": customer,
  "list_deposits.vaultId": vault,
  "list_deposits.customerExternalId": customer,
  "list_audit_log.subjectId": proposal,
  "list_proposals.recipientId": payable,
  "list_events.customerExternalId": customer,
  "list_webhook_deliveries.endpointId": endpoint,
  "list_webhook_deliveries.eventId": event,
  "list_events.paymentRequestPid": [pid((own) => own.checkoutPid)]
}

/** The merchant's own names for things look like ids and find a customer of the caller alone. */
const namesSomething = (field: string) =>
  !/^(?:chain|fromChain|toChain)Id$/u.test(field) &&
  (field === "customer" || /(^id|Id|Pid)$/u.test(field))

const idFields = operations.flatMap(({ name, input }) =>
  Object.keys(input.fields)
    .filter(namesSomething)
    .map((field) => ({ name, field, key: `${name}.${field}` }))
)

/** The refusal may not even repeat the id that was asked for. */
const told = (said: Said): unknown =>
  said.ok ? said : { ...said, error: { ...said.error, requestId: "" } }

const reads = operations.filter(({ sideEffect }) => sideEffect === "read").map(({ name }) => name)

/** All the owner can read of itself. */
const everything = (own: Owner) =>
  Effect.forEach(reads, (name) => {
    const asked = name.startsWith("list_") ? {} : inputs[name](own)
    return SurfaceCalls.asFunction(name, asked, own.caller)
  })

const rowsOf = (said: Said): number =>
  said.ok ? Math.max(...Object.values(said.data as Fields).map((each) => lengthOf(each))) : -1

/** What is called first, so that a list has something of the id. */
const first: Readonly<Record<string, Name>> = {
  "list_proposals.recipientId": "propose_transfer"
}

const lengthOf = (value: unknown) => (Array.isArray(value) ? value.length : 0)

/** A UUID is the same id in capitals; a pid and an event's id are not. */
const inCapitals = (id: string) => (/^[0-9a-f-]{36}$/u.test(id) ? id.toUpperCase() : id)

const surfaces = [
  ["REST", SurfaceCalls.overRest],
  ["tools", SurfaceCalls.overTools]
] as const

const askWith = (own: Owner, name: Name, field: string, id: string): Fields =>
  filters[`${name}.${field}`] === undefined
    ? { ...inputs[name](own), [field]: id }
    : { [field]: id }

layer(Surfaces.layer())("an id of another account", (it) => {
  it("is tried in every field that takes an id", () => {
    assert.sameMembers(
      idFields.map(({ key }) => key),
      [...Object.keys(direct), ...Object.keys(filters)]
    )
  })

  // Whoever is told that there is no such thing has changed nothing.
  const unchanged = Effect.runSync(Effect.cached(owner("asker")))

  for (const { name, field, key } of idFields) {
    const ids = [...(direct[key] ?? []), ...(filters[key] ?? [])]
    for (const [surface, ask] of ids.length === 0 ? [] : surfaces) {
      it.effect(`is to ${name} as an unknown ${field}, over ${surface}`, () =>
        Effect.gen(function* () {
          const asker = yield* unchanged
          const other = yield* owner("other")
          const called = first[key]
          if (called !== undefined) {
            assert.strictEqual(
              (yield* ask(called, inputs[called](other), other.apiKey)).status,
              200
            )
          }
          const before = yield* everything(other)
          for (const { of, random } of ids) {
            assert.notStrictEqual(of(asker), of(other))
            const foreign = askWith(asker, name, field, of(other))
            const unknown = askWith(asker, name, field, random())
            const said = yield* ask(name, foreign, asker.apiKey)
            assert.deepStrictEqual(told(said), told(yield* ask(name, unknown, asker.apiKey)))
            if (filters[key] === undefined) {
              assert.strictEqual(said.status, 404)
            } else {
              assert.strictEqual(rowsOf(said), 0)
            }
          }
          assert.deepStrictEqual(yield* everything(other), before)
          for (const { of } of ids) {
            const asked = askWith(other, name, field, inCapitals(of(other)))
            const own = yield* ask(name, asked, other.apiKey)
            assert.strictEqual(own.status, 200, JSON.stringify(own))
            if (filters[key] !== undefined) assert.isAbove(rowsOf(own), 0)
            if (name === "cancel_payment_request") break
          }
        })
      )
    }
  }

  for (const [surface, ask] of surfaces) {
    it.effect(`opens no checkout session for another account's customer, over ${surface}`, () =>
      Effect.gen(function* () {
        const asker = yield* owner("asker")
        const other = yield* owner("other")
        const before = yield* everything(other)
        const sessionFor = (externalId: string) =>
          ask("create_checkout_session", { customer: { externalId }, amountUsd: 1 }, asker.apiKey)
        const foreign = yield* sessionFor("other")
        assert.strictEqual(foreign.status, 404)
        const facts = JSON.stringify(told(foreign)).replaceAll('"other"', '"nobody"')
        assert.strictEqual(facts, JSON.stringify(told(yield* sessionFor("nobody"))))
        assert.deepStrictEqual(yield* everything(other), before)
      })
    )
  }

  it.effect("is no place in a list of one's own", () =>
    Effect.gen(function* () {
      const asker = yield* owner("asker")
      const other = yield* owner("other")
      for (const [, ask] of surfaces) {
        const pageAfter = (id: string) =>
          ask("list_payment_requests", { cursor: `9999999999999_${id}` }, asker.apiKey)
        const foreign = yield* pageAfter(other.requestId)
        assert.strictEqual(rowsOf(foreign), 2)
        assert.deepStrictEqual(foreign, yield* pageAfter(asker.requestId))
      }
    })
  )
})
