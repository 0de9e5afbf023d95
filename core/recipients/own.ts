/** Which addresses may stand on the allowlist at all, and which of them are the account's own wallets. */

import { Effect } from "effect"
import * as Address from "../chains/address.ts"
import { define } from "../operation/refusal.ts"
import { Chains } from "../ports/chains.ts"
import { Wallets } from "../wallets/wallet-store.ts"

export class InvalidAddress extends define("INVALID_ADDRESS", {
  kind: "invalid",
  meaning: "The address is malformed, has a wrong checksum, or is not allowed as a recipient."
}) {}

/** The address in its display form, refused by name when nobody can be paid there. */
export const checkedAddress = Effect.fnUntraced(function* (chainId: string, text: string) {
  const { connected } = yield* Chains
  const address = Address.parse(chainId, text)
  if (address === undefined) {
    return yield* new InvalidAddress({
      param: "address",
      message: "This is not an address of that chain, or its checksum is wrong; copy it again."
    })
  }
  const usdc = connected.find((each) => each.chain.id === chainId)?.usdc
  const isToken = usdc !== undefined && Address.isSame(chainId, address, usdc)
  const reason = isToken
    ? "the USDC contract itself; money sent there would be lost"
    : Address.whyLost(chainId, address)
  if (reason !== undefined) {
    return yield* new InvalidAddress({ param: "address", message: `The address is ${reason}.` })
  }
  return address
})

/** Whether an address is a wallet of the account on that chain. */
export const isOwn = Effect.fnUntraced(function* (
  accountId: string,
  chainId: string,
  address: Address.Address
) {
  const owner = yield* (yield* Wallets).ownerOf(chainId, address)
  return owner === accountId
})
