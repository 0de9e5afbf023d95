/** Calls that answers offer as the next one: asked for in every state that offers one, and made as printed over REST and as tools. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SwapScript } from "../../adapters/memory/swap-venue.ts"
import { asOperator } from "../../apps/cli/operator/as-operator.ts"
import { fundingWallet } from "../../apps/testing/seed.ts"
import { Keys } from "../../core/accounts/account-store.ts"
import { authenticate } from "../../core/accounts/authenticate.ts"
import { giveFundingWallet } from "../../core/accounts/open.ts"
import { GovernanceRequests } from "../../core/governance/governance-store.ts"
import { callerOf } from "../../core/humans/authenticate.ts"
import { maxInForce } from "../../core/keys/create-key.ts"
import type { Next, Refusal } from "../../core/operation/refusal.ts"
import { PaymentRequests } from "../../core/payments/request-store.ts"
import { changeRole, removePerson } from "../../core/people/change-person.ts"
import { invitePerson } from "../../core/people/invite.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { Proposals } from "../../core/proposals/proposal-store.ts"
import { type Name, operations } from "../../core/treasury/operations.ts"
import { callsOf, type Needs } from "../../core/treasury/treasury.ts"
import { Deliveries, Events } from "../../core/webhooks/delivery-store.ts"
import { WebhookEndpoints } from "../../core/webhooks/endpoint-store.ts"
import type { Asker } from "./accounts.ts"
import * as Value from "./chain-values.ts"
import { aHuman } from "./enrolled-human.ts"
import { askerOf, type Owner } from "./full-account.ts"
import { sign } from "./governance-changes.ts"
import * as Rows from "./rows.ts"
import { sourcesIn } from "./source-tree.ts"
import { type Fields, overRest, overTools } from "./surface-calls.ts"
import { inputs } from "./valid-inputs.ts"

/** What only the caller knows. */
const known = (own: Owner): Fields => ({
  chainId: "local",
  customers: [{ externalId: "ada" }],
  cosignerUserId: own.neighbourId,
  includeDescendants: true,
  fromWalletId: own.walletId,
  sellSymbol: "GOLD",
  buySymbol: "USDC",
  amountUsd: "25.00",
  events: ["payment_request.paid"]
})

const ada = { name: "Ada Byron", email: "ada.byron@example.com", role: "approver" } as const

type Call = (input: Fields) => Effect.Effect<unknown, Refusal, Needs>
const callAs = ({ caller }: Asker, name: Name) => callsOf(caller)[name] as unknown as Call

/** Every next call that stands anywhere in an answer. */
const printedIn = (answer: unknown): ReadonlyArray<Next> => {
  if (typeof answer !== "object" || answer === null) return []
  const { next } = answer as { readonly next?: Next }
  const own = typeof next === "object" && next !== null && "operation" in next ? [next] : []
  return [...own, ...Object.values(answer).flatMap(printedIn)]
}

/** Where in core a refusal was made. */
const fileOf = ({ stack }: Refusal): string =>
  /\/core\/((?!operation\/)[\w/-]+\.ts)/u.exec(stack ?? "")?.[1] ?? "nowhere"

const surfaces = [overRest, overTools]

/** The call as printed, with what it says is missing. */
const filled = ({ args, missing = [], operation }: Next, own: Owner): Fields => {
  // Of fields that stand for one choice, the first is taken.
  const chosen = missing.map((field) => field.split("|")[0] ?? field)
  const added = chosen.map((field) => [field, known(own)[field]] as const)
  for (const [field, value] of added) assert.isDefined(value, `${operation} ${field}`)
  return { ...args, ...Object.fromEntries(added) }
}

/** Where a refusal was made that offers this: the file, or what it does not know by which field. */
const placeOf = (refusal: Refusal, { operation }: Next): string => {
  const { message, param, stack } = refusal
  if (stack?.includes("/core/operation/own.ts") !== true) return `${fileOf(refusal)} ${operation}`
  const [, what] = /^This account has no (.+) with this id;/u.exec(message) ?? assert.fail(message)
  return `${param} of a ${what} ${operation}`
}

