/** The coin in which a chain takes its fees: its name and its decimals. A chain that nobody knows is a defect. */
import { familyOf } from "./address.ts"
import * as Chain from "./chain.ts"

export const of = (chainId: string) => {
  const chain = Chain.find(chainId)
  if (chain === undefined) throw new Error(`There is no chain ${chainId}.`)
  return familyOf(chain.id).coinOf(chain)
}
