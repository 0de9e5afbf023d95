/**
 * The demo's swaps: an agent lets orders take some of its USDC, sells it by a signed order that is filled on the real
 * settlement contract, and sells nothing once the price is worse than it approved.
 */
import { Effect } from "effect"
import { address } from "../../adapters/evm/contract.ts"
import * as Rpc from "../../adapters/evm/rpc.ts"
import * as Deployment from "./cow/deployment.ts"
import type { SandboxFacts } from "./facts.ts"
import { callerOf, type Fields, must, type Say, until } from "./telling.ts"

type Call = ReturnType<typeof callerOf>

/** The market's own side: what a token costs, which it may change. */
const marketOf = (facts: SandboxFacts, token: string) => {
  const rpc = Rpc.make(facts.chain.rpcUrl)
  const call = (method: string, ...params: ReadonlyArray<unknown>) =>
    Effect.orDie(Effect.map(rpc([{ method, params }]), ([result]) => result))
  const anvil = { rpcUrl: facts.chain.rpcUrl, rpc, call }
  const inPool = <A>(act: (pool: Deployment.Deployed["pool"]) => Effect.Effect<A>) =>
    Effect.runPromise(Effect.flatMap(Deployment.addresses(anvil), ({ pool }) => act(pool)))
  return {
    price: () => inPool((pool) => Deployment.priceOf(anvil, pool, address(token))),
    setPrice: (micro: bigint) =>
      inPool((pool) => Deployment.setPrice(anvil, pool, address(token), micro))
  }
}

const ended = (call: Call, { proposalId }: Fields) =>
  until("the proposal has ended", async () => {
    const now = await call("GET", `/proposals/${proposalId}`)
    return now.status === "completed" || now.status === "failed" ? now : undefined
  })

const confirm = (call: Call, { proposalId, intentHash }: Fields) =>
  call("POST", `/proposals/${proposalId}/confirm`, { expectedIntentHash: intentHash })

const amountText = (units: unknown, decimals: number): string =>
  (Number(units) / 10 ** decimals).toFixed(6)

export const swapTokens = async (facts: SandboxFacts, say: Say, first: number): Promise<void> => {
  const call = callerOf(facts, facts.workerKey)
  const weth = facts.chain.tokens?.find(({ symbol }) => symbol === "WETH")
  if (weth === undefined) throw new Error("The sandbox names no WETH.")
  const wallets = (await call("GET", "/wallets")).wallets as ReadonlyArray<Fields>
  const wallet = wallets.find(
    ({ chain, kind }) => kind === "standard" && chain === facts.chain.chainId
  )
  const swap = {
    fromWalletId: wallet?.id,
    ...{ sellSymbol: "USDC", sellTokenAddress: facts.chain.usdc },
    ...{ buySymbol: "WETH", buyTokenAddress: weth.tokenAddress },
    amountUsd: "50.00"
  }
  const approval = await call("POST", "/proposals/token-approve", {
    fromWalletId: wallet?.id,
    tokenAddress: facts.chain.usdc,
    flow: "intent_swap",
    amountSmallestUnit: "100000000"
  })
  await confirm(call, approval)
  must((await ended(call, approval)).status === "completed", "orders may take 100.00 USDC")

  const proposal = await call("POST", "/proposals/swaps", swap)
  say(`${first}. The agent proposes a swap: ${proposal.summary}.`)
  await confirm(call, proposal)
  const done = await ended(call, proposal)
  must(done.outcome === "executed", `the order is filled: ${done.statusReason}`)
  say(
    `${first + 1}. Its order was filled on CoW Protocol's settlement contract: ${amountText(done.soldAmount, 6)} USDC for ${amountText(done.boughtAmount, weth.decimals)} WETH.`
  )

  const late = await call("POST", "/proposals/swaps", swap)
  const market = marketOf(facts, weth.tokenAddress)
  const before = await market.price()
  await market.setPrice((before * 11n) / 10n)
  try {
    await confirm(call, late)
    const refused = await ended(call, late)
    must(refused.outcome === "not_executed", "nothing is sold below the floor")
    say(
      `${first + 2}. WETH rises by a tenth before it confirms another one, and nothing is sold below its floor: ${refused.statusReason}`
    )
  } finally {
    await market.setPrice(before)
  }
}