/** Makes the call over every surface, and holds it to succeed. */
export const follow = Effect.fnUntraced(function* (next: Next, own: Owner, { apiKey }: Asker) {
  for (const over of surfaces) {
    const said = yield* over(next.operation as Name, filled(next, own), apiKey)
    assert.isTrue(said.ok, `${JSON.stringify(next)} → ${JSON.stringify(said)}`)
  }
})

/** Refuses the call over every surface, follows what it offers, and says where that was. */
export const refusedAt = Effect.fnUntraced(function* (
  name: Name,
  input: Fields,
  own: Owner,
  asker: Asker = askerOf(name, own)
) {
  const refusal = yield* Effect.flip(callAs(asker, name)(input))
  const { next } = refusal
  for (const over of surfaces) {
    const said = yield* over(name, input, asker.apiKey)
    assert.isFalse(said.ok, name)
    assert.deepStrictEqual(printedIn(said), next === undefined ? [] : [next], name)
  }
  if (next === undefined) return []
  yield* follow(next, own, asker)
  return [placeOf(refusal, next)]
})

/** What is refused to a person in the console, who has no key: their own call succeeds. */
export const refusedToHumans = Effect.fnUntraced(function* (own: Owner) {
  const human = yield* aHuman(own.caller.accountId)
  const refusals = [
    yield* Effect.flip(human.govern("none")),
    yield* Effect.flip(human.approve(own.proposalId))
  ]
  return yield* Effect.forEach(refusals, (refusal) =>
    Effect.gen(function* () {
      const next = (refusal as Refusal).next ?? assert.fail(refusal.message)
      const asker = { caller: callerOf(human.signedIn), apiKey: "none" }
      yield* callAs(asker, next.operation as Name)(filled(next, own))
      return placeOf(refusal as Refusal, next)
    })
  )
})

/** What is refused to the operator of the installation, who may do what an owner may: a key reads on. */
export const refusedToTheOperator = Effect.fnUntraced(function* (own: Owner) {
  const { accountId } = own.caller
  const inTransaction = (yield* Atomically).run
  yield* inTransaction(asOperator(invitePerson, accountId, ada))
  const { people } = yield* callsOf(own.caller).list_people({})
  const owner = people.find(({ status }) => status === "active") ?? assert.fail("nobody has joined")
  const other = { ...ada, name: "Somebody else" }
  const lowered = { personId: owner.personId, role: "viewer" } as const
  const refusals = [
    yield* Effect.flip(inTransaction(asOperator(invitePerson, accountId, other))),
    yield* Effect.flip(inTransaction(asOperator(changeRole, accountId, lowered))),
    yield* Effect.flip(inTransaction(asOperator(removePerson, accountId, { personId: own.jobId })))
  ]
  return yield* Effect.forEach(refusals, (refusal) => {
    const next = (refusal as Refusal).next ?? assert.fail(refusal.message)
    return Effect.as(follow(next, own, own), placeOf(refusal as Refusal, next))
  })
})

/** An agent invites whom it has invited, with another signature of its funding wallet. */
export const refusedOnceSigned = Effect.fnUntraced(function* (own: Owner) {
  const { agent, neighbourId } = own
  const wallet = { chainId: "local", address: Value.address(fundingWallet.address) }
  yield* (yield* Atomically).run(giveFundingWallet(agent.caller.accountId, wallet))
  const input = { cosignerUserId: neighbourId }
  const signed = Effect.gen(function* () {
    const { challenge } = yield* callsOf(agent.caller).invite_cosigner(input)
    const walletSignature = yield* sign(challenge?.message ?? "")
    return { ...input, challengeId: challenge?.challengeId ?? "", walletSignature }
  })
  yield* callsOf(agent.caller).invite_cosigner(yield* signed)
  return yield* refusedAt("invite_cosigner", yield* signed, own, agent)
})

