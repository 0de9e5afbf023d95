/** Wallets and customers' vaults, what each holds, and what others may take from them. */
import { Effect } from "effect"
import { code, link, state, time, transaction, usd, usdc } from "./parts/cells.ts"
import type { Visit } from "./parts/guard.ts"
import { type Columns, list, nothing, type Output } from "./parts/list.ts"
import { separated } from "./parts/separated.ts"
import { tableOf, thing } from "./parts/thing.ts"

const { fact } = await import("./parts/facts.tsx")

const wallets = list({
  operation: "list_wallets",
  key: "wallets",
  at: "/console/wallets",
  section: "wallets",
  title: "Wallets",
  none: "No wallets.",
  beginning: {
    text: "The account's wallets stand here, with what they hold. Wallets are opened per chain; each customer who pays gets one of their own by themselves.",
    first: { href: "/console/new/propose_create_account", text: "Create the first wallet" }
  },
  idOf: ({ id }) => id,
  // Of the newest wallets alone: to read every balance would take every chain. While none answers, they stand without.
  known: ({ calls }, rows) =>
    rows.length === 0
      ? Effect.succeed(new Map<string, string | null>())
      : Effect.match(calls.get_portfolio({ limit: rows.length }), {
          onSuccess: ({ wallets }) =>
            new Map<string, string | null>(
              wallets.map(({ balanceUsd, id }) => [id, balanceUsd] as const)
            ),
          onFailure: () => new Map<string, string | null>()
        }),
  columns: {
    Wallet: ({ id, name, nickname }) => link(`/console/wallets/${id}`, nickname ?? name),
    Kind: ({ isDefault, kind }) => (isDefault ? `${kind}, default` : kind),
    Balance: ({ id }, balances) => usd(balances.get(id) ?? null),
    Chain: ({ chainId }) => chainId,
    Address: ({ address }) => code(address),
    Created: ({ createdAt }) => time(createdAt)
  },
  actions: [
    { href: "/console/new/propose_create_account", text: "New wallet" },
    { href: "/console/new/propose_transfer", text: "Send USDC" }
  ]
})

const grants = list({
  operation: "list_token_spender_grants",
  key: "token_spender_grants",
  at: "/console/grants",
  section: "wallets",
  title: "Token approvals",
  intro: "What contracts of others may take from the account's wallets.",
  none: "No contract may take anything.",
  beginning: {
    text: "No contract may take anything. Trades ask for what they need, to the exact amount; that would stand here, to be revoked.",
    first: { href: "/console/wallets", text: "See the wallets" }
  },
  idOf: ({ id }) => id,
  known: nothing,
  columns: {
    Wallet: ({ walletId, walletName }) => link(`/console/wallets/${walletId}`, walletName),
    Token: ({ symbol, tokenAddress }) => (symbol === null ? code(tokenAddress) : symbol),
    Allowance: ({ allowance, isUnlimited, symbol }) =>
      isUnlimited
        ? { text: "Unlimited", tone: "bad" }
        : symbol === "USDC"
          ? usdc(allowance)
          : code(allowance),
    Spender: ({ spender, spenderLabel }) => (spenderLabel === null ? code(spender) : spenderLabel),
    Chain: ({ chainId }) => chainId,
    Granted: ({ grantedAt }) => time(grantedAt),
    Transaction: ({ chainId, txHash }) => transaction(chainId, txHash)
  }
})

const holdingColumns: Columns<Output<"get_holdings">["holdings"][number]> = {
  Token: ({ name, symbol, verified }) => (verified ? symbol : `${symbol} (${name}, not verified)`),
  Balance: ({ balanceFormatted }) => ({ text: separated(balanceFormatted), isAmount: true }),
  Price: ({ priceUsd }) => usd(priceUsd),
  Value: ({ valueUsd }) => usd(valueUsd),
  "24 hours": ({ change24hPct }) => (change24hPct === null ? null : `${change24hPct} %`),
  Contract: ({ tokenAddress }) => code(tokenAddress)
}

const requestColumns: Columns<Output<"list_payment_requests">["payment_requests"][number]> = {
  Request: ({ pid }) => link(`/console/payments/${pid}`, pid, true),
  Status: ({ status }) => state(status),
  Amount: ({ amountSmallestUnit }) => usdc(amountSmallestUnit),
  Created: ({ createdAt }) => time(createdAt)
}

/** What came to a vault; a wallet that sends collects nothing. */
const history = Effect.fnUntraced(function* ({ calls }: Visit, id: string) {
  const { payment_requests } = yield* calls.list_payment_requests({ walletMappingId: id })
  return tableOf(
    "Payment requests",
    "No payment requests.",
    requestColumns,
    payment_requests,
    ({ pid }) => pid
  )
})

/** The form of its tags, with those that it has. */
const tagsForm = (accountId: string, tags: Readonly<Record<string, string>>): string => {
  const metadata = Object.entries(tags)
    .map(([name, value]) => `${name}=${value}`)
    .join("\n")
  return `/console/new/set_wallet_metadata?${new URLSearchParams({ accountId, metadata })}`
}

const wallet = thing(
  "/console/wallets/:id",
  Effect.fnUntraced(function* (visit, id) {
    const held = yield* visit.calls.get_holdings({ walletId: id, includeSpam: true, limit: 100 })
    const found = yield* visit.calls.get_wallet({ walletId: id })
    const isVault = found.kind !== "standard"
    const text = found.nickname ?? found.name
    return {
      section: "wallets",
      title: text,
      facts: [
        ...fact("Value of verified tokens", usd(held.totalUsd).text),
        ...fact("Kind", found.kind),
        ...fact("Address", found.address, { code: true }),
        ...fact("Chain", found.chainId),
        ...(found.recoverable === false
          ? fact("Recovery", "Its key service does not bring this address back.", { tone: "bad" })
          : []),
        ...Object.entries(found.metadata).flatMap(([name, value]) => fact(name, value)),
        ...fact("Created", found.createdAt, { isTime: true }),
        ...fact("Prices of", held.pricesAsOf, { isTime: true })
      ],
      links: [
        { href: tagsForm(id, found.metadata), text: "Change tags" },
        ...(isVault
          ? [
              {
                href: `/console/new/create_payment_request?walletMappingId=${id}`,
                text: "New payment request"
              },
              { href: `/console/deposits?vaultId=${id}`, text: "Deposits" }
            ]
          : [
              { href: `/console/new/propose_transfer?fromWalletId=${id}`, text: "Send USDC" },
              { href: `/console/new/propose_rename_account?accountId=${id}`, text: "Rename" },
              {
                href: `/console/new/propose_token_approve?fromWalletId=${id}`,
                text: "Approve a token"
              }
            ])
      ],
      parts: [
        tableOf(
          "Holdings",
          "This wallet holds nothing.",
          holdingColumns,
          held.holdings,
          ({ chainId, tokenAddress }) => `${chainId} ${tokenAddress}`
        ),
        ...(isVault ? [yield* history(visit, id)] : [])
      ]
    }
  })
)

export const walletPages = [wallets, grants, wallet] as const
