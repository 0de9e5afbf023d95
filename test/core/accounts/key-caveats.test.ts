/** Caveats of keys where money moves: at the proposal, at the confirmation, and in what a day has used. */
import { assert, it } from "@effect/vitest"
import { openTreasury, type TestTreasury } from "../../../apps/testing/treasury.ts"

type Calls = TestTreasury["agent"]["call"]

const refusalOf = async (call: Promise<unknown>) => {
  try {
    await call
  } catch (refusal) {
    return refusal as {
      readonly _tag: string
      readonly message: string
      readonly param?: string
      readonly details?: unknown
    }
  }
  throw new Error("It was not refused.")
}

/** An agent with money, a second recipient and a second wallet. */
const ready = async () => {
  const treasury = await openTreasury()
  const { agent } = treasury
  await treasury.send(agent.wallet.address, "500")
  await treasury.send(agent.vault.address, "500")
  const address = "0x00000000000000000000000000000000000A11cE"
  const { challenge } = await agent.call.add_recipient({ chainId: "local", address })
  await agent.call.add_recipient({
    chainId: "local",
    address,
    challengeId: challenge?.challengeId ?? "",
    walletSignature: await agent.fundingWallet.sign(challenge?.message ?? "")
  })
  const { recipients } = await agent.call.list_recipients({})
  const [second, first] = recipients.map(({ id }) => id) as [string, string]
  const keyWith = async (
    caveats: Partial<Parameters<Calls["create_api_key"]>[0]>,
    by: Calls = agent.call
  ) => {
    const { apiKey = "", id } = await by.create_api_key({
      scopes: ["proposals:write", "account:read", "keys:manage"],
      ...caveats
    })
    return { call: await treasury.as(apiKey), id }
  }
  const propose = (by: Calls, amountUsdc: string, recipientId = first, from = agent.wallet.id) =>
    by.propose_transfer({ recipientId, amountUsdc, fromWalletId: from })
  const pay = async (by: Calls, amountUsdc: string) => {
    const { proposalId } = await propose(by, amountUsdc)
    return by.confirm_proposal({ proposalId })
  }
  return { treasury, agent, first, second, keyWith, pay, propose }
}

it("a key sends from the wallets and to the recipients it names, whoever confirms", async () => {
  const { agent, first, keyWith, propose, second, treasury } = await ready()
  const bound = await keyWith({ walletIds: [agent.wallet.id], recipientIds: [first] })
  const elsewhere = await refusalOf(propose(bound.call, "5", second))
  assert.deepInclude(elsewhere, { _tag: "RECIPIENT_NOT_APPROVED", param: "recipientId" })
  const fromVault = await refusalOf(propose(bound.call, "5", first, agent.vault.id))
  assert.deepInclude(fromVault, { _tag: "INSUFFICIENT_SCOPE", param: "fromWalletId" })
  // Proposed by a key without bounds, confirmed by the bound one.
  for (const proposal of [
    await propose(agent.call, "5", second),
    await propose(agent.call, "5", first, agent.vault.id)
  ]) {
    const { proposalId } = proposal
    const refused = await refusalOf(bound.call.confirm_proposal({ proposalId }))
    assert.include(["RECIPIENT_NOT_APPROVED", "INSUFFICIENT_SCOPE"], refused._tag)
    assert.strictEqual(
      (await agent.call.get_proposal({ proposalId })).status,
      "pending_confirm",
      "the refusal left it to be confirmed by another"
    )
  }
  const judge = (recipientId: string, fromWalletId: string) =>
    bound.call.simulate_transfer({ recipientId, amountUsdc: "5", fromWalletId })
  const stray = await judge(second, agent.vault.id)
  assert.deepInclude(stray, { allowed: false, earliestAt: null })
  assert.deepStrictEqual(
    stray.rules.filter(({ passes }) => !passes).map(({ rule }) => rule),
    ["key_wallets", "key_recipients"]
  )
  assert.isTrue((await judge(first, agent.wallet.id)).allowed)
  const allowed = await propose(bound.call, "5")
  const { proposalId } = allowed
  assert.strictEqual((await agent.call.confirm_proposal({ proposalId })).status, "executing")
  const token = await refusalOf(
    bound.call.propose_token_approve({
      fromWalletId: agent.wallet.id,
      tokenAddress: (await agent.call.get_holdings({ walletId: agent.wallet.id })).holdings.find(
        ({ symbol }) => symbol === "USDC"
      )?.tokenAddress as string,
      flow: "intent_swap",
      amountSmallestUnit: "1"
    })
  )
  assert.strictEqual(token._tag, "RECIPIENT_NOT_APPROVED")
  await treasury.close()
})

