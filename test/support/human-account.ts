/** An account of people who may send: a wallet with money, somebody to pay, a key, a human, and co-signers on demand. */
import { Effect } from "effect"
import { ChainScript } from "../../adapters/memory/chains.ts"
import { authenticate } from "../../core/accounts/authenticate.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { Recipients } from "../../core/recipients/recipient-store.ts"
import { seedAccounts } from "../../core/treasury/seed.ts"
import { callsOf } from "../../core/treasury/treasury.ts"
import { aHuman } from "./enrolled-human.ts"
import * as Rows from "./rows.ts"

const opened = Effect.fnUntraced(function* (name: string) {
  const address = Rows.anAddress()
  const made = yield* (yield* Atomically).run(
    seedAccounts({
      kind: "developer",
      name,
      tier: "startup",
      chainId: "local",
      customer: { externalId: `customer of ${name}`, namespace: "default" },
      payee: { label: "Landlord", address }
    })
  )
  const caller = yield* authenticate(made.apiKey)
  return { accountId: made.account.id, caller, call: callsOf(caller), wallet: made.wallet, address }
})

export const humanAccount = Effect.gen(function* () {
  const owner = yield* opened("Corner Shop")
  const { accountId, call, wallet } = owner
  yield* (yield* ChainScript).fund(wallet.address, 100_000_000_000n)
  const { rows } = yield* (yield* Recipients).list(accountId, { limit: 1 })
  const recipientId = rows[0]?.id as string
  const human = yield* aHuman(accountId)
  const propose = (amountUsdc: string) =>
    Effect.map(
      call.propose_transfer({ recipientId, fromWalletId: wallet.id, amountUsdc }),
      ({ proposalId }) => proposalId
    )
  return {
    ...owner,
    recipientId,
    human,
    propose,
    /** Proposed, and confirmed with the key. */
    confirmed: Effect.fnUntraced(function* (amountUsdc: string) {
      const proposalId = yield* propose(amountUsdc)
      yield* call.confirm_proposal({ proposalId })
      return proposalId
    }),
    statusOf: (proposalId: string) =>
      Effect.map(call.get_proposal({ proposalId }), ({ status }) => status)
  }
})

export type HumanAccount = Effect.Success<typeof humanAccount>

/** Another account that co-signs for it: invited by the human's signature, and accepted. */
export const cosigner = Effect.fnUntraced(function* ({ call, human }: HumanAccount, name: string) {
  const other = yield* opened(name)
  const asked = yield* call.invite_cosigner({ cosignerUserId: other.accountId })
  yield* human.govern(asked.governanceRequestId as string)
  const { incoming_cosigner_invites } = yield* other.call.list_incoming_cosigner_invites({})
  const inviteId = incoming_cosigner_invites[0]?.inviteId as string
  yield* other.call.accept_cosigner_invite({ inviteId })
  const vote = Effect.fnUntraced(function* (proposalId: string, isApproval = true) {
    const { pending_cosigner_approvals } = yield* other.call.list_pending_cosigner_approvals({})
    const found = pending_cosigner_approvals.find((each) => each.proposalId === proposalId)
    const pendingApprovalId = found?.pendingApprovalId ?? "none"
    return yield* isApproval
      ? other.call.approve_cosigner_action({ pendingApprovalId })
      : other.call.reject_cosigner_action({ pendingApprovalId })
  })
  return { ...other, vote }
})

/** Rules by which every send from an amount on takes so many votes. */
export const sendsTake = (requiredApprovals: number, minAmountMicro = "1") => ({
  rules: [{ action: "send" as const, minAmountMicro, maxAmountMicro: null, requiredApprovals }]
})
