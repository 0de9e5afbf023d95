/** Keys with caveats and co-signers, by which tests find out who may trade how much. */
import type { TestTreasury } from "../../apps/testing/treasury.ts"

type Calls = TestTreasury["agent"]["call"]

export const refusalOf = async (call: Promise<unknown>) => {
  try {
    await call
  } catch (refusal) {
    return refusal as { readonly _tag: string; readonly message: string; readonly param?: string }
  }
  throw new Error("It was not refused.")
}

/** Makes an address a recipient of the agent's, as its funding wallet signs. */
export const addSigned = async (
  { agent }: TestTreasury,
  wanted: { readonly chainId: string; readonly address: string }
) => {
  const { challenge } = await agent.call.add_recipient(wanted)
  return agent.call.add_recipient({
    ...wanted,
    challengeId: challenge?.challengeId ?? "",
    walletSignature: await agent.fundingWallet.sign(challenge?.message ?? "")
  })
}

/** A key of the agent's that may propose, with these caveats. */
export const keyWith = async (
  { agent, as }: TestTreasury,
  caveats: Partial<Parameters<Calls["create_api_key"]>[0]>
) => {
  const { apiKey = "" } = await agent.call.create_api_key({
    scopes: ["proposals:write", "account:read"],
    ...caveats
  })
  return as(apiKey)
}

/** The developer's account co-signs what the agent trades, by bands of its worth; its votes. */
export const cosigned = async (
  { agent, developer }: TestTreasury,
  action: "swap" | "bridge",
  bands: ReadonlyArray<readonly [fromUsd: number, toUsd: number | null, votes: number]>
) => {
  const { id: cosignerUserId } = await developer.call.get_account({})
  const { challenge } = await agent.call.invite_cosigner({ cosignerUserId })
  await agent.call.invite_cosigner({
    cosignerUserId,
    challengeId: challenge?.challengeId ?? "",
    walletSignature: await agent.fundingWallet.sign(challenge?.message ?? "")
  })
  const { incoming_cosigner_invites: invites } =
    await developer.call.list_incoming_cosigner_invites({})
  await developer.call.accept_cosigner_invite({ inviteId: invites[0]?.inviteId ?? "" })
  const micro = (usd: number) => String(usd * 1_000_000)
  await agent.call.update_cosigner_rules({
    rules: bands.map(([fromUsd, toUsd, requiredApprovals]) => ({
      action,
      minAmountMicro: micro(fromUsd),
      maxAmountMicro: toUsd === null ? null : micro(toUsd),
      requiredApprovals
    }))
  })
  const vote = async (proposalId: string, isApproval = true) => {
    const { pending_cosigner_approvals: pending } =
      await developer.call.list_pending_cosigner_approvals({})
    const pendingApprovalId =
      pending.find((each) => each.proposalId === proposalId)?.pendingApprovalId ?? ""
    return isApproval
      ? developer.call.approve_cosigner_action({ pendingApprovalId })
      : developer.call.reject_cosigner_action({ pendingApprovalId })
  }
  return { vote }
}
