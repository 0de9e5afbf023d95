/** The funding wallet an operator names for an agent's account: whoever holds it governs the account, so a misspelt one is refused. */
import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import type { FundingWallet } from "../../../core/chains/address.ts"
import * as Address from "../../../core/chains/address.ts"
import * as Chain from "../../../core/chains/chain.ts"
import type { KeyKind } from "../../../core/operation/caller.ts"
import { misused } from "../exit.ts"

export const flags = {
  chain: Flag.String("funding-wallet-chain").pipe(
    Flag.withDescription("The chain of the agent's funding wallet, such as base."),
    Flag.withMetavar("<chain>"),
    Flag.optional
  ),
  address: Flag.String("funding-wallet-address").pipe(
    Flag.withDescription(
      "The funding wallet's address, 0x… or in base58; it cannot be changed later."
    ),
    Flag.withMetavar("<address>"),
    Flag.optional
  )
}

interface FundingOptions {
  readonly chain: Option.Option<string>
  readonly address: Option.Option<string>
}

/** The wallet in its chain's display form, none when none was named, or what is wrong with it. */
export const read = Effect.fnUntraced(function* (kind: KeyKind, named: FundingOptions) {
  const [chainId, text] = [Option.getOrUndefined(named.chain), Option.getOrUndefined(named.address)]
  if (chainId === undefined && text === undefined) return null
  if (chainId === undefined || text === undefined) {
    return yield* misused(
      "Send --funding-wallet-chain and --funding-wallet-address together, or omit both."
    )
  }
  if (kind !== "agent") {
    return yield* misused(
      "Only an agent's account has a funding wallet; people approve with a passkey."
    )
  }
  const chain = Chain.find(chainId)
  if (chain === undefined) {
    const known = Chain.chains.map(({ id }) => id)
    return yield* misused(`--funding-wallet-chain must be one of: ${known.join(", ")}.`)
  }
  const address = Address.parse(chain.id, text)
  if (address === undefined || Address.whyLost(chain.id, address) !== undefined) {
    return yield* misused(
      `--funding-wallet-address is not a wallet address of that chain; send ${Address.familyOf(chain.id).addressForm}.`
    )
  }
  return { chainId: chain.id, address } satisfies FundingWallet
})