/** Refusals of trades: where the issuer has closed the wallet, and where a sale is open. */
const whileTrading = Effect.fnUntraced(function* (own: Owner) {
  const call = callsOf(own.caller)
  const swap = inputs.propose_swap(own)
  const { close, minimum } = yield* SwapScript
  yield* close({ detail: "The wallet is frozen.", isPassing: false })
  const closed = yield* refusedAt("quote_swap", inputs.quote_swap(own), own)
  yield* close()
  const sold = Value.key(String(swap.sellTokenAddress).toLowerCase())
  yield* minimum(sold, 10n ** 30n)
  const tooSmall = yield* refusedAt("quote_swap", inputs.quote_swap(own), own)
  yield* minimum(sold, 1n)
  yield* call.update_cosigner_rules({ rules: [] })
  const { proposalId } = yield* call.propose_swap(swap as never)
  yield* call.confirm_proposal({ proposalId })
  yield* (yield* aHuman(own.caller.accountId)).approve(proposalId)
  assert.strictEqual((yield* call.get_proposal({ proposalId })).status, "executing")
  const busy = yield* refusedAt("propose_swap", swap, own)
  const allowance = { fromWalletId: own.walletId, tokenAddress: swap.sellTokenAddress }
  const input = { ...allowance, flow: "intent_swap", amountSmallestUnit: "1" }
  return [
    ...closed,
    ...tooSmall,
    ...busy,
    ...(yield* refusedAt("propose_token_approve", input, own))
  ]
})

