/**
 * The demo's chapter on what goes wrong between chains: nobody attests, so an order is made; nobody fills it, so it is
 * taken back, and all of it comes home.
 */
import type { SandboxFacts } from "./facts.ts"
import { callerOf, type Fields, must, type Say, until, walletOn, whole } from "./telling.ts"

const switchFaults = async (serviceUrl: string, faults: Fields): Promise<void> => {
  const response = await fetch(`${serviceUrl}/faults`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(faults)
  })
  must(response.ok, "the local services take their faults")
}

type Call = ReturnType<typeof callerOf>

const ended = (call: Call, { proposalId }: Fields) =>
  until("the proposal has ended", async () => {
    const now = await call("GET", `/proposals/${proposalId}`)
    return now.status === "executing" ? undefined : now
  })

const confirm = (call: Call, { proposalId, intentHash }: Fields) =>
  call("POST", `/proposals/${proposalId}/confirm`, { expectedIntentHash: intentHash })

const askedBy = async (call: Call, { chain, secondChain }: SandboxFacts) => ({
  fromWalletId: await walletOn(call, chain.chainId),
  toWalletId: await walletOn(call, secondChain?.chainId ?? ""),
  ...{ sellSymbol: "USDC", sellTokenAddress: chain.usdc },
  ...{ buySymbol: "USDC", buyTokenAddress: secondChain?.usdc },
  amountUsd: "15.00"
})

const unfilled = async (call: Call, facts: SandboxFacts, say: Say): Promise<void> => {
  const asked = await askedBy(call, facts)
  const approval = await call("POST", "/proposals/token-approve", {
    fromWalletId: asked.fromWalletId,
    tokenAddress: facts.chain.usdc,
    flow: "limit_order_bridge",
    amountSmallestUnit: "15000000"
  })
  await confirm(call, approval)
  must((await ended(call, approval)).outcome === "executed", "the contract of orders is allowed")
  const proposal = await call("POST", "/proposals/bridges", asked)
  await confirm(call, proposal)
  const path = `/proposals/${proposal.proposalId}`
  await until("the order waits for somebody to fill it", async () => {
    const { status, statusReason, subStatus } = await call("GET", path)
    must(status === "executing", `the order is made: ${statusReason}`)
    return subStatus === "fulfilling" ? true : undefined
  })
  say("20. While nobody attests burns, 15 USDC leave as a limit order. Nobody fills it.")
  await call("POST", `${path}/cancel`, {})
  const done = await ended(call, proposal)
  must(done.outcome === "refunded", `the order is given back: ${done.statusReason}`)
  must(done.refundedAmount === "15000000", "all of it is given back")
  say(
    `21. It is taken back on the other chain, and ${whole(done.refundedAmount, 6)} USDC came home.`
  )
}

export const takeBack = async (facts: SandboxFacts, say: Say): Promise<void> => {
  if (facts.secondChain === undefined || facts.secondChain === null) return
  const { attestationUrl, limitOrdersUrl } = facts.secondChain
  await switchFaults(attestationUrl, { status: 503 })
  await switchFaults(limitOrdersUrl, { isIdle: true })
  try {
    await unfilled(callerOf(facts, facts.agentKey), facts, say)
  } finally {
    await switchFaults(attestationUrl, { status: null })
    await switchFaults(limitOrdersUrl, { isIdle: false })
  }
}
