/** The world of traders: two chains, a token beside USDC, and two agents with a wallet and money on each chain. */
import { Effect } from "effect"
import { PriceScript } from "../../../adapters/memory/prices.ts"
import * as ScriptedChain from "../../../adapters/memory/scripted-chain.ts"
import { gold as listed } from "../../../apps/testing/wiring.ts"
import { authenticate } from "../../../core/accounts/authenticate.ts"
import * as Address from "../../../core/chains/address.ts"
import { spenders } from "../../../core/chains/evm-contracts.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { seedAccounts, seedChain } from "../../../core/treasury/seed.ts"
import { chanceOf } from "../chance.ts"
import type { MerchantAccount } from "../merchant-account.ts"
import { type Profile, profileOf } from "../profile.ts"
import { connectionOf, type Setting } from "../setting.ts"
import { wrapped } from "./ports.ts"

const key = (address: string) => Address.keyOf("local", address)

export const usdc = {
  local: key(`0x${"05".repeat(20)}`),
  "local-2": key(`0x${"06".repeat(20)}`)
} as const
export const gold = key(listed.address)
const oneGold = 10n ** 18n

export const swapSpender = spenders["CoW Protocol GPv2VaultRelayer"]

/** Whom both accounts may pay, and who pays into vaults. */
export const payee = `0x${"70".repeat(20)}`
export const outsider = key(`0x${"ab".repeat(20)}`)
const mint = `0x${"fa".repeat(20)}`

export const fundedMicro = 4_000_000_000n
export const fundedGold = 2000n * oneGold

const second = 1000
const minute = 60 * second

/** No reorganisation reaches what the chain calls finalized, which is two blocks deep. */
const confirmations = 3

const profile = (seed: number): Profile => {
  const chance = chanceOf(seed, "trading")
  const blockMs = chance.pick([3 * second, 8 * second, 20 * second])
  return {
    ...profileOf(seed),
    chaosMs: chance.pick([8 * minute, 20 * minute, 45 * minute]),
    blockMs,
    pollMs: blockMs,
    lookAgainMs: chance.pick([2 * second, 10 * second, 30 * second]),
    confirmations,
    slowest: chance.pick([50, 3 * second, 31 * second, 70 * second]),
    burst: 0.2 + 0.3 * chance.next()
  }
}

const chains = (of: Profile): ScriptedChain.State => {
  const state = ScriptedChain.makeState([
    connectionOf("local", usdc.local, of),
    connectionOf("local-2", usdc["local-2"], of)
  ])
  const { address: _, chainId, ...described } = listed
  state.scripted.get(chainId)?.others.set(gold, { ...described, balances: new Map() })
  return state
}

const customer = { externalId: "first_customer", namespace: "default" }
const paid = (chainId: string) => ({
  label: "Payee",
  address: Address.shown(chainId, payee)
})

const trader = Effect.fnUntraced(function* (name: string) {
  const { account, apiKey } = yield* seedAccounts({
    kind: "agent",
    name,
    tier: "personal",
    chainId: "local",
    customer,
    payee: paid("local")
  })
  yield* seedChain(account.id, { chainId: "local-2", customer, payee: paid("local-2") })
  const opened: MerchantAccount = {
    accountId: account.id,
    // Its key was issued a line above.
    caller: yield* Effect.orDie(authenticate(apiKey))
  }
  return opened
})

/** Both agents and their wallets, in one transaction. */
const opened = Effect.flatMap(Atomically, ({ run }) =>
  run(Effect.all([trader("Northwind"), trader("Purchasing")]))
)

const told = Effect.flatMap(PriceScript, ({ quote }) =>
  quote({ chainId: "local", address: gold, usd: "2.00" })
)

export const trading: Setting = { chainId: "local", profile, chains, opened, ports: wrapped, told }

/** Gives a wallet USDC and GOLD, and lets the venue take both. */
export const furnish = (
  state: ScriptedChain.State,
  wallet: { readonly chainId: string; readonly address: string },
  nowMs: number
): void => {
  const { address, chainId } = wallet
  const chain = ScriptedChain.find(state, chainId)
  const { usdc: token } = chain.connected
  const funding = { chainId, from: mint, to: address, amountMicro: fundedMicro }
  const approvals =
    chainId === "local"
      ? [token, gold].map((each) =>
          ScriptedChain.approve(state, {
            chainId,
            token: each,
            owner: address,
            spender: swapSpender,
            amount: 10n ** 24n
          })
        )
      : []
  ScriptedChain.mine(state, chain, nowMs, [ScriptedChain.sign(state, funding)], approvals)
  chain.others.get(gold)?.balances.set(Address.keyOf(chainId, address), fundedGold)
}
