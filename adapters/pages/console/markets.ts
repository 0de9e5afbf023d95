/** Tokens, ways to trade them, and what lending markets pay: what others say, marked where nobody vouches for it. */
import { Effect } from "effect"
import { Chains } from "../../../core/ports/chains.ts"
import { code, link, time, usd, usdToCent } from "./parts/cells.ts"
import type { Visit } from "./parts/guard.ts"
import { list, nothing, type RowOf } from "./parts/list.ts"
import { walletOf } from "./parts/names.ts"
import { separated } from "./parts/separated.ts"
import { tradeLinks } from "./trade-forms.ts"

/** The chain of the account's newest own wallet; the first that is connected for people who have none yet. */
const ownChain = Effect.fnUntraced(function* ({ calls }: Visit) {
  const { connected } = yield* Chains
  const {
    wallets: [wallet]
  } = yield* calls.list_wallets({ kind: "standard", limit: 1 })
  const chainId = wallet?.chainId ?? connected[0]?.chain.id
  const usual: Readonly<Record<string, string>> = chainId === undefined ? {} : { chainId }
  return usual
})

const percent = (text: string | null) => (text === null ? null : `${text} %`)

const tokens = list({
  operation: "discover_tokens",
  key: "tokens",
  at: "/console/tokens",
  section: "markets",
  title: "Tokens",
  intro: "Only verified tokens are traded. What calls itself by another's name says so here.",
  none: "No tokens.",
  idOf: ({ chainId, tokenAddress }) => `${chainId} ${tokenAddress}`,
  known: nothing,
  usual: ownChain,
  columns: {
    Token: ({ imitates, name, symbol, verified }) =>
      imitates !== null
        ? { text: `${symbol} (not ${imitates})`, tone: "bad" }
        : verified
          ? symbol
          : `${symbol} (${name}, not verified)`,
    Price: ({ priceUsd }) => usd(priceUsd),
    "24 hours": ({ change24hPct }) => percent(change24hPct),
    "30 days": ({ change30dPct }) => percent(change30dPct),
    "90 days": ({ change90dPct }) => percent(change90dPct),
    "Market value": ({ marketCapUsd }) => usd(marketCapUsd),
    "Volume in 24 hours": ({ volume24hUsd }) => usd(volume24hUsd),
    Chain: ({ chainId }) => chainId,
    Contract: ({ tokenAddress }) => code(tokenAddress)
  },
  actions: tradeLinks
})

/** What the wallets that hold positions are called. */
const walletNames = Effect.fnUntraced(function* (
  visit: Visit,
  rows: ReadonlyArray<RowOf<"list_yield_positions", "yield_positions">>
) {
  const ids = [...new Set(rows.map(({ walletId }) => walletId))]
  const wallets = yield* Effect.forEach(ids, (id) => walletOf(visit, id), { concurrency: 8 })
  return new Map(
    wallets.flatMap((wallet) =>
      wallet === undefined ? [] : [[wallet.id as string, wallet.nickname ?? wallet.name] as const]
    )
  )
})

const positions = list({
  operation: "list_yield_positions",
  key: "yield_positions",
  at: "/console/yields",
  section: "markets",
  title: "Yield positions",
  intro: "What the account's wallets have in vaults that earn, as their chains say it now.",
  none: "No wallet has anything in a vault.",
  beginning: {
    text: "No wallet has anything in a vault that earns. What is there would stand here with what it is worth.",
    first: { href: "/console/yield-markets", text: "See what vaults pay" }
  },
  idOf: ({ vaultAddress, walletId }) => `${walletId} ${vaultAddress}`,
  known: walletNames,
  columns: {
    Wallet: ({ walletId }, names) => {
      const name = names.get(walletId)
      return link(`/console/wallets/${walletId}`, name ?? walletId, name === undefined)
    },
    Protocol: ({ protocol }) => protocol ?? { text: "nobody vouches for it", tone: "bad" },
    Value: ({ valueUsd }) => usdToCent(valueUsd),
    Token: ({ asset }) => asset.symbol ?? code(asset.tokenAddress),
    "Pays a year": ({ apyPct }) => percent(apyPct),
    Chain: ({ chainId }) => chainId,
    Vault: ({ vaultAddress }) => code(vaultAddress),
    "As of": ({ asOf }) => time(asOf)
  }
})

const markets = list({
  operation: "list_yield_markets",
  key: "yield_markets",
  at: "/console/yield-markets",
  section: "markets",
  title: "Yield markets",
  intro: "What lending markets pay. Only those whose vault this treasury knows are verified.",
  none: "No markets.",
  idOf: ({ marketId }) => marketId,
  known: nothing,
  columns: {
    Protocol: ({ protocol, verified }) => (verified ? protocol : `${protocol} (not verified)`),
    Token: ({ asset }) => asset.symbol,
    "Pays a year": ({ apyPct }) => percent(apyPct),
    Interest: ({ apyBasePct }) => percent(apyBasePct),
    Rewards: ({ apyRewardPct }) => percent(apyRewardPct),
    "In it": ({ tvlUsd }) => ({
      text: tvlUsd === null ? "" : `$${separated(tvlUsd)}`,
      isAmount: true
    }),
    Chain: ({ chainId }) => chainId,
    Vault: ({ vaultAddress }) => code(vaultAddress),
    "As of": ({ asOf }) => time(asOf)
  }
})

export const marketPages = [tokens, positions, markets] as const
