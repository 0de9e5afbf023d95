/** The demo's swap on Solana: a quote, a proposal that is bound to its floor, and one transaction that sells and buys. */
import type { SandboxFacts } from "./facts.ts"
import { callerOf, type Fields, must, type Say, until, whole } from "./telling.ts"

export const swapOnSolana = async (facts: SandboxFacts, say: Say): Promise<void> => {
  const { solana, wallets } = facts
  const token = solana?.tokens?.find(({ symbol }) => symbol === "JUP")
  const wallet = wallets.find(
    ({ account, chainId, kind }) =>
      account === "agent" && kind === "standard" && chainId === solana?.chainId
  )
  if (!solana || token === undefined || wallet === undefined) return
  const call = callerOf(facts, facts.agentKey)
  const asked = {
    fromWalletId: wallet.id,
    toWalletId: wallet.id,
    sellSymbol: "USDC",
    sellMint: solana.usdc,
    buySymbol: token.symbol,
    buyMint: token.mint,
    amountUsd: "25.00"
  }
  const quote = await call("POST", "/trade/quotes/swap", asked)
  const { decimals, symbol } = quote.buy as { readonly decimals: number; readonly symbol: string }
  const bought = (units: unknown) => `${whole(units, decimals)} ${symbol}`
  const proposal = await call("POST", "/proposals/solana-swaps", {
    ...asked,
    previewQuoteId: quote.quoteId
  })
  const { summary } = await call("GET", `/proposals/${proposal.proposalId}`)
  say(`25. On Solana an agent proposes, by a quote of ${bought(quote.buyAmount)}: ${summary}.`)
  await call("POST", `/proposals/${proposal.proposalId}/confirm`, {
    expectedIntentHash: proposal.intentHash
  })
  const done = await until("the swap on Solana is final", async () => {
    const now: Fields = await call("GET", `/proposals/${proposal.proposalId}`)
    must(now.status !== "failed", `the swap does not fail: ${now.statusReason}`)
    return now.status === "completed" ? now : undefined
  })
  const [txId, ...others] = done.txHashes as ReadonlyArray<string>
  must(others.length === 0, "one transaction swapped")
  must(
    BigInt(String(done.boughtAmount)) >= BigInt(String(quote.minBuyAmount)),
    "not below its floor"
  )
  say(
    `26. One transaction sold ${whole(done.soldAmount, 6)} USDC and bought ${bought(done.boughtAmount)}: ${txId}`
  )
}
