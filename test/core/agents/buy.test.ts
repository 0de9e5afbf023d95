/**
 * An account bought by a signature (threat 29): one payment is one account, however often and by whomever it
 * is handed in, and its key is for whoever handed it in before the chain knew it.
 */
import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { Accounts } from "../../../core/accounts/account-store.ts"
import { authenticate } from "../../../core/accounts/authenticate.ts"
import { openAccount } from "../../../core/accounts/open.ts"
import { onboard } from "../../../core/agents/buy.ts"
import { Audit } from "../../../core/audit/audit-store.ts"
import * as Address from "../../../core/chains/address.ts"
import { EvmRelay } from "../../../core/evm/relay.ts"
import { plans } from "../../../core/policy/plan.ts"
import { Purchases } from "../../../core/policy/spending-ledger.ts"
import { Chains } from "../../../core/ports/chains.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import * as Value from "../../support/chain-values.ts"
import * as Buying from "../../support/plan-purchases.ts"
import * as Rows from "../../support/rows.ts"
import * as Steps from "../../support/settlement-steps.ts"

const world = Layer.suspend(() =>
  Buying.layer({ store: new Store(), chain: Wiring.scriptedChain(["local"]) })
)

const mine = "0b7e4a52-8f0c-4d6e-9a1b-5c3d2e1f0a9b"

const accountsOf = (text: string, wallet = { chainId: "local", address: Value.address(text) }) =>
  Effect.flatMap(Accounts, (all) => all.fundedBy(wallet, { limit: 100 }))

