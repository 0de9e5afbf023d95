/** Grants are listed as the chain says them: whoever gave them, however many wallets there are to ask about. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import { MemoryStore } from "../../../adapters/memory/store.ts"
import { bothFurnished } from "../../../apps/testing/seed.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { Chains, ChainUnavailable } from "../../../core/ports/chains.ts"
import { Allowances } from "../../../core/ports/holdings.ts"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import * as Spender from "../../../core/trade/spender.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import { Wallets } from "../../../core/wallets/wallet-store.ts"
import * as Rows from "../../support/rows.ts"
import * as SendingRows from "../../support/sending-rows.ts"

const treasury = Layer.unwrap(
  Effect.map(MemoryStore.make, (store) => Wiring.layer({ store, chain: Wiring.scriptedChain() }, 1))
)

const ready = Effect.map(bothFurnished, ([, agent]) => ({
  ...agent,
  call: callsOf(agent.caller)
}))

const relayer = Spender.find("intent_swap", "local")?.address ?? ""
const stranger = `0x${"57".repeat(20)}`

it.effect("an approval given elsewhere is listed, with or without a name for who may take", () =>
  Effect.gen(function* () {
    const { call, wallet, vault } = yield* ready
    const { approve } = yield* ChainScript
    const unlimited = 2n ** 256n - 1n
    yield* approve({ owner: vault.address, spender: stranger, amount: unlimited })
    const token = `0x${"0e".repeat(20)}`
    const txHash = yield* approve({ owner: wallet.address, spender: relayer, amount: 7n, token })
    yield* approve({ owner: stranger, spender: relayer, amount: 9n })
    yield* approve({ owner: wallet.address, spender: stranger, amount: 5n })
    yield* approve({ owner: wallet.address, spender: stranger, amount: 0n })
    const { token_spender_grants: grants } = yield* call.list_token_spender_grants({})
    assert.lengthOf(grants, 2)
    const [ofVault, ofWallet] = [vault, wallet].map(({ id }) =>
      grants.find(({ walletId }) => walletId === id)
    )
    assert.strictEqual(ofVault?.allowance, String(unlimited))
    assert.isTrue(ofVault?.isUnlimited)
    assert.strictEqual(ofVault?.spender.toLowerCase(), stranger)
    assert.isNull(ofVault?.spenderLabel)
    assert.strictEqual(ofVault?.symbol, "USDC")
    assert.strictEqual(ofWallet?.spenderLabel, "CoW Protocol GPv2VaultRelayer")
    assert.isNull(ofWallet?.symbol)
    assert.strictEqual(ofWallet?.txHash, txHash)
    assert.isFalse(ofWallet?.isUnlimited)
  }).pipe(Effect.provide(treasury))
)

it.effect("every grant is on one page and on one only, over wallets that allowed nothing", () =>
  Effect.gen(function* () {
    const { accountId, call } = yield* ready
    const { approve } = yield* ChainScript
    const wallets = yield* Wallets
    for (let added = 0; added < 420; added++) {
      yield* TestClock.adjust("1 second")
      const wallet = Rows.aWallet(accountId, { chainId: "local", createdAt: Rows.at(added + 10) })
      yield* wallets.add(wallet)
      if (![0, 1, 250, 419].includes(added)) continue
      for (const spender of [relayer, stranger]) {
        yield* approve({ owner: wallet.address, spender, amount: 3n })
      }
    }
    const seen: Array<string> = []
    let cursor: string | null | undefined
    let pages = 0
    do {
      const page = yield* call.list_token_spender_grants({
        limit: 3,
        ...(typeof cursor === "string" ? { cursor } : {})
      })
      assert.isAtMost(page.token_spender_grants.length, 3)
      assert.strictEqual(page.hasMore, page.nextCursor !== null)
      seen.push(...page.token_spender_grants.map(({ id }) => id))
      cursor = page.nextCursor
      pages++
    } while (cursor !== null && pages < 20)
    assert.isNull(cursor)
    assert.lengthOf(seen, 8)
    assert.strictEqual(new Set(seen).size, 8)
  }).pipe(Effect.provide(treasury))
)

it.effect("where logs cannot be read what is known is listed still, and the chain is named", () =>
  Effect.gen(function* () {
    const { call, wallet } = yield* ready
    const { approve } = yield* ChainScript
    yield* approve({ owner: wallet.address, spender: relayer, amount: 7n })
    const book = yield* Allowances
    const failing = {
      ...book,
      recent: (chainId: string) =>
        Effect.fail(new ChainUnavailable({ chainId, reason: "limited", detail: "too many logs" }))
    }
    const listed = yield* Effect.provideService(
      call.list_token_spender_grants({}),
      Allowances,
      failing
    )
    assert.strictEqual(listed.token_spender_grants[0]?.allowance, "7")
    assert.isNull(listed.token_spender_grants[0]?.grantedAt)
    assert.deepStrictEqual(listed.unavailableChainIds, ["local"])
  }).pipe(Effect.provide(treasury))
)

it.effect("what was approved here long ago is told with the proposal that approved it last", () =>
  Effect.gen(function* () {
    const { accountId, call, wallet } = yield* ready
    const { approve } = yield* ChainScript
    const { connected } = yield* Chains
    const terms = {
      fromAddress: wallet.address,
      tokenAddress: connected[0]?.usdc ?? "",
      spender: relayer
    }
    const [older, newer] = [Rows.aTxHash(), Rows.aTxHash()]
    for (const [seconds, txHash] of [older, newer].entries()) {
      yield* (yield* Proposals).propose(
        SendingRows.aProposal(accountId, {
          kind: "token_approve",
          status: "completed",
          terms,
          txHashes: [txHash],
          createdAt: Rows.at(seconds),
          updatedAt: Rows.at(seconds + 60)
        })
      )
    }
    yield* approve({ owner: wallet.address, spender: relayer, amount: 7n })
    const forgetful = { ...(yield* Allowances), recent: () => Effect.succeed([]) }
    const listed = yield* Effect.provideService(
      call.list_token_spender_grants({}),
      Allowances,
      forgetful
    )
    const [grant] = listed.token_spender_grants
    assert.strictEqual(grant?.txHash, newer)
    assert.strictEqual(grant?.grantedAt, DateTime.formatIso(Rows.at(61)))
    assert.deepStrictEqual(listed.unavailableChainIds, [])
  }).pipe(Effect.provide(treasury))
)

it.effect("a wallet on a chain that is no longer connected names that chain", () =>
  Effect.gen(function* () {
    const { accountId, call } = yield* ready
    const wallets = yield* Wallets
    yield* wallets.add(Rows.aWallet(accountId, { chainId: "polygon" }))
    yield* wallets.add(Rows.aWallet(accountId, { chainId: "solana" }))
    const listed = yield* call.list_token_spender_grants({})
    assert.deepStrictEqual(listed.unavailableChainIds, ["polygon"])
  }).pipe(Effect.provide(treasury))
)
