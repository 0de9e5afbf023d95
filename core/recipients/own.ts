/** Which addresses may stand on the allowlist at all, and which of them are the account's own wallets. */
import { Effect } from "effect"
import { define } from "../operation/refusal.ts"
import { Chains } from "../ports/chains.ts"
import { Wallets } from "../wallets/wallet-store.ts"

export class InvalidAddress extends define("INVALID_ADDRESS", {
  kind: "invalid",
  meaning: "The address is malformed, has a wrong checksum, or can never be a recipient."
}) {}

const refused: Readonly<Record<string, string>> = {
  "0x0000000000000000000000000000000000000000": "the zero address; money sent there is lost",
  "0x000000000000000000000000000000000000dead": "a burn address; money sent there is lost"
}

/** The address in its display form, refused by name when nobody can be paid there. */
export const checkedAddress = Effect.fnUntraced(function* (chainId: string, text: string) {
  const { addressOf, connected } = yield* Chains
  const address = addressOf(chainId, text)
  if (address === undefined) {
    return yield* new InvalidAddress({
      param: "address",
      message:
        "This is not an address of that chain, or its mixed-case checksum is wrong; copy it again."
    })
  }
  const usdc = connected.find((each) => each.chain.id === chainId)?.usdc.toLowerCase()
  const lower = address.toLowerCase()
  const reason =
    lower === usdc ? "the USDC contract itself; money sent there is lost" : refused[lower]
  if (reason !== undefined) {
    return yield* new InvalidAddress({ param: "address", message: `This is ${reason}.` })
  }
  return address
})

/** Whether an address is a wallet of the account on that chain. */
export const isOwn = Effect.fnUntraced(function* (
  accountId: string,
  chainId: string,
  address: string
) {
  const owner = yield* (yield* Wallets).ownerOf(chainId, address.toLowerCase())
  return owner === accountId
})