it("each caveat binds by itself, and says what it holds against", async () => {
  const { agent, first, keyWith, pay, propose, second, treasury } = await ready()
  const ofWallet = await keyWith({ walletIds: [agent.wallet.id] })
  const fromVault = await refusalOf(propose(ofWallet.call, "5", first, agent.vault.id))
  assert.deepInclude(fromVault, { _tag: "INSUFFICIENT_SCOPE", param: "fromWalletId" })
  assert.strictEqual((await pay(ofWallet.call, "5")).status, "executing")

  const ofRecipient = await keyWith({ recipientIds: [first] })
  const elsewhere = await refusalOf(propose(ofRecipient.call, "5", second))
  assert.deepInclude(elsewhere, {
    _tag: "RECIPIENT_NOT_APPROVED",
    details: { recipientId: second }
  })
  const { proposalId } = await propose(ofRecipient.call, "5", first, agent.vault.id)
  assert.strictEqual((await agent.call.confirm_proposal({ proposalId })).status, "executing")

  const ofCap = await keyWith({ dailyCapUsd: "5" })
  const above = await refusalOf(propose(ofCap.call, "5.000001", second, agent.vault.id))
  assert.strictEqual(above._tag, "POLICY_LIMIT_EXCEEDED")
  assert.strictEqual((await pay(ofCap.call, "5")).status, "executing")
  await treasury.close()
})

it("a key's daily cap counts what it confirms, what its keys send, and what came back is free again", async () => {
  const { agent, first, keyWith, pay, propose, second, treasury } = await ready()
  const parent = await keyWith({ dailyCapUsd: "10" })
  const child = await keyWith({ dailyCapUsd: "8" }, parent.call)
  const heir = await keyWith({}, parent.call)
  assert.strictEqual((await pay(child.call, "7")).status, "executing")
  assert.deepInclude(await refusalOf(pay(child.call, "1.01")), { _tag: "POLICY_LIMIT_EXCEEDED" })
  const shared = await refusalOf(propose(heir.call, "3.01"))
  assert.include(shared.message, "at most 3.00 USDC")
  const { recipients } = await agent.call.list_recipients({})
  const judged = await heir.call.simulate_transfer({
    recipientId: recipients.at(-1)?.id ?? "",
    amountUsdc: "3.01"
  })
  assert.strictEqual(judged.allowed, false)
  assert.deepInclude(judged.rules.at(-1), {
    rule: "key_daily",
    passes: false,
    capUsd: "10.00",
    usedUsd: "7.00",
    headroomUsd: "3.00"
  })
  assert.strictEqual(judged.earliestAt, "2030-01-02T00:00:00.000Z")
  // The key that confirms shares its cap with what another proposed.
  const { proposalId } = await propose(agent.call, "4")
  assert.strictEqual(
    (await refusalOf(parent.call.confirm_proposal({ proposalId })))._tag,
    "POLICY_LIMIT_EXCEEDED"
  )
  // What fails gives its part back, under every key.
  await treasury.chainAway(true)
  const failing = await pay(heir.call, "3")
  assert.strictEqual((await refusalOf(propose(parent.call, "0.01")))._tag, "POLICY_LIMIT_EXCEEDED")
  await agent.call.revoke_recipient({ recipientId: first })
  await treasury.chainAway(false)
  await treasury.advance("1 minute")
  const failed = await agent.call.get_proposal({ proposalId: failing.proposalId })
  assert.strictEqual(failed.status, "failed")
  const again = await propose(parent.call, "3", second)
  assert.strictEqual(again.status, "pending_confirm")
  assert.strictEqual(
    (await refusalOf(propose(parent.call, "3.01", second)))._tag,
    "POLICY_LIMIT_EXCEEDED"
  )
  await treasury.close()
})

it("an approval of nothing is free of a key's daily cap, however much of it is used", async () => {
  const { agent, keyWith, pay, treasury } = await ready()
  const { call } = await keyWith({ dailyCapUsd: "1" })
  assert.strictEqual((await pay(call, "1")).status, "executing")
  const { holdings } = await agent.call.get_holdings({ walletId: agent.wallet.id })
  const approval = {
    fromWalletId: agent.wallet.id,
    tokenAddress: holdings.find(({ symbol }) => symbol === "USDC")?.tokenAddress as string,
    flow: "intent_swap" as const
  }
  const one = call.propose_token_approve({ ...approval, amountSmallestUnit: "1" })
  assert.strictEqual((await refusalOf(one))._tag, "POLICY_LIMIT_EXCEEDED")
  const nothing = await call.propose_token_approve({ ...approval, amountSmallestUnit: "0" })
  const { proposalId } = nothing
  assert.strictEqual((await call.confirm_proposal({ proposalId })).status, "executing")
  await treasury.close()
})

