/**
 * How much gas a send is given, and what a chain asks for beside it. The node's estimate decides within
 * bounds: a transfer that fits the usual limit always gets the same, whatever a node says that day.
 */
import { Effect } from "effect"
import { encodeFunctionData, parseAbi } from "viem/utils"
import type { Chain } from "../../core/chains/chain.ts"
import { carrierBytes } from "../../core/evm/outlay.ts"
import * as Block from "./block.ts"
import { address } from "./contract.ts"
import * as Node from "./node.ts"

/** A transfer to an address that never held USDC takes about 103,000. */
export const usual = 150_000n

/** What passes with so much is given the usual limit, whatever its estimate is. */
export const fitting = (usual * 4n) / 5n

/** Arbitrum counts what its parent chain asks for as gas of its own, many times the rest in dear hours. */
const maxByChain: Readonly<Record<string, bigint>> = {
  arbitrum: 10_000_000n,
  "arbitrum-sepolia": 10_000_000n
}
const usuallyMost = 500_000n

/** Whether gas is only what the chain itself does: there a node can try whether a send fits the usual limit. */
export const isOwnOn = ({ id }: Chain): boolean => maxByChain[id] === undefined

/** No send is ever given more. */
export const maxOn = ({ id }: Chain): bigint => maxByChain[id] ?? usuallyMost

/** A quarter above the estimate, since the state it was made on is gone when the block is made. */
export const limitFor = (estimate: bigint, chain: Chain): bigint => {
  const [limit, most] = [(estimate * 5n) / 4n, maxOn(chain)]
  if (limit <= usual) return usual
  return limit < most ? limit : most
}

/** Where OP Stack chains tell what their parent chain asks for (GasPriceOracle, since Fjord). */
const oracle = "0x420000000000000000000000000000000000000F"
const oracleByChain: Readonly<Record<string, string>> = {
  base: oracle,
  "base-sepolia": oracle,
  optimism: oracle,
  "optimism-sepolia": oracle
}

const abi = parseAbi(["function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)"])

/** What the chain asks for the bytes of one transaction beside its gas, at most; nothing on most chains. */
export const dataFee = Effect.fnUntraced(function* (node: Node.Node, bytes = carrierBytes) {
  const { chain, dataFeeOracle = oracleByChain[chain.id] } = node.connection
  if (dataFeeOracle === undefined) return 0n
  const data = encodeFunctionData({ abi, args: [BigInt(Math.ceil(bytes))] })
  const params = [{ to: address(dataFeeOracle), data }, "latest"]
  const [answer] = yield* node.ask([{ method: "eth_call", params }])
  const wei = Block.amount(answer)
  if (wei !== undefined) return wei
  return yield* Node.unavailable(
    node,
    "inconsistent",
    "the chain does not tell what it asks for bytes"
  )
})
