/**
 * What people do in the console by the catalogue itself, as with a developer key of their account. What
 * gives out power, or speaks for the account in another's affairs, takes their passkey over that very call; the
 * rest moves nothing, waits for a passkey of its own, or takes something back. Pausing stands beside it: whoever
 * sees something wrong must stop it at once, and takes a passkey to let it go on.
 */
import { Effect, Schema } from "effect"
import { HttpRouter, type HttpServerRequest } from "effect/http"
import * as Account from "../../core/accounts/account.ts"
import { pauseAccount, resumeByActor } from "../../core/accounts/pause.ts"
import { callerOf, type SignedIn } from "../../core/humans/authenticate.ts"
import { actorOf } from "../../core/humans/human.ts"
import { requireRole } from "../../core/humans/require-role.ts"
import { beginCall, signCall } from "../../core/humans/sign-call.ts"
import { NotFound } from "../../core/operation/refusal.ts"
import { roleRefusal } from "../../core/operation/role.ts"
import { durableField, watch } from "../../core/operation/taking-authority.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import {
  type Name,
  operations,
  type PeopleName,
  peopleOperations
} from "../../core/treasury/operations.ts"
import { RequestId } from "../http/edge/request-id.ts"
import { call, type Needs } from "../http/invocation.ts"
import * as Browser from "./browser.ts"
import { encode, post, success } from "./post.ts"
import { answerFields, assertionOf } from "./sign-in.ts"
import { forPeople } from "./words-for-people.ts"

type Request = HttpServerRequest.HttpServerRequest

/** What the pages have buttons for; the rest of the catalogue is for keys. */
const buttons: ReadonlyArray<Name> = [
  // Money and governance go on waiting for the passkey that their own pages ask for.
  "propose_transfer",
  "propose_refund",
  "propose_token_approve",
  "propose_create_account",
  "propose_rename_account",
  "set_wallet_metadata",
  "confirm_proposal",
  "cancel_proposal",
  "add_recipient",
  "approve_recipient",
  "revoke_recipient",
  "invite_cosigner",
  "decline_cosigner_invite",
  "revoke_cosigner_invite",
  "remove_cosigner",
  "update_cosigner_rules",
  "cancel_governance_request",
  "reject_cosigner_action",
  "revoke_api_key",
  // What customers are asked for, and what came in.
  "create_provisioning_job",
  "create_payment_request",
  "create_checkout_session",
  "cancel_payment_request",
  "extend_payment_request",
  "resolve_deposit",
  // To endpoints that a passkey has let in.
  "send_merchant_webhook_test",
  "enable_merchant_webhook",
  "disable_merchant_webhook",
  "delete_merchant_webhook",
  "recover_merchant_webhook",
  "replay_webhook_delivery"
]

/** They wait for the passkey of the proposal's own page; of those that this version has. */
const trades: ReadonlySet<string> = new Set([
  "propose_swap",
  "propose_solana_swap",
  "propose_bridge"
])

/** Everything a page may name. */
export const catalogue = [...operations, ...peopleOperations] as const

const signed: ReadonlyArray<Name | PeopleName> = [
  "create_api_key",
  "approve_cosigner_action",
  "accept_cosigner_invite",
  // They say who is told of payments, and with which secret that is proved.
  "create_merchant_webhook",
  "update_merchant_webhook",
  "rotate_merchant_webhook_secret",
  // They say who may act for the account.
  "invite_person",
  "change_role",
  "remove_person",
  "update_account_settings"
]

const offered: ReadonlyArray<Name> = [
  ...buttons,
  ...operations.flatMap(({ name }) => (trades.has(name) ? [name] : []))
]

/** Whether the console calls an operation under a passkey; undefined when it does not offer it at all. */
export const isSigned = (name: Name | PeopleName): boolean | undefined =>
  signed.includes(name)
    ? true
    : (offered as ReadonlyArray<string>).includes(name)
      ? false
      : undefined

