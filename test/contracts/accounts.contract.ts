/** What every store of accounts must do. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import { Accounts } from "../../core/accounts/account-store.ts"
import * as Value from "../support/chain-values.ts"
import * as PageWalk from "../support/page-walk.ts"
import * as Rows from "../support/rows.ts"

export const suite = (name: string, stores: Layer.Layer<Accounts>) =>
  layer(stores)(`${name}: accounts`, (it) => {
    it.effect("an opened account is read back as it was", () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const account = Rows.anAccount({
          kind: "agent",
          tier: "personal",
          livemode: true,
          contactEmail: "ada@example.com",
          subscriptionExpiresAt: Rows.at(86_400.5)
        })
        yield* accounts.open(account)
        assert.deepStrictEqual(yield* accounts.find(account.id), account)
      })
    )

    it.effect("an account nobody opened is not found", () =>
      Effect.gen(function* () {
        assert.isUndefined(yield* (yield* Accounts).find(Rows.anId()))
      })
    )

    it.effect("an account is opened once", () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const account = Rows.anAccount()
        yield* accounts.open(account)
        const again = yield* Effect.exit(accounts.open({ ...account, name: "Another" }))
        assert.isTrue(Exit.isFailure(again))
        assert.deepStrictEqual(yield* accounts.find(account.id), account)
      })
    )

    it.effect("all accounts are listed page by page, newest first", () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const opened = [5, 1, 3, 3, 3, 2, 4].map((seconds) =>
          Rows.anAccount({ createdAt: Rows.at(seconds) })
        )
        yield* Effect.forEach(opened, (account) => accounts.open(account))
        // Other tests open accounts in the same store.
        const read = yield* PageWalk.readAll(2, (request) => accounts.list(request))
        const mine = new Set(PageWalk.ids(opened))
        const seen = PageWalk.ids(read).filter((id) => mine.has(id))
        assert.deepStrictEqual(seen, PageWalk.newestFirst(opened))
        assert.deepStrictEqual(PageWalk.ids(read), PageWalk.newestFirst(read))
      })
    )

    it.effect("a pause is read back, ended, and changes nothing else", () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const account = Rows.anAccount()
        yield* accounts.open(account)
        yield* accounts.pause(account.id, Rows.at(5.123), "human:ada")
        assert.deepStrictEqual(yield* accounts.find(account.id), {
          ...account,
          pausedAt: Rows.at(5.123),
          pausedBy: "human:ada"
        })
        yield* accounts.pause(account.id, null)
        assert.deepStrictEqual(yield* accounts.find(account.id), account)
        const nobody = yield* Effect.exit(accounts.pause(Rows.anId(), null))
        assert.isTrue(Exit.isFailure(nobody))
      })
    )

    it.effect("what one wallet has paid for is listed by its address in whatever case", () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const address = Rows.anAddress()
        const twins = [3, 1, 2].map((seconds) =>
          Rows.anAccount({
            kind: "agent",
            fundingWallet: { chainId: "base", address },
            createdAt: Rows.at(seconds)
          })
        )
        const stranger = Rows.anAccount({
          fundingWallet: { chainId: "base", address: Rows.anAddress() }
        })
        yield* Effect.forEach([...twins, stranger, Rows.anAccount()], accounts.open)
        for (const written of [address, Value.lower(address)]) {
          const read = yield* PageWalk.readAll(2, (request) =>
            accounts.fundedBy({ chainId: "optimism", address: written }, request)
          )
          assert.deepStrictEqual(PageWalk.ids(read), PageWalk.newestFirst(twins))
        }
      })
    )

    it.effect(
      "two Solana wallets whose addresses differ in case alone paid for different accounts",
      () =>
        Effect.gen(function* () {
          const accounts = yield* Accounts
          const [one, other] = Rows.aCasePair()
          const funded = [one, other].map((address) =>
            Rows.anAccount({ kind: "agent", fundingWallet: { chainId: "solana", address } })
          )
          yield* Effect.forEach(funded, accounts.open)
          for (const { fundingWallet, id } of funded) {
            if (fundingWallet === null) return assert.fail("nobody paid")
            const { rows } = yield* accounts.fundedBy(fundingWallet, { limit: 5 })
            assert.deepStrictEqual(PageWalk.ids(rows), [id])
          }
        })
    )

    it.effect("a plan is given to one account until an instant", () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const account = Rows.anAccount({ kind: "agent", tier: "personal" })
        yield* accounts.open(account)
        yield* accounts.subscribe(account.id, "startup", Rows.at(7.5))
        const subscribed = { ...account, tier: "startup", subscriptionExpiresAt: Rows.at(7.5) }
        assert.deepStrictEqual(yield* accounts.lock(account.id), subscribed as typeof account)
        yield* accounts.subscribe(account.id, "personal", null)
        assert.deepStrictEqual(yield* accounts.find(account.id), account)
        const nobody = yield* Effect.exit(accounts.subscribe(Rows.anId(), "startup", Rows.at(1)))
        assert.isTrue(Exit.isFailure(nobody))
        assert.isUndefined(yield* accounts.lock(Rows.anId()))
      })
    )

    it.effect("a funding wallet is given once, of many at once, and to agents alone", () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const agent = Rows.anAccount({ kind: "agent" })
        const developer = Rows.anAccount()
        yield* Effect.forEach([agent, developer], accounts.open)
        const wallets = Array.from({ length: 16 }, () => ({
          chainId: "base",
          address: Rows.anAddress()
        }))
        const given = yield* Effect.forEach(
          wallets,
          (wallet) => accounts.giveFundingWallet(agent.id, wallet),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(given.filter(Boolean), 1)
        const kept = (yield* accounts.find(agent.id))?.fundingWallet
        assert.deepStrictEqual(kept, wallets[given.indexOf(true)])
        const { rows } = yield* accounts.fundedBy(kept as (typeof wallets)[0], { limit: 5 })
        assert.deepStrictEqual(PageWalk.ids(rows), [agent.id])
        const [first] = wallets
        assert.isDefined(first)
        for (const id of [developer.id, Rows.anId()]) {
          assert.isFalse(yield* accounts.giveFundingWallet(id, first as (typeof wallets)[0]))
        }
      })
    )

    it.effect("a tier is given to one account and changes nothing else of it", () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const [account, other] = [
          Rows.anAccount({ tier: "startup" }),
          Rows.anAccount({ tier: "startup" })
        ]
        yield* accounts.open(account)
        yield* accounts.open(other)
        yield* accounts.retier(account.id, "personal")
        yield* accounts.retier(account.id, "personal")
        assert.deepStrictEqual(yield* accounts.find(account.id), { ...account, tier: "personal" })
        assert.deepStrictEqual(yield* accounts.find(other.id), other)
        const nobody = yield* Effect.exit(accounts.retier(Rows.anId(), "personal"))
        assert.isTrue(Exit.isFailure(nobody))
      })
    )
  })
