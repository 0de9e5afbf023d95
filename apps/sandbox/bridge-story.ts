/** The demo's chapter on bridges: USDC leaves a wallet on one chain and arrives in the account's wallet on another. */
import type { SandboxFacts } from "./facts.ts"
import { callerOf, must, type Say, until } from "./telling.ts"

const ownOn = ({ wallets }: SandboxFacts, chainId: string) =>
  wallets.find(
    (wallet) =>
      wallet.account === "agent" && wallet.kind === "standard" && wallet.chainId === chainId
  )

export const carryOver = async (facts: SandboxFacts, say: Say): Promise<void> => {
  const [from, to] = [ownOn(facts, "local"), ownOn(facts, "local-2")]
  if (from === undefined || to === undefined) return
  const call = callerOf(facts, facts.agentKey)
  const asked = {
    fromWalletId: from.id,
    toWalletId: to.id,
    sellSymbol: "USDC",
    buySymbol: "USDC",
    amountUsd: "20.00"
  }
  const quote = await call("POST", "/trade/quotes/bridge", asked)
  say(
    `17. A quote: of 20 USDC at least ${quote.minBuyAmount} units arrive on ${to.chainId}, by ${quote.protocol}.`
  )
  const { buy, sell } = quote as Record<string, { readonly tokenAddress: string }>
  const proposal = await call("POST", "/proposals/bridges", {
    ...asked,
    sellTokenAddress: sell?.tokenAddress,
    buyTokenAddress: buy?.tokenAddress,
    previewQuoteId: quote.quoteId
  })
  await call("POST", `/proposals/${proposal.proposalId}/confirm`, {
    expectedIntentHash: proposal.intentHash
  })
  const seen = new Set<unknown>()
  const done = await until("the bridge has arrived", async () => {
    const now = await call("GET", `/proposals/${proposal.proposalId}`)
    if (now.subStatus !== null && !seen.has(now.subStatus))
      say(`18. The bridge is ${now.subStatus}.`)
    seen.add(now.subStatus)
    return now.status === "executing" ? undefined : now
  })
  must(done.outcome === "executed", `the bridge arrives: ${done.statusReason}`)
  must(
    BigInt(String(done.boughtAmount)) >= BigInt(String(quote.minBuyAmount)),
    "at least the minimum arrives"
  )
  say(`19. ${done.boughtAmount} units were minted on ${to.chainId}; what was burnt is gone.`)
}
