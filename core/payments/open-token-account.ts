/**
 * Opens the account that a vault's money lies in, when a payment is first asked for on it, on chains where nobody can be
 * paid before. It is charged to the outlay of the vault's account once; over its cap it waits.
 */
import { Data, Effect } from "effect"
import { record, system } from "../audit/record.ts"
import { type Address, familyOf } from "../chains/address.ts"
import { layOut } from "../policy/lay-out.ts"
import { Atomically } from "../ports/atomically.ts"
import { Chains } from "../ports/chains.ts"
import { Notifier } from "../ports/notifier.ts"
import { Tasks } from "../ports/tasks.ts"
import { TokenAccounts } from "../ports/token-accounts.ts"
import type { PaymentRequest } from "./request.ts"
import { PaymentRequests } from "./request-store.ts"

/** In the transaction that opens the request. */
export const wantTokenAccount = Effect.fnUntraced(function* ({ chainId, pid }: PaymentRequest) {
  if (!familyOf(chainId).holdsInAccounts) return
  yield* (yield* Tasks).offer({ kind: "open_token_account", row: pid })
  yield* (yield* Atomically).afterCommit((yield* Notifier).signal("tasks"))
})

/** What is tried again later: the chain has not taken it yet, or the outlay of the day is used up. */
export class NotOpenYet extends Data.TaggedError("NotOpenYet")<{
  readonly chainId: string
  readonly address: string
  readonly reason: string
}> {
  override get message() {
    return `The token account of ${this.address} on ${this.chainId} is not open yet: ${this.reason}.`
  }
}

const maxLooks = 60
const lookEvery = "500 millis"

/** Whether a block has it, within the time in which one should. */
const seenOpen = Effect.fnUntraced(function* (chainId: string, address: Address) {
  const { isOpen } = yield* TokenAccounts
  for (let looks = 0; looks < maxLooks; looks++) {
    if (yield* isOpen(chainId, address)) return true
    yield* Effect.sleep(lookEvery)
  }
  return false
})

const opening = Effect.fnUntraced(function* (request: PaymentRequest) {
  const { accountId, chainId, payToAddress: address, vaultId } = request
  const accounts = yield* TokenAccounts
  if (yield* accounts.isOpen(chainId, address)) return
  const units = yield* accounts.cost(chainId)
  const cost = { key: `token_account:${chainId}:${address}`, chainId, accountId, units }
  const [isCharged] = yield* layOut([cost])
  if (isCharged !== true) {
    return yield* new NotOpenYet({ chainId, address, reason: "today's outlay is used up" })
  }
  yield* accounts.open(chainId, address)
  if (!(yield* seenOpen(chainId, address))) {
    return yield* new NotOpenYet({ chainId, address, reason: "no block has it" })
  }
  yield* (yield* Atomically).run(
    record({
      accountId,
      actor: system,
      action: "wallet.token_account_opened",
      subjectType: "wallet",
      subjectId: vaultId,
      facts: { chainId, address }
    })
  )
})

/** Does the task of a request; nothing when the account is open, or its chain is not connected any more. */
export const openTokenAccount = Effect.fnUntraced(function* (pid: string) {
  const request = yield* (yield* PaymentRequests).findPublic(pid)
  const { connected } = yield* Chains
  const isConnected = connected.some(({ chain }) => chain.id === request?.chainId)
  if (request !== undefined && isConnected) yield* opening(request)
})