layer(world)("an account bought by a signature", (it) => {
  it.effect("is one, with one key, however many copies of the payment come at once", () =>
    Effect.gen(function* () {
      const payment = yield* Buying.signed("startup")
      const before = yield* Steps.held(Buying.till)
      const copies = Array.from({ length: 64 }, () =>
        Buying.handIn(payment, mine, { plan: "startup", name: "Buyer" })
      )
      const answers = yield* Steps.pushed(Effect.all(copies, { concurrency: "unbounded" }))
      const [first] = answers
      assert.strictEqual(first?.outcome, "paid")
      for (const answer of answers) assert.deepStrictEqual(answer, first)
      const told = first?.told
      assert.deepInclude(told?.account, { name: "Buyer", kind: "agent", tier: "startup" })
      assert.isTrue(told?.secretAvailable)
      const caller = yield* authenticate(told?.apiKey ?? "")
      assert.deepInclude(caller, { accountId: told?.account.id, kind: "agent" })
      assert.lengthOf([...caller.scopes], 10)
      const paidMicro = (yield* Steps.held(Buying.till)) - before
      assert.strictEqual(paidMicro, plans.startup.priceMicro)
      assert.lengthOf((yield* accountsOf(payment.authorization.from)).rows, 1)
    })
  )

  it.effect(
    "has the payer for its funding wallet, a wallet on each chain, and the plan's time",
    () =>
      Effect.gen(function* () {
        const payment = yield* Buying.signed()
        const { told } = yield* Buying.bought(payment, mine)
        const address = Address.shown("local", payment.authorization.from)
        assert.deepStrictEqual(told?.fundingWallet, { chainId: "local", address })
        const call = callsOf(yield* authenticate(told?.apiKey ?? ""))
        const { wallets } = yield* call.list_wallets({})
        assert.deepStrictEqual(
          wallets.map(({ chainId, isDefault, kind }) => [chainId, isDefault, kind]),
          (yield* Chains).connected.map(({ chain }) => [chain.id, true, "standard"])
        )
        assert.deepStrictEqual(
          told?.wallets.map(({ address: shown }) => shown),
          wallets.map(({ address: shown }) => shown)
        )
        const limits = yield* call.get_policy_limits({})
        const endsAt = DateTime.formatIso(told?.subscriptionExpiresAt as DateTime.Utc)
        assert.deepInclude(limits, { billingPlan: "personal", subscriptionExpiresAt: endsAt })
        const { rows } = yield* (yield* Audit).list(told?.account.id ?? "", { limit: 20 })
        assert.includeMembers(
          rows.map(({ action }) => action),
          ["account.bought", "account.opened", "wallet.created"]
        )
      })
  )

  it.effect("gives its key again to whoever brings the same idempotency key, for a day", () =>
    Effect.gen(function* () {
      const payment = yield* Buying.signed()
      const { told } = yield* Buying.bought(payment, mine)
      const again = yield* Buying.handIn(payment, mine)
      assert.strictEqual(again.told?.apiKey, told?.apiKey)
      yield* TestClock.adjust(Duration.hours(23))
      assert.strictEqual((yield* Buying.handIn(payment, mine)).told?.apiKey, told?.apiKey)
      yield* TestClock.adjust(Duration.hours(1))
      const late = yield* Buying.handIn(payment, mine)
      assert.deepInclude(late.told, { secretAvailable: false })
      assert.notProperty(late.told, "apiKey")
      yield* (yield* Purchases).eraseKeys(yield* DateTime.now, 9)
      const erased = yield* Buying.handIn(payment, mine)
      assert.strictEqual(erased.told?.account.id, told?.account.id)
      assert.isFalse(erased.told?.secretAvailable)
    })
  )

  it.effect("gives its key to nobody any more once the key is revoked", () =>
    Effect.gen(function* () {
      const payment = yield* Buying.signed()
      const { told } = yield* Buying.bought(payment, mine)
      const call = callsOf(yield* authenticate(told?.apiKey ?? ""))
      const [key] = (yield* call.list_api_keys({})).api_keys
      yield* call.revoke_api_key({ keyId: key?.id ?? "" })
      const again = yield* Buying.handIn(payment, mine)
      assert.strictEqual(again.told?.account.id, told?.account.id)
      assert.isFalse(again.told?.secretAvailable)
      assert.notProperty(again.told, "apiKey")
    })
  )

  it.effect("shows its key to nobody who read the payment off the chain", () =>
    Effect.gen(function* () {
      const payment = yield* Buying.signed()
      const { told } = yield* Buying.bought(payment, mine)
      for (const key of [undefined, "guessed-by-a-stranger", mine.slice(0, -1), ""]) {
        const seen = yield* Buying.handIn(payment, key)
        assert.strictEqual(seen.told?.account.id, told?.account.id)
        assert.isFalse(seen.told?.secretAvailable)
        assert.notProperty(seen.told, "apiKey")
        assert.deepStrictEqual(seen.told?.wallets, [])
      }
      const short = yield* Buying.signed()
      yield* Buying.bought(short, "1")
      assert.isFalse((yield* Buying.handIn(short, "1")).told?.secretAvailable)
    })
  )

  it.effect(
    "without an idempotency key gives its key to whoever came first, waiting or with what it was given",
    () =>
      Effect.gen(function* () {
        const waited = yield* Buying.bought(yield* Buying.signed())
        assert.isTrue(waited.told?.secretAvailable)

        const payment = yield* Buying.signed()
        const opening = { plan: "personal", name: undefined, contactEmail: undefined } as const
        const first = yield* Steps.pushed(onboard(payment, opening, undefined), 0)
        assert.deepInclude(first, { isBuyer: true, wasGiven: true })
        assert.isNull(first.settlement.outcome)
        const second = yield* Steps.pushed(onboard(payment, opening, undefined), 0)
        assert.isFalse(second.isBuyer)
        yield* Steps.ended
        assert.isFalse((yield* Buying.handIn(payment, second.buyerKey)).told?.secretAvailable)
        assert.isTrue((yield* Buying.handIn(payment, first.buyerKey)).told?.secretAvailable)
      })
  )

  it.effect("is opened when the payment is final, and not before, whoever waits for it", () =>
    Effect.gen(function* () {
      const payment = yield* Buying.signed()
      const waiting = yield* Steps.pushed(Buying.handIn(payment, mine), 0)
      assert.deepStrictEqual(waiting, { outcome: null, told: undefined })
      yield* Steps.look
      yield* Steps.look
      yield* (yield* ChainScript).mine(1)
      assert.lengthOf((yield* accountsOf(payment.authorization.from)).rows, 0)
      yield* Steps.ended
      assert.lengthOf((yield* accountsOf(payment.authorization.from)).rows, 1)
      assert.strictEqual((yield* Buying.handIn(payment, mine)).outcome, "paid")
    })
  )

  it.effect("is none when the payer has moved the money away", () =>
    Effect.gen(function* () {
      const payment = yield* Buying.signed()
      const { amountMicro, from } = payment.authorization
      yield* Steps.pushed(Buying.handIn(payment, mine), 0)
      yield* (yield* ChainScript).pay({ from, to: Rows.anAddress().toLowerCase(), amountMicro })
      yield* Steps.ended
      assert.lengthOf((yield* accountsOf(from)).rows, 0)
      const reason = yield* Steps.reasonOf(Buying.handIn(payment, mine))
      assert.strictEqual(reason, "insufficient_funds")
    })
  )

  it.effect("that somebody else brought to the token is opened by that transaction, once", () =>
    Effect.gen(function* () {
      const payment = yield* Buying.signed()
      yield* Steps.pushed(Buying.handIn(payment, mine), 0)
      const payouts = yield* EvmRelay
      const { relayerCount, ...conditions } = yield* payouts.conditions("local")
      const fees = { ...conditions, gas: 150_000n }
      const { raw, txHash } = yield* payouts.wrap(payment.authorization, relayerCount, fees)
      yield* payouts.broadcast("local", raw)
      yield* (yield* ChainScript).mine(1)
      yield* Steps.ended
      const { told } = yield* Buying.handIn(payment, mine)
      assert.deepInclude(told, { txHash: Value.transaction(txHash), secretAvailable: true })
      assert.lengthOf((yield* accountsOf(payment.authorization.from)).rows, 1)
    })
  )

  it.effect(
    "costs exactly its plan: another's price, another till and another's plan are refused",
    () =>
      Effect.gen(function* () {
        const cheap = yield* Buying.signed("personal")
        const elsewhere = yield* Buying.signed("personal", { to: Rows.anAddressKey() })
        const asStartup = Buying.handIn(cheap, mine, { plan: "startup" })
        assert.strictEqual(
          yield* Steps.reasonOf(asStartup),
          "invalid_exact_evm_payload_authorization_value"
        )
        assert.strictEqual(
          yield* Steps.reasonOf(Buying.handIn(elsewhere, mine)),
          "invalid_exact_evm_payload_recipient_mismatch"
        )
        yield* Buying.bought(cheap, mine)
        assert.strictEqual(yield* Steps.reasonOf(asStartup), "authorization_bound_elsewhere")
      })
  )

  it.effect("is a twin of every other that its wallet paid for", () =>
    Effect.gen(function* () {
      const from = Rows.anAddressKey()
      const first = yield* Buying.bought(yield* Buying.signed("personal", { from }), mine)
      const second = yield* Buying.bought(yield* Buying.signed("personal", { from }), mine)
      const call = callsOf(yield* authenticate(second.told?.apiKey ?? ""))
      const { funding_wallet_agents: twins } = yield* call.list_funding_wallet_agents({})
      assert.sameMembers(
        twins.map(({ userId }) => userId),
        [first.told?.account.id, second.told?.account.id]
      )
    })
  )
})