it("of forty confirmations at once under a key's cap of ten, exactly ten start", async () => {
  const { agent, keyWith, propose, treasury } = await ready()
  const { call } = await keyWith({ dailyCapUsd: "10" })
  const proposals = []
  for (let count = 0; count < 40; count++) {
    const by = count % 2 === 0 ? call : agent.call
    proposals.push((await propose(by, "1")).proposalId)
  }
  const outcomes = await Promise.all(
    proposals.map((proposalId) =>
      call.confirm_proposal({ proposalId }).then(
        ({ status }) => status,
        ({ _tag }) => _tag
      )
    )
  )
  const count = (outcome: string) => outcomes.filter((each) => each === outcome).length
  assert.strictEqual(count("executing"), 10)
  assert.strictEqual(count("POLICY_LIMIT_EXCEEDED") + count("RATE_LIMITED"), 30)
  assert.isAbove(count("POLICY_LIMIT_EXCEEDED"), 10)
  await treasury.close()
})

it("what co-signers release is judged by the caps of its keys at that moment", async () => {
  const { agent, keyWith, pay, treasury } = await ready()
  const { call } = await keyWith({ dailyCapUsd: "10" })
  const { approvalOf, vote } = await cosigned(treasury)
  const waiting = await pay(call, "6")
  assert.strictEqual(waiting.status, "requires_action")
  const second = await pay(call, "6")
  assert.strictEqual(second.status, "requires_action")
  await vote(await approvalOf(waiting.proposalId))
  const first = await agent.call.get_proposal({ proposalId: waiting.proposalId })
  assert.strictEqual(first.status, "executing")
  await vote(await approvalOf(second.proposalId))
  const over = await agent.call.get_proposal({ proposalId: second.proposalId })
  assert.strictEqual(over.status, "failed")
  assert.include(over.statusReason, "the API key's daily cap")
  await treasury.close()
})

it("whatever a caveat names is the account's own", async () => {
  const { agent, treasury } = await ready()
  const { developer } = treasury
  const scopes = ["account:read" as const]
  const theirs = (await developer.call.list_recipients({})).recipients[0]?.id ?? ""
  const foreign = await refusalOf(
    agent.call.create_api_key({ scopes, walletIds: [developer.wallet.id] })
  )
  const unknown = await refusalOf(
    agent.call.create_api_key({ scopes, walletIds: ["0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d"] })
  )
  assert.deepStrictEqual(
    [foreign._tag, foreign.message, foreign.param],
    [unknown._tag, unknown.message, "walletIds"]
  )
  const recipient = await refusalOf(agent.call.create_api_key({ scopes, recipientIds: [theirs] }))
  assert.deepInclude(recipient, { _tag: "NOT_FOUND", param: "recipientIds" })
  await treasury.close()
})

/** The developer co-signs for the agent whatever is sent. */
const cosigned = async ({ agent, developer }: TestTreasury) => {
  const { challenge } = await agent.call.invite_cosigner({ cosignerUserId: developer.accountId })
  await agent.call.invite_cosigner({
    cosignerUserId: developer.accountId,
    challengeId: challenge?.challengeId ?? "",
    walletSignature: await agent.fundingWallet.sign(challenge?.message ?? "")
  })
  const [invite] = (await developer.call.list_incoming_cosigner_invites({}))
    .incoming_cosigner_invites
  await developer.call.accept_cosigner_invite({ inviteId: invite?.inviteId ?? "" })
  await agent.call.update_cosigner_rules({
    rules: [{ action: "send", minAmountMicro: "0", maxAmountMicro: null, requiredApprovals: 1 }]
  })
  const approvalOf = async (proposalId: string) => {
    const { pending_cosigner_approvals } = await developer.call.list_pending_cosigner_approvals({})
    return (
      pending_cosigner_approvals.find((each) => each.proposalId === proposalId)
        ?.pendingApprovalId ?? ""
    )
  }
  const vote = (pendingApprovalId: string) =>
    developer.call.approve_cosigner_action({ pendingApprovalId })
  return { approvalOf, vote }
}
