/**
 * Whatever a refusal or an answer offers as its next call succeeds when it is called as printed, with what it
 * says is missing filled in from a table. Every place in core that offers one is walked, or says why not.
 */
import { afterAll, assert, beforeAll, layer } from "@effect/vitest"
import { Effect } from "effect"
import { authenticate } from "../../core/accounts/authenticate.ts"
import { issue } from "../../core/keys/create-key.ts"
import type { Scope } from "../../core/operation/caller.ts"
import { type Next, type Refusal, remembering } from "../../core/operation/refusal.ts"
import { PaymentRequests } from "../../core/payments/request-store.ts"
import { type Name, operations } from "../../core/treasury/operations.ts"
import { callsOf, type Needs } from "../../core/treasury/treasury.ts"
import { type Fields, overRest, overTools } from "../support/asking.ts"
import { type Asker, askerOf, type Owner, owner } from "../support/one-of-everything.ts"
import { bad } from "../support/refused-calls.ts"
import { everyScope } from "../support/small-treasury.ts"
import { sourcesIn } from "../support/source-tree.ts"
import * as Surfaces from "../support/surfaces.ts"
import { inputs } from "../support/valid-inputs.ts"

/** What only the caller knows. */
const known = (own: Owner): Fields => ({
  chainId: "local",
  customers: [{ externalId: "ada" }],
  cosignerUserId: own.neighbourId,
  includeDescendants: true,
  events: ["payment_request.paid"]
})

/** The answer that offers one is no refusal, and has a test of its own below. */
const allowance = "trade/check-allowance.ts propose_token_approve"

/** Places that this walk does not reach, and why. */
const leftOut: Readonly<Record<string, string>> = {
  "approvals/sign-request.ts list_governance_requests":
    "told to a person in the console, who has no key",
  "approvals/sign-proposal.ts confirm_proposal": "told to a person in the console, who has no key",
  "cosigners/invite-cosigner.ts list_cosigner_memberships":
    "comes after the funding wallet has signed; the same call is walked from approvals/remove-cosigner.ts"
}

