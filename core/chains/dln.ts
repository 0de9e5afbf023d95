/**
 * Where limit orders carry tokens from chain to chain (deBridge DLN): its contracts, and the chains it connects. It has
 * no test chains; the local chains have contracts of the same interface at the same addresses.
 */
import { eip155, find } from "./chain.ts"
import { spenders } from "./evm-contracts.ts"

/** What a wallet allows, and what makes its orders. */
export const source = spenders["deBridge DlnSource"]
export const destination = "0xE7351Fd770A37282b91D153Ee690B63579D6dd7f"

const main = ["ethereum", "base", "arbitrum", "optimism", "polygon"]
const local = ["local", "local-2"]

/** How it calls a chain: by the EIP-155 number. Undefined where it is not. */
export const numberOf = (chainId: string): number | undefined => {
  const chain = find(chainId)
  return chain !== undefined && [...main, ...local].includes(chainId) ? eip155(chain) : undefined
}

/** Whether it has a way between two chains; a main chain never reaches a local one. */
export const connects = (fromChainId: string, toChainId: string): boolean =>
  fromChainId !== toChainId &&
  [main, local].some((chains) => chains.includes(fromChainId) && chains.includes(toChainId))