/** Refusals that take a state of their own. */
export const inSpecialStates = Effect.fnUntraced(function* (own: Owner) {
  const { call, refused } = {
    call: callsOf(own.caller),
    refused: (name: Name, input: Fields, asker?: Asker) => refusedAt(name, input, own, asker)
  }
  const found: Array<string> = []
  const note = (places: ReadonlyArray<string>) => {
    assert.isNotEmpty(places, `after ${found.at(-1)}`)
    found.push(...places)
  }
  found.push(...(yield* whileTrading(own)))
  // More than the wallet holds, and a wallet that holds nothing.
  note(yield* refused("propose_transfer", { ...inputs.propose_transfer(own), amountUsdc: "2000" }))
  const opening = yield* call.propose_create_account({ chainId: "local", walletName: "Empty" })
  yield* call.confirm_proposal({ proposalId: opening.proposalId })
  const { wallets } = yield* call.list_wallets({})
  const empty = wallets.find(({ name }) => name === "Empty")
  assert.isDefined(empty)
  const { amountSmallestUnit: _, ...approval } = inputs.propose_token_approve(own)
  note(yield* refused("propose_token_approve", { ...approval, fromWalletId: empty?.id }))
  // A plan that has no more room.
  const agents = callsOf(own.agent.caller)
  const more = (n: number) =>
    agents.propose_create_account({ chainId: "local", walletName: `Wallet ${n}` })
  for (let n = 0; n < 10; n++) yield* more(n)
  const another = { chainId: "local", walletName: "One more" }
  note(yield* refused("propose_create_account", another, own.agent))
  // A key that has made another.
  const scopes = ["keys:manage"] as const
  const maker = yield* call.create_api_key({ scopes, label: "Maker" })
  const made = callsOf(
    yield* authenticate(maker.apiKey ?? assert.fail("no key is shown"))
  ).create_api_key({ scopes, label: "Made" })
  yield* made
  note(yield* refused("revoke_api_key", { keyId: maker.id }))
  // What was done, and what was cancelled.
  const proposal = { proposalId: own.otherProposalId }
  yield* call.cancel_proposal(proposal)
  note(yield* refused("cancel_proposal", { proposalId: opening.proposalId }))
  note(yield* refused("confirm_proposal", proposal))
  yield* call.cancel_payment_request({ idOrPid: own.checkoutPid })
  note(yield* refused("extend_payment_request", { idOrPid: own.checkoutPid, expiryDays: 3 }))
  // What is being paid.
  const requests = yield* PaymentRequests
  const request = yield* requests.find(own.caller.accountId, own.requestId)
  if (request === undefined) return assert.fail("there is no request")
  yield* requests.settle({ ...request, status: "processing" })
  note(yield* refused("cancel_payment_request", { idOrPid: own.requestId }))
  // Ids that are nobody's beside ids that are.
  const { recipientId } = own
  note(yield* refused("propose_refund", { paymentRequestId: own.jobId, recipientId }))
  note(yield* refused("resolve_deposit", { depositId: own.jobId, action: "ignore" }))
  const newcomer = inputs.add_recipient(own)
  const added = yield* call.add_recipient(newcomer as { address: string; chainId: string })
  yield* call.confirm_proposal({ proposalId: String(added.proposalId) })
  note(yield* refused("add_recipient", newcomer))
  // The last co-signer whom a rule still needs.
  const rule = { action: "send", minAmountMicro: "5", maxAmountMicro: null, requiredApprovals: 1 }
  yield* call.update_cosigner_rules({ rules: [rule] as never })
  note(yield* refused("remove_cosigner", { membershipId: own.membershipId }))
  // A notice that its endpoint does not ask for any more.
  const { accountId } = own.caller
  const endpoint = yield* (yield* WebhookEndpoints).find(accountId, own.endpointId)
  if (endpoint === undefined) return assert.fail("there is no endpoint")
  const notice = {
    ...Rows.anEvent(accountId, { object: "notice", pid: null }),
    type: "send_failed"
  } as const
  yield* (yield* Events).append([notice])
  const told = Rows.aDelivery(notice, endpoint, { status: "delivered", nextAttemptAt: null })
  yield* (yield* Deliveries).enqueue([told])
  note(yield* refused("replay_webhook_delivery", { id: told.id }))
  // Endpoints: disabled, gone, one too many.
  yield* call.disable_merchant_webhook({ id: own.endpointId })
  note(yield* refused("recover_merchant_webhook", inputs.recover_merchant_webhook(own)))
  const url = "https://till.example.com/webhooks"
  yield* call.delete_merchant_webhook({ id: own.endpointId })
  note(yield* refused("replay_webhook_delivery", { id: own.deliveryId }))
  const { merchant_webhooks } = yield* call.list_merchant_webhooks({})
  for (let n = merchant_webhooks.length; n < 50; n++) {
    yield* call.create_merchant_webhook({ url, events: ["payment_request.paid"] })
  }
  note(yield* refused("create_merchant_webhook", inputs.create_merchant_webhook(own)))
  // A thousand proposals and a thousand requests that wait already.
  const { find, propose } = yield* Proposals
  const proposed = yield* find(accountId, own.otherProposalId)
  const { lock, store } = yield* GovernanceRequests
  const waiting = yield* lock(accountId, own.governanceRequestId)
  if (proposed === undefined || waiting === undefined) return assert.fail("nothing waits")
  const copy = () => ({ id: Rows.anId(), expiresAt: Rows.at(1e9) })
  for (let n = 0; n < 1000; n++) {
    yield* propose({ ...proposed, status: "pending_confirm", ...copy() })
    yield* store({ ...waiting, ...copy() })
  }
  note(yield* refused("propose_rename_account", inputs.propose_rename_account(own)))
  note(yield* refused("invite_cosigner", { cosignerUserId: own.neighbourId }))
  // A thousand keys in force.
  const { issue } = yield* Keys
  for (let n = 0; n < maxInForce; n++) yield* issue(Rows.aKey(accountId), Rows.aDigest())
  note(yield* refused("create_api_key", { scopes: ["balances:read"], label: "One more" }))
  return found
})

/** The file that defines an operation. */
const fileNamed = (name: Name) =>
  sourcesIn("core")
    .find(({ text }) => text.includes(`Operation.make("${name}"`))
    ?.path.replace(/^core\//u, "") ?? name

/** Asks every operation so that it succeeds, follows what the answers offer, and says where that was. */
export const offeredBy = Effect.fnUntraced(function* (over: (typeof surfaces)[number], own: Owner) {
  const found: Array<string> = []
  // In the order of the inputs, in which all succeed.
  for (const name of Object.keys(inputs) as ReadonlyArray<Name>) {
    const asker = askerOf(name, own)
    const said = yield* over(name, inputs[name](own), asker.apiKey)
    assert.isTrue(said.ok, `${name}: ${JSON.stringify(said)}`)
    const offers = printedIn(said)
    const { output } = operations.find((each) => each.name === name) ?? assert.fail(name)
    assert.lengthOf(offers, "next" in output.fields ? 1 : 0, name)
    for (const next of offers) {
      yield* follow(next, own, asker)
      found.push(`${fileNamed(name)} ${next.operation}`)
    }
  }
  return found
})
