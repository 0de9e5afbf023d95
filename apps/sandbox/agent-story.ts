/**
 * The demo's second half: an agent sends money under its caps, pays somebody new once its funding wallet
 * has signed for them, and waits for a co-signer where its rules ask for one.
 */
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from "viem/accounts"
import { address } from "../../adapters/evm/contract.ts"
import type { SandboxFacts } from "./facts.ts"
import { callerOf, DemoRefused, type Fields, must, type Say, until } from "./telling.ts"

type Call = ReturnType<typeof callerOf>

const transactionOf = (proposal: Fields) => (proposal.txHashes as ReadonlyArray<string>)[0]

const completed = (call: Call, proposal: Fields) =>
  until("the transfer is final", async () => {
    const now = await call("GET", `/proposals/${proposal.proposalId}`)
    must(now.status !== "failed", `the transfer does not fail: ${now.statusReason}`)
    return now.status === "completed" ? now : undefined
  })

const proposed = (call: Call, fromWalletId: unknown, recipientId: unknown, amountUsdc: string) =>
  call("POST", "/proposals/transfers", { fromWalletId, recipientId, amountUsdc })

const confirmed = (call: Call, { proposalId, intentHash }: Fields) =>
  call("POST", `/proposals/${proposalId}/confirm`, { expectedIntentHash: intentHash })

/** Asks without a signature, has the challenge signed by the agent's funding wallet, and asks again. */
const signed = async (facts: SandboxFacts, call: Call, path: string, body: Fields) => {
  const { challenge } = (await call("POST", path, body)) as { challenge: Fields }
  const fundingWallet = privateKeyToAccount(address(facts.payer.privateKey))
  const walletSignature = await fundingWallet.signMessage({ message: String(challenge.message) })
  return call("POST", path, { ...body, challengeId: challenge.challengeId, walletSignature })
}

/** It pays somebody on its allowlist, once, and is refused when it asks for more than it may. */
const send = async (call: Call, say: Say, from: unknown, to: unknown) => {
  const proposal = await proposed(call, from, to, "25.00")
  say(`8. An agent proposes: ${proposal.summary}.`)
  await confirmed(call, proposal)
  const done = await completed(call, proposal)
  const again = await confirmed(call, proposal)
  must(again.status === "completed", "confirming again does nothing again")
  say(`9. Confirmed twice, it is paid once: ${transactionOf(done)}`)

  const refused = await proposed(call, from, to, "5000.00").catch((error: unknown) => error)
  must(
    refused instanceof DemoRefused && refused.code === "POLICY_LIMIT_EXCEEDED",
    "a transfer above the caps is refused"
  )
  say(`10. It proposes 5000.00, which is rejected: ${(refused as DemoRefused).sentence}`)
}

/** Somebody new is paid at once, because the wallet that governs the agent has signed for them. */
const paySomebodyNew = async (facts: SandboxFacts, call: Call, say: Say, from: unknown) => {
  const payee = privateKeyToAddress(generatePrivateKey())
  const added = await signed(facts, call, "/proposals/recipients/add", {
    ...{ address: payee, chainId: "local", nickname: "Supplier" }
  })
  must(added.status === "completed", "a signed recipient is approved at once")
  const { recipients } = (await call("GET", "/recipients")) as { recipients: ReadonlyArray<Fields> }
  const supplier = recipients.find((recipient) => recipient.address === payee)
  const proposal = await proposed(call, from, supplier?.id, "5.00")
  await confirmed(call, proposal)
  const done = await completed(call, proposal)
  say(
    `11. Its funding wallet signs for a new recipient, who is paid without a cooldown: ${transactionOf(done)}`
  )
  return supplier?.id
}

/** Above a band of its rules a transfer waits, and the other account's vote releases it. */
const sendTogether = async (
  facts: SandboxFacts,
  call: Call,
  say: Say,
  transfer: { readonly from: unknown; readonly to: unknown }
) => {
  const cosigner = callerOf(facts, facts.developerKey)
  const { id: cosignerUserId } = await cosigner("GET", "/account")
  const { inviteId } = await signed(facts, call, "/cosigners/invites", { cosignerUserId })
  await cosigner("POST", "/cosigners/invites/accept", { inviteId })
  const band = { action: "send", minAmountMicro: "100000000", maxAmountMicro: null }
  await call("PUT", "/cosigners/rules", { rules: [{ ...band, requiredApprovals: 1 }] })

  const proposal = await proposed(call, transfer.from, transfer.to, "150.00")
  const waiting = await confirmed(call, proposal)
  must(waiting.status === "requires_action", "a transfer above the band waits")
  say("12. From 100.00 USDC the other account must co-sign: 150.00 is confirmed and waits.")

  const { pending_cosigner_approvals } = await cosigner("GET", "/cosigners/pending-approvals")
  const approval = (pending_cosigner_approvals as ReadonlyArray<Fields>)[0]
  must(approval?.intentHash === proposal.intentHash, "the co-signer sees what it approves")
  await cosigner("POST", "/cosigners/actions/approve", {
    pendingApprovalId: approval?.pendingApprovalId
  })
  const done = await completed(call, proposal)
  say(`13. The other account approves, and the 150.00 are sent: ${transactionOf(done)}`)
}

export const payOut = async (facts: SandboxFacts, say: Say): Promise<void> => {
  const call = callerOf(facts, facts.workerKey)
  const { wallets } = (await call("GET", "/wallets")) as { wallets: ReadonlyArray<Fields> }
  const { recipients } = (await call("GET", "/recipients")) as { recipients: ReadonlyArray<Fields> }
  const { chainId } = facts.chain
  const from = wallets.find((wallet) => wallet.kind === "standard" && wallet.chain === chainId)?.id
  const known = recipients.find(
    ({ address, status }) => status === "approved" && address === facts.payer.address
  )?.id
  await send(call, say, from, known)
  const to = await paySomebodyNew(facts, call, say, from)
  await sendTogether(facts, call, say, { from, to })
}
