/** Whether a flow's spender may take what a trade sells; if it may not, the call that lets it. */
import { Effect } from "effect"
import * as Address from "../chains/address.ts"
import { define, UpstreamUnavailable } from "../operation/refusal.ts"
import { Allowances } from "../ports/holdings.ts"
import * as Spender from "./spender.ts"

export class InsufficientAllowance extends define("INSUFFICIENT_ALLOWANCE", {
  kind: "invalid",
  meaning:
    "The flow's spender may take less of the token than the trade sells; `next` is the approval it needs."
}) {}

export interface Needed {
  readonly walletId: string
  readonly owner: Address.Address
  readonly chainId: string
  readonly token: Address.AddressKey
  readonly flow: Spender.Flow
  readonly units: bigint
}

/** Asks the network. A chain whose wallets give no allowances needs none. */
export const require = Effect.fnUntraced(function* (needed: Needed) {
  const { chainId, flow, owner, token, units, walletId } = needed
  if (!Address.familyOf(chainId).takesApprovals) return
  const spender = yield* Spender.of(flow, chainId)
  const permission = {
    token,
    owner: Address.keyOf(chainId, owner),
    spender: Address.keyOf(chainId, spender.address)
  }
  const [allowance = 0n] = yield* (yield* Allowances).current(chainId, [permission]).pipe(
    Effect.mapError(
      () =>
        new UpstreamUnavailable({
          message: `The chain ${chainId} does not respond; try again in a moment.`,
          details: { chainId }
        })
    )
  )
  if (allowance >= units) return
  const tokenAddress = Address.shown(chainId, token)
  const args = { fromWalletId: walletId, tokenAddress, flow, amountSmallestUnit: String(units) }
  return yield* new InsufficientAllowance({
    param: "amountUsd",
    message: `${spender.label} may take ${allowance} of the ${units} units that are sold; approve them and confirm that first.`,
    details: { allowance: String(allowance), required: String(units), flow },
    next: { operation: "propose_token_approve", args }
  })
})
