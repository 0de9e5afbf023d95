/**
 * Changes that an agent's funding wallet signs for, one of each action that takes a signature, on a group of
 * three co-signers; and all that any of them could change.
 */
import { Effect } from "effect"
import { fundingWallet } from "../../apps/testing/seed.ts"
import type { Calls } from "../../core/treasury/treasury.ts"
import { addresses, type CosignerGroup } from "../core/cosigners/quorum/cosigner-group.ts"
import type { Person } from "../core/cosigners/quorum/step.ts"

export type Input = Readonly<Record<string, unknown>>

export const governing = [
  "add_recipient",
  "approve_recipient",
  "invite_cosigner",
  "remove_cosigner",
  "update_cosigner_rules"
] as const
export type Governing = (typeof governing)[number]

/** As the funding wallet of the agent signs. */
export const sign = (message: string) =>
  Effect.promise(() => fundingWallet.signMessage({ message }))

/** A change that takes a signature, and inputs of the same operation that mean another one. */
export interface Change {
  readonly input: Input
  readonly others: ReadonlyArray<Input>
}

const rule = {
  action: "send",
  minAmountMicro: "1000000",
  maxAmountMicro: null,
  requiredApprovals: 1
}

const join = Effect.fnUntraced(function* (
  { accountIds, agent, calls }: CosignerGroup,
  name: Person
) {
  const cosignerUserId = accountIds.get(name) ?? ""
  const { challenge } = yield* agent.invite_cosigner({ cosignerUserId })
  const walletSignature = yield* sign(challenge?.message ?? "")
  const proof = { challengeId: challenge?.challengeId ?? "", walletSignature }
  const { inviteId } = yield* agent.invite_cosigner({ cosignerUserId, ...proof })
  yield* (calls.get(name) as Calls).accept_cosigner_invite({ inviteId: inviteId ?? "" })
})

const cooling = Effect.fnUntraced(function* (
  { human }: CosignerGroup,
  address: string | undefined
) {
  const { proposalId } = yield* human.add_recipient({ address: address ?? "", chainId: "local" })
  yield* human.confirm_proposal({ proposalId: proposalId ?? "" })
  const { recipients } = yield* human.list_recipients({})
  return recipients.find((each) => each.address === address)?.id
})

/** Three members, a rule that asks two of them, two recipients in their cooldown, and what may change of it. */
export const changes = Effect.fnUntraced(function* (founded: CosignerGroup) {
  const { accountIds, agent } = founded
  for (const name of ["ada", "ben", "cleo"] as const) yield* join(founded, name)
  yield* agent.update_cosigner_rules({ rules: [{ ...rule, action: "send", requiredApprovals: 2 }] })
  const { cosigner_memberships: members } = yield* agent.list_cosigner_memberships({})
  const [first, second] = [
    yield* cooling(founded, addresses[1]),
    yield* cooling(founded, addresses[2])
  ]
  const payee = { address: addresses[0], chainId: "local", nickname: "Supplier" }
  const guest = { cosignerUserId: accountIds.get("dora"), nickname: "Dora" }
  return {
    add_recipient: {
      input: payee,
      others: [
        { ...payee, address: "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb" },
        { ...payee, address: payee.address?.toLowerCase() },
        { ...payee, chainId: "eip155:31337" },
        { ...payee, nickname: "supplier" },
        { address: payee.address, chainId: payee.chainId }
      ]
    },
    approve_recipient: { input: { recipientId: first }, others: [{ recipientId: second }] },
    invite_cosigner: {
      input: guest,
      others: [
        { ...guest, cosignerUserId: accountIds.get("stranger") },
        { ...guest, nickname: "dora" },
        { cosignerUserId: guest.cosignerUserId }
      ]
    },
    remove_cosigner: {
      input: { membershipId: members[0]?.id },
      others: [{ membershipId: members[1]?.id }]
    },
    update_cosigner_rules: {
      input: { rules: [rule] },
      others: [
        { rules: [] },
        { rules: [{ ...rule, minAmountMicro: "1000001" }] },
        { rules: [{ ...rule, action: "swap" }] },
        { rules: [rule, { ...rule, action: "swap" }] },
        {
          rules: [
            { ...rule, maxAmountMicro: "2000000" },
            { ...rule, minAmountMicro: "2000000" }
          ]
        }
      ]
    }
  } satisfies Readonly<Record<Governing, Change>>
})

/** All that any of the five could change. */
export const standing = Effect.fnUntraced(function* ({ agent, calls }: CosignerGroup) {
  const invited = yield* Effect.forEach(calls.values(), (each) =>
    each.list_incoming_cosigner_invites({})
  )
  const { recipients } = yield* agent.list_recipients({ limit: 100 })
  const members = yield* agent.list_cosigner_memberships({})
  return JSON.stringify([recipients, members, yield* agent.get_cosigner_rules({}), invited])
})
