/**
 * What a wallet holds on its chain just now. It is only ever a reason to refuse early: whether a send can
 * be paid is decided by the token when it is sent.
 */
import { Effect } from "effect"
import * as Usdc from "../money/usdc.ts"
import { define } from "../operation/refusal.ts"
import { Chains } from "../ports/chains.ts"
import type { Wallet } from "./wallet.ts"

export class InsufficientBalance extends define("INSUFFICIENT_BALANCE", {
  kind: "invalid",
  meaning: "The wallet's balance is below the amount; `details` shows the balance."
}) {}

/** USDC in smallest units; undefined while the chain does not answer. Asks the network. */
export const held = Effect.fnUntraced(function* ({
  chainId,
  address
}: Pick<Wallet, "chainId" | "address">) {
  const chains = yield* Chains
  if (!chains.connected.some(({ chain }) => chain.id === chainId)) return undefined
  return yield* chains.balances(chainId, [address]).pipe(
    Effect.map(([micro]) => micro),
    Effect.catchTag("ChainUnavailable", () => Effect.undefined)
  )
})

/** Refuses what is known to be more than the wallet holds. */
export const covers = Effect.fnUntraced(function* (
  heldMicro: Usdc.Usdc | undefined,
  { amountSmallestUnit: amountMicro }: { readonly amountSmallestUnit: bigint }
) {
  if (heldMicro === undefined || heldMicro >= amountMicro) return
  return yield* new InsufficientBalance({
    param: "amountUsdc",
    message: `The wallet holds ${Usdc.format(heldMicro)} USDC; send at most that, or use another wallet.`,
    details: { heldUsdc: Usdc.format(heldMicro), amountUsdc: Usdc.format(amountMicro) },
    next: { operation: "list_wallets", args: {} }
  })
})