const fields = {
  input: Schema.JsonObject,
  /** Made by the page for what was typed, so that pressing a button twice does one thing. */
  idempotencyKey: Schema.optionalKey(Schema.String.check(Schema.isUUID()))
}
type Asked = Schema.Struct<typeof fields>["Type"]

const among = Effect.fnUntraced(function* (names: ReadonlyArray<Name | PeopleName>) {
  const { operation: name } = yield* HttpRouter.params
  const operation = catalogue.find((each) => each.name === name)
  if (operation !== undefined && names.includes(operation.name)) return operation
  return yield* new NotFound({ message: "The console does not offer this operation." })
})

const invoked = Effect.fnUntraced(function* (
  signedIn: SignedIn,
  operation: (typeof catalogue)[number],
  { idempotencyKey, input }: Asked,
  hasSigned = false
) {
  const caller = callerOf(signedIn, { hasSigned })
  const context = yield* Effect.context<Needs>()
  const answer = yield* call(context, operation, {
    caller,
    input,
    requestId: yield* RequestId,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey })
  })
  return answer.ok ? success(answer.output) : yield* forPeople(operation.name, answer.refusal)
})

/** Ending a pause, as a passkey signs it. */
const resuming = { name: "resume_account", input: {} } as const

export const operationRoutes = [
  ...post(
    "/console/do/:operation",
    fields,
    Effect.fnUntraced(function* (asked, request: Request) {
      const signedIn = yield* Browser.signedIn(request)
      return yield* invoked(signedIn, yield* among(offered), asked)
    })
  ),
  ...post(
    "/console/sign/:operation/options",
    fields,
    Effect.fnUntraced(function* ({ input }, request: Request) {
      const signedIn = yield* Browser.signedIn(request)
      const { name, role } = yield* among(signed)
      const refusal = roleRefusal(signedIn.human.role, role)
      if (refusal !== undefined) return yield* refusal
      return success(yield* beginCall(signedIn, { name, input }))
    })
  ),
  ...post(
    "/console/sign/:operation/verify",
    { ...fields, ...answerFields },
    Effect.fnUntraced(function* ({ answer, passkeyChallengeId, ...asked }, request: Request) {
      const signedIn = yield* Browser.signedIn(request)
      const operation = yield* among(signed)
      const given = { passkeyChallengeId, answer: yield* assertionOf(answer) }
      // The call has transactions of its own; whoever gets past the signature makes it.
      yield* signCall(signedIn, { name: operation.name, input: asked.input }, given, Effect.void)
      return yield* invoked(signedIn, operation, asked, true)
    })
  ),
  ...post(
    "/console/pause",
    {},
    Effect.fnUntraced(function* (_, request: Request) {
      const { human } = yield* Browser.signedIn(request)
      const pausing = Effect.andThen(
        requireRole(human, "approver"),
        pauseAccount(human.accountId, actorOf(human.id))
      )
      const { begin, told } = yield* watch
      const account = yield* (yield* Atomically).run(Effect.andThen(begin, pausing))
      const fields = { ...Account.fields, ...durableField }
      return success(yield* encode(fields, { ...account, ...(yield* told) }))
    })
  ),
  ...post(
    "/console/resume/options",
    {},
    Effect.fnUntraced(function* (_, request: Request) {
      return success(yield* beginCall(yield* Browser.signedIn(request), resuming))
    })
  ),
  ...post(
    "/console/resume/verify",
    answerFields,
    Effect.fnUntraced(function* ({ answer, passkeyChallengeId }, request: Request) {
      const signedIn = yield* Browser.signedIn(request)
      const given = { passkeyChallengeId, answer: yield* assertionOf(answer) }
      const resumed = Effect.flatMap(
        requireRole(signedIn.human, "approver"),
        ({ accountId, id, role }) =>
          resumeByActor(accountId, { actor: actorOf(id), isOwner: role === "owner" })
      )
      const account = yield* signCall(signedIn, resuming, given, resumed)
      return success(yield* encode(Account.fields, account))
    })
  )
]