layer(world)("a plan that is renewed", (it) => {
  const anAgent = Effect.gen(function* () {
    const { told } = yield* Buying.bought(yield* Buying.signed(), mine)
    return told?.account.id ?? ""
  })
  const account = (id: string) =>
    Effect.map(
      Effect.flatMap(Accounts, (accounts) => accounts.find(id)),
      (found) => found ?? assert.fail("the account is gone")
    )

  it.effect("goes on after its end, once for one payment, however many copies come", () =>
    Effect.gen(function* () {
      const accountId = yield* anAgent
      const { subscriptionExpiresAt: before } = yield* account(accountId)
      const payment = yield* Buying.signed()
      const copies = Array.from({ length: 16 }, () => Buying.renewed(payment, accountId))
      const [first, ...others] = yield* Effect.all(copies, { concurrency: "unbounded" })
      assert.strictEqual(first?.outcome, "paid")
      for (const other of others) assert.strictEqual(other.id, first?.id)
      assert.deepStrictEqual(
        (yield* account(accountId)).subscriptionExpiresAt,
        DateTime.add(before as DateTime.Utc, { days: plans.personal.days })
      )
    })
  )

  it.effect("changes its tier with the plan that is paid for", () =>
    Effect.gen(function* () {
      const accountId = yield* anAgent
      yield* Buying.renewed(yield* Buying.signed("startup"), accountId, "startup")
      assert.strictEqual((yield* account(accountId)).tier, "startup")
    })
  )

  it.effect(
    "is no other's: a payment renews the account it was handed in for, and opens none",
    () =>
      Effect.gen(function* () {
        const [mineId, otherId] = [yield* anAgent, yield* anAgent]
        const payment = yield* Buying.signed()
        yield* Buying.renewed(payment, mineId)
        for (const work of [Buying.renewed(payment, otherId), Buying.bought(payment, mine)]) {
          assert.strictEqual(
            yield* Steps.reasonOf(work as Effect.Effect<unknown, unknown, never>),
            "authorization_bound_elsewhere"
          )
        }
      })
  )

  it.effect("never ends for who was given it, so nobody's money is taken for it", () =>
    Effect.gen(function* () {
      const { id } = yield* openAccount({ name: "Given", kind: "agent", tier: "personal" })
      const payment = yield* Buying.signed()
      const refused = yield* Effect.flip(Buying.renewed(payment, id))
      assert.strictEqual(refused._tag, "NOTHING_TO_RENEW")
      const { amountMicro, from } = payment.authorization
      assert.strictEqual(yield* Steps.held(from), amountMicro)
    })
  )
})
