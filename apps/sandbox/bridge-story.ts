/** The demo's chapter on bridges: USDC leaves a wallet on one chain and arrives in the account's wallet on another. */
import type { SandboxFacts } from "./facts.ts"
import { callerOf, type Fields, must, type Say, until, walletOn, whole } from "./telling.ts"

export const carryOver = async (facts: SandboxFacts, say: Say): Promise<void> => {
  const { secondChain } = facts
  if (secondChain === undefined || secondChain === null) return
  const call = callerOf(facts, facts.agentKey)
  const [fromChainId, toChainId] = [facts.chain.chainId, secondChain.chainId]
  // The second chain starts when somebody first asks for the way there.
  const { tools } = await call(
    "GET",
    `/trade/routing-guide?fromChainId=${fromChainId}&toChainId=${toChainId}`
  )
  must(
    (tools as ReadonlyArray<Fields>).every(({ available }) => available === true),
    "every bridge to the second chain is available"
  )
  const asked = {
    fromWalletId: await walletOn(call, fromChainId),
    toWalletId: await walletOn(call, toChainId),
    sellSymbol: "USDC",
    buySymbol: "USDC",
    amountUsd: "20.00"
  }
  const quote = await call("POST", "/trade/quotes/bridge", asked)
  say(
    `17. A quote: of 20 USDC at least ${whole(quote.minBuyAmount, 6)} arrive on ${toChainId}, by ${quote.protocol}.`
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
  say(
    `19. ${whole(done.boughtAmount, 6)} USDC were minted on ${toChainId}; what was burnt is gone.`
  )
}
