/**
 * What a payment link asks for, read out of what a wallet would read. A link is a stranger's text: only USDC as we
 * know it on a chain we know is ever paid, whatever token and chain it names.
 */
import { families, isSame } from "../../../core/chains/address.ts"
import { type Chain, chains } from "../../../core/chains/chain.ts"
import { usdc } from "../../../core/chains/usdc.ts"
import * as Usdc from "../../../core/money/usdc.ts"

export interface Due {
  readonly pid: string
  readonly chain: Chain
  readonly token: string
  readonly to: string
  readonly amountMicro: Usdc.Usdc
  readonly reference: string | undefined
  readonly uri: string
}

/** The USDC of chains that no table knows, by chain id: a sandbox's own. */
export type LocalUsdc = Readonly<Record<string, string>>

/** Undefined where it asks for anything else than a transfer of USDC. */
export const dueOf = (pid: string, uri: string, local: LocalUsdc = {}): Due | undefined => {
  for (const chain of chains) {
    const reader = families[chain.family]
    const read = reader.readPaymentUri(uri)
    const known: string | undefined = local[chain.id] ?? usdc[chain.id]
    if (read === undefined || known === undefined) continue
    const { chainReference, payTo, reference, token, units } = read
    const isOnChain =
      chainReference === undefined || chainReference === reader.chainReference(chain)
    if (!isOnChain || !isSame(chain.id, token, known)) continue
    return { pid, chain, token, to: payTo, amountMicro: Usdc.make(units), reference, uri }
  }
  return undefined
}
