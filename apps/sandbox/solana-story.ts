/** The demo's last part: the same calls on Solana, where only the chain's name and the form of addresses differ. */
import type { SandboxFacts } from "./facts.ts"
import { payUsdc } from "./solana/pay-usdc.ts"
import { callerOf, type Fields, must, type Say, until } from "./telling.ts"

type Call = ReturnType<typeof callerOf>
type Solana = NonNullable<SandboxFacts["solana"]>

/** A request on the demo customer's vault, paid by whoever reads its QR code. */
const collect = async (call: Call, say: Say, solana: Solana, walletMappingId: unknown) => {
  const request = await call("POST", "/payment-requests", { walletMappingId, amountUsd: 12.5 })
  const asked = new URL(String(request.qrPayload))
  must(asked.protocol === "solana:", "its QR code is a Solana Pay request")
  const txId = await payUsdc({
    rpcUrl: solana.rpcUrl,
    privateKey: solana.payer.privateKey,
    mint: asked.searchParams.get("spl-token") ?? "",
    to: asked.pathname,
    amountMicro: 12_500_000n,
    reference: asked.searchParams.get("reference") ?? undefined
  })
  say(`14. On Solana a request over 12.50 USDC is paid by its QR code: ${txId}`)
  const paid = await until("the request on Solana is paid", async () => {
    const now = await call("GET", `/payment-requests/${request.pid}`)
    return now.status === "paid" ? now : undefined
  })
  must(paid.txHash === txId, "it was this transaction that paid it")
  say(`15. A final slot has it, and the request is ${paid.status}.`)
}

const send = async (call: Call, say: Say, solana: Solana, fromWalletId: unknown) => {
  const { recipients } = (await call("GET", "/recipients")) as {
    readonly recipients: ReadonlyArray<Fields>
  }
  const payee = recipients.find((recipient) => recipient.address === solana.payer.address)
  const proposal = await call("POST", "/proposals/transfers", {
    fromWalletId,
    recipientId: payee?.id,
    amountUsdc: "7.25"
  })
  const confirm = () =>
    call("POST", `/proposals/${proposal.proposalId}/confirm`, {
      expectedIntentHash: proposal.intentHash
    })
  await confirm()
  const done = await until("the send on Solana is final", async () => {
    const now = await call("GET", `/proposals/${proposal.proposalId}`)
    must(now.status !== "failed", `the send does not fail: ${now.statusReason}`)
    return now.status === "completed" ? now : undefined
  })
  const again = await confirm()
  must(again.status === "completed", "confirming again does nothing again")
  const [txId, ...others] = done.txHashes as ReadonlyArray<string>
  must(others.length === 0, "one transaction paid it")
  say(`16. A send of 7.25 USDC from a wallet without SOL is final, paid once: ${txId}`)
}

export const collectAndSend = async (facts: SandboxFacts, say: Say): Promise<void> => {
  const { solana, wallets } = facts
  if (!solana) {
    say("14. This machine cannot run the local Solana; what happens on it is left out.")
    return
  }
  const call = callerOf(facts, facts.agentKey)
  const own = wallets.filter(
    ({ account, chainId }) => account === "agent" && chainId === solana.chainId
  )
  const idOf = (kind: string) => own.find((wallet) => wallet.kind === kind)?.id
  await collect(call, say, solana, idOf("collection"))
  await send(call, say, solana, idOf("standard"))
}
