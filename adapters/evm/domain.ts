/**
 * The EIP-712 domain of a chain's USDC, as the contract itself tells it and proves by its separator.
 * Names differ from chain to chain, and a signature under a guessed one is worth nothing.
 */
import { Effect } from "effect"
import { domainSeparator } from "viem"
import { decodeAbiParameters, encodeFunctionData, parseAbi } from "viem/utils"
import * as Chain from "../../core/chains/chain.ts"
import { type Address, address } from "./contract.ts"
import * as Node from "./node.ts"

export interface Domain {
  readonly name: string
  readonly version: string
  readonly chainId: number
  readonly verifyingContract: Address
}

const abi = parseAbi([
  "function name() view returns (string)",
  "function version() view returns (string)",
  "function DOMAIN_SEPARATOR() view returns (bytes32)"
])

const textOf = (answer: unknown): string | undefined => {
  try {
    return decodeAbiParameters([{ type: "string" }], answer as Address)[0]
  } catch {
    return undefined
  }
}

const separators = new WeakMap<Domain, Address>()

/** Worked out once for a domain. */
export const separatorOf = (domain: Domain): Address => {
  const known = separators.get(domain)
  if (known !== undefined) return known
  const separator = domainSeparator({ domain })
  separators.set(domain, separator)
  return separator
}

/** Asks the token what its domain is; a token whose separator says otherwise is not the one we speak to. */
export const read = Effect.fnUntraced(function* (node: Node.Node) {
  const { chain, usdc } = node.connection
  const names = ["name", "version", "DOMAIN_SEPARATOR"] as const
  const [named, numbered, separator] = yield* node.ask(
    names.map((functionName) => ({
      method: "eth_call",
      params: [{ to: usdc, data: encodeFunctionData({ abi, functionName }) }, "latest"]
    }))
  )
  const [name, version] = [textOf(named), textOf(numbered)]
  if (name === undefined || version === undefined) {
    return yield* Node.unavailable(node, "inconsistent", "the token does not tell its name")
  }
  const domain: Domain = {
    name,
    version,
    chainId: Chain.eip155(chain),
    verifyingContract: address(usdc)
  }
  if (separatorOf(domain) !== separator) {
    const detail = `the token does not sign as ${name}, version ${version}`
    return yield* Node.unavailable(node, "wrong_chain", detail)
  }
  return domain
})
