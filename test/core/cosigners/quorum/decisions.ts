/** The steps of sends and payees, and of those who vote on them: each done by its operations, and told to the oracle. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Approvals } from "../../../../core/cosigners/cosigner-store.ts"
import { addresses } from "./cosigner-group.ts"
import { callsOf, type Life, outcome, pick, proof, statusOf } from "./life.ts"
import type { Payee } from "./oracle.ts"
import type { Step, VoterName } from "./step.ts"

export const onSend = Effect.fnUntraced(function* (
  life: Life,
  step: Extract<Step, { readonly do: "confirm" | "cancel" | "vote" }>
) {
  const at = pick(life.oracle.sends, step.at)
  const send = at === undefined ? undefined : life.oracle.sends[at]
  if (at === undefined || send === undefined) return ["ok", "ok"]
  const proposalId = life.names.sends[at] as string
  const { agent } = life.group
  switch (step.do) {
    case "confirm":
      return [
        yield* outcome(agent.confirm_proposal({ proposalId }), statusOf),
        life.oracle.confirm(send)
      ]
    case "cancel":
      return [
        yield* outcome(agent.cancel_proposal({ proposalId }), statusOf),
        life.oracle.cancel(send)
      ]
    case "vote": {
      const approval = yield* (yield* Approvals).ofProposal(proposalId)
      if (approval === undefined) {
        assert.strictEqual(send.required, 0)
        return ["ok", "ok"]
      }
      return [
        yield* voted(life, step.who, approval.id, step.isApproval),
        life.oracle.vote(step.who, send, step.isApproval)
      ]
    }
  }
})

export const voted = (
  life: Life,
  who: VoterName,
  pendingApprovalId: string,
  isApproval: boolean
) => {
  const calls = callsOf(life, who)
  const asked = { pendingApprovalId }
  return outcome(
    isApproval ? calls.approve_cosigner_action(asked) : calls.reject_cosigner_action(asked)
  )
}

export const addPayee = Effect.fnUntraced(function* (life: Life, address: number) {
  const { human } = life.group
  const text = addresses[address] as string
  const adding = Effect.gen(function* () {
    const { proposalId } = yield* human.add_recipient({ address: text, chainId: "local" })
    return yield* human.confirm_proposal({ proposalId: proposalId as string })
  })
  const actual = yield* outcome(adding, statusOf)
  if (actual === "completed") {
    const { recipients } = yield* human.list_recipients({})
    const standing = recipients.find(
      (each) =>
        each.address.toLowerCase() === text.toLowerCase() &&
        each.status !== "revoked" &&
        !life.names.payees.includes(each.id)
    )
    life.names.payees.push(standing?.id as string)
  }
  return [actual, life.oracle.addPayee(address)]
})

export const onPayee = Effect.fnUntraced(function* (
  life: Life,
  step: Extract<Step, { readonly do: "approve payee" | "revoke payee" | "vote on payee" }>
) {
  const at = pick(life.oracle.payees, step.at)
  const payee = at === undefined ? undefined : life.oracle.payees[at]
  if (at === undefined || payee === undefined) return ["ok", "ok"]
  const recipientId = life.names.payees[at] as string
  const { agent } = life.group
  if (step.do === "vote on payee") {
    const calls = callsOf(life, step.who)
    const isByName = step.isByName && step.isApproval && step.who !== "owner"
    return [
      isByName
        ? yield* outcome(calls.approve_recipient({ recipientId }))
        : yield* voted(life, step.who, recipientId, step.isApproval),
      life.oracle.votePayee(step.who, payee, step.isApproval)
    ]
  }
  if (step.do === "revoke payee") {
    return [yield* outcome(agent.revoke_recipient({ recipientId })), life.oracle.revokePayee(payee)]
  }
  const approving = Effect.gen(function* () {
    const { challenge } = yield* agent.approve_recipient({ recipientId })
    return yield* agent.approve_recipient({ recipientId, ...(yield* proof(life, challenge)) })
  })
  return [yield* outcome(approving, statusOf), life.oracle.approvePayee(payee)]
})

export const propose = Effect.fnUntraced(function* (
  life: Life,
  amountMicro: bigint,
  payeeAt: number
) {
  const at = pick(life.oracle.payees, payeeAt) as number
  const expected = life.oracle.propose(amountMicro, life.oracle.payees[at] as Payee)
  const digits = String(amountMicro).padStart(7, "0")
  const proposing = life.group.agent.propose_transfer({
    recipientId: life.names.payees[at] as string,
    fromWalletId: life.group.walletId,
    amountUsdc: `${digits.slice(0, -6)}.${digits.slice(-6)}`
  })
  const actual = yield* outcome(proposing, ({ proposalId, status }) => {
    life.names.sends.push(proposalId)
    return status
  })
  return [actual, expected]
})