/** `file operation`, once for each place in core that offers a next call. */
const places: ReadonlyArray<string> = sourcesIn("core").flatMap(({ path, text }) =>
  [...text.matchAll(/next: \{\s+operation(?:: "(\w+)")?/gu)].flatMap(([, operation]) => {
    const file = path.replace(/^core\//u, "")
    return operation === undefined
      ? [`${file} list_wallets`, `${file} list_recipients`]
      : [`${file} ${operation}`]
  })
)

/** Beside `leftOut`: one of the two in send.ts is for a recipient that is gone since it was found; none ever is. */
const neverReached = 1

type Call = (input: Fields) => Effect.Effect<unknown, Refusal, Needs>
const callAs = ({ caller }: Asker, name: Name) => callsOf(caller)[name] as unknown as Call

/** Where in core a refusal was made. */
const fileOf = ({ stack }: Refusal): string =>
  /\/core\/((?!operation\/)[\w/-]+\.ts)/u.exec(stack ?? "")?.[1] ?? "nowhere"

/** Makes the call as printed, and says what stopped it. */
const follow = Effect.fnUntraced(function* (next: Next, own: Owner, asker: Asker) {
  const { args, missing = [], operation } = next
  // Of fields that stand for one choice, the first is taken.
  const chosen = missing.map((field) => field.split("|")[0] ?? field)
  const added = chosen.map((field) => [field, known(own)[field]] as const)
  for (const [field, value] of added) assert.isDefined(value, `${operation} ${field}`)
  return yield* overRest(operation as Name, { ...args, ...Object.fromEntries(added) }, asker.apiKey)
})

/** Refuses the call, follows what it offers, and says where that was. */
const refusedAt = Effect.fnUntraced(function* (
  name: Name,
  input: Fields,
  own: Owner,
  asker: Asker = askerOf(name, own)
) {
  const refusal = yield* Effect.flip(callAs(asker, name)(input))
  const { next } = refusal
  if (next === undefined) return []
  const said = yield* follow(next, own, asker)
  assert.isTrue(said.ok, `${name}: ${JSON.stringify(next)} → ${JSON.stringify(said)}`)
  return [`${fileOf(refusal)} ${next.operation}`]
})

/** Refusals that take a state of their own. */
const inSpecialStates = Effect.fnUntraced(function* (own: Owner) {
  const { call, refused } = {
    call: callsOf(own.caller),
    refused: (name: Name, input: Fields, asker?: Asker) => refusedAt(name, input, own, asker)
  }
  const found: Array<string> = []
  const note = (places: ReadonlyArray<string>) => {
    assert.isNotEmpty(places, `after ${found.at(-1)}`)
    found.push(...places)
  }
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
  // Endpoints: disabled, one too many, gone.
  yield* call.disable_merchant_webhook({ id: own.endpointId })
  note(yield* refused("recover_merchant_webhook", inputs.recover_merchant_webhook(own)))
  const url = "https://till.example.com/webhooks"
  for (let n = 0; n < 49; n++) {
    yield* call.create_merchant_webhook({ url, events: ["payment_request.paid"] })
  }
  note(yield* refused("create_merchant_webhook", inputs.create_merchant_webhook(own)))
  yield* call.delete_merchant_webhook({ id: own.endpointId })
  note(yield* refused("replay_webhook_delivery", { id: own.deliveryId }))
  return found
})

/** A key of the owner's account with these scopes alone. */
const keyOf = Effect.fnUntraced(function* ({ caller }: Owner, scopes: ReadonlyArray<Scope>) {
  const { accountId } = caller
  const wanted = { accountId, kind: "developer", label: null, expiresAt: null } as const
  const { text: apiKey } = yield* issue({ ...wanted, scopes })
  return { apiKey, caller: yield* authenticate(apiKey) }
})

const required: Scope = "payment_requests:read"

beforeAll(() => {
  remembering.callers = 50
})
afterAll(() => {
  remembering.callers = 0
})

layer(Surfaces.layer({ callsAllowed: 100_000 }))("the next call", (it) => {
  it.effect("of every refusal succeeds as printed, with what is missing filled in", () =>
    Effect.gen(function* () {
      const own = yield* owner("user_42")
      const reached: Array<string> = []
      for (const { name } of operations) {
        for (const input of bad[name]) reached.push(...(yield* refusedAt(name, input(own), own)))
      }
      reached.push(...(yield* inSpecialStates(yield* owner("user_43"))), allowance)
      const walked = new Set(reached)
      assert.includeMembers([...places], [...walked])
      const unreached = [...new Set(places)].filter((place) => !walked.has(place))
      assert.deepStrictEqual(unreached.toSorted(), Object.keys(leftOut).toSorted())
      const left = unreached.length + neverReached
      assert.strictEqual(left, 4)
      yield* Effect.logInfo(
        `${reached.length} next calls succeeded, from ${places.length - left} of ${places.length} places in core; left out ${left}: ${JSON.stringify(leftOut)}`
      )
    })
  )

  it.effect("is offered only to a key that may make it", () =>
    Effect.gen(function* () {
      const own = yield* owner("user_44")
      const nextFor = Effect.fnUntraced(function* (
        name: Name,
        input: Fields,
        scopes: ReadonlyArray<Scope>
      ) {
        const { apiKey } = yield* keyOf(own, scopes)
        const over = [yield* overRest(name, input, apiKey), yield* overTools(name, input, apiKey)]
        const [rest, tool] = over.map((said) => (said.ok ? said.data : said.error) as Fields)
        assert.deepStrictEqual(tool?.next, rest?.next)
        return rest?.next
      })
      const unknown = { jobId: own.vaultId }
      const offered = { operation: "create_provisioning_job", args: {} }
      assert.deepStrictEqual(
        yield* nextFor("get_provisioning_job", unknown, [required, "payment_requests:write"]),
        { ...offered, missing: ["chainId", "customers"] }
      )
      assert.isUndefined(yield* nextFor("get_provisioning_job", unknown, [required]))
      // Refused for its scope alone, a key is offered nothing either.
      assert.isUndefined(yield* nextFor("get_provisioning_job", unknown, ["account:read"]))
    })
  )

  it.effect(
    "of an allowance that is too small is the approval, for a key that may propose it",
    () =>
      Effect.gen(function* () {
        const own = yield* owner("user_45")
        const check = (input: Fields, { apiKey }: Asker) =>
          Effect.map(overRest("check_allowance", input, apiKey), (said) => {
            if (!said.ok) return assert.fail(JSON.stringify(said))
            return (said.data as { readonly next?: Next }).next
          })
        const input = inputs.check_allowance(own)
        const next = yield* check(input, own)
        if (next === undefined) return assert.fail("nothing is offered")
        assert.isTrue((yield* follow(next, own, own)).ok)
        const reader = yield* keyOf(own, ["account:read"])
        assert.isUndefined(yield* check(input, reader))
        const beyond = { ...input, requiredAmountSmallest: "100000000001" }
        assert.isUndefined(yield* check(beyond, own), "above the hard cap")
        const { apiKey } = yield* callsOf(own.caller).create_api_key({
          scopes: everyScope,
          dailyCapUsd: "1.00"
        })
        const capped = { apiKey: String(apiKey), caller: yield* authenticate(String(apiKey)) }
        assert.isUndefined(yield* check(input, capped), "above the key's own cap")
      })
  )
})
