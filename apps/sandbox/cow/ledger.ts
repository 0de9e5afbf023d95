/**
 * What the local order book knows: the orders it was given, and the chain, which alone says how far each was
 * filled. An order's status is computed when it is asked for and never remembered.
 */
import { Predicate } from "effect"
import type { Hex } from "viem"
import {
  decodeAbiParameters,
  decodeFunctionResult,
  encodeEventTopics,
  encodeFunctionData,
  parseAbi,
  parseAbiParameters
} from "viem/utils"
import type { Address } from "../../../adapters/evm/contract.ts"
import { settlement, vaultRelayer } from "./deployment.ts"
import type { Scheme, SignedOrder } from "./order.ts"

/** One call of the chain's node. */
export type Ask = (method: string, ...params: ReadonlyArray<unknown>) => Promise<unknown>

export const abi = parseAbi([
  "function filledAmount(bytes orderUid) view returns (uint256)",
  "function preSignature(bytes orderUid) view returns (uint256)",
  "function balanceOf(address owner) view returns (uint256)",
  "function allowance(address owner, address spender) view returns (uint256)",
  "function quote(address sell, address buy, uint256 amount) view returns (uint256)",
  "function priceOf(address token) view returns (uint256)",
  "function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)",
  "event Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)"
])

const tradeTopic = encodeEventTopics({ abi, eventName: "Trade" })[0]
/** What the data of a `Trade` log holds. */
const tradeInputs = parseAbiParameters(
  "address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid"
)
/** What the contract counts as filled once an order was invalidated. */
const invalidated = 2n ** 256n - 1n

export interface Posted {
  readonly order: SignedOrder
  readonly uid: Hex
  readonly owner: Address
  readonly scheme: Scheme
  readonly signature: Hex
  readonly createdAt: string
  /** Taken back at the book; a solver that settles already does not hear of it. */
  isCancelled: boolean
}

export interface Ledger {
  readonly ask: Ask
  readonly chainId: number
  readonly pool: Address
  readonly orders: Map<string, Posted>
}

/** What a view of a contract gives; undefined when the call reverts. */
const view = async (
  { ask }: Ledger,
  to: string,
  functionName:
    | "filledAmount"
    | "preSignature"
    | "balanceOf"
    | "allowance"
    | "quote"
    | "priceOf"
    | "isValidSignature",
  args: ReadonlyArray<unknown>
): Promise<unknown> => {
  const data = encodeFunctionData({ abi, functionName, args } as never)
  const answer = await ask("eth_call", { to, data }, "latest").catch(() => "0x")
  if (typeof answer !== "string" || answer === "0x") return undefined
  return decodeFunctionResult({ abi, functionName, data: answer as Hex } as never)
}

const whole = async (asked: Promise<unknown>): Promise<bigint> => {
  const answer = await asked
  return typeof answer === "bigint" ? answer : 0n
}

export const filledOf = (ledger: Ledger, uid: Hex) =>
  whole(view(ledger, settlement, "filledAmount", [uid]))

export const balanceOf = (ledger: Ledger, token: Address, owner: Address) =>
  whole(view(ledger, token, "balanceOf", [owner]))

export const allowanceOf = (ledger: Ledger, token: Address, owner: Address) =>
  whole(view(ledger, token, "allowance", [owner, vaultRelayer]))

/** What the pool gives; nought where it does not trade the pair. */
export const poolGives = (
  ledger: Ledger,
  { sell, buy }: { sell: Address; buy: Address },
  amount: bigint
) => whole(view(ledger, ledger.pool, "quote", [sell, buy, amount]))

export const isTraded = async (ledger: Ledger, token: Address) =>
  (await whole(view(ledger, ledger.pool, "priceOf", [token]))) > 0n

/** Whether a wallet that is a contract takes the signature for its own. */
export const isOfContract = async (
  ledger: Ledger,
  { digest, owner, signature }: { digest: Hex; owner: Address; signature: Hex }
) => (await view(ledger, owner, "isValidSignature", [digest, signature])) === "0x1626ba7e"

const blockNow = async ({ ask }: Ledger): Promise<number> => {
  const block = await ask("eth_getBlockByNumber", "latest", false)
  return Predicate.hasProperty(block, "timestamp") ? Number(block.timestamp) : 0
}

/** Unix seconds: the later of the chain's and this machine's, as a chain that rests stands still. */
export const nowOf = async (ledger: Ledger): Promise<number> =>
  Math.max(await blockNow(ledger), Math.floor(Date.now() / 1000))

export interface Trade {
  readonly txHash: string
  readonly blockNumber: number
  readonly logIndex: number
  readonly sellAmount: bigint
  readonly buyAmount: bigint
}

/** What settled an order, as the chain has it now. */
export const tradesOf = async (
  { ask }: Ledger,
  { owner, uid }: Pick<Posted, "owner" | "uid">
): Promise<ReadonlyArray<Trade>> => {
  const topics = [tradeTopic, `0x${owner.slice(2).toLowerCase().padStart(64, "0")}`]
  const logs = await ask("eth_getLogs", { address: settlement, topics, fromBlock: "0x0" })
  if (!Array.isArray(logs)) return []
  return logs.flatMap((log) => {
    const values = decodeAbiParameters(tradeInputs, log.data)
    if (String(values[5]).toLowerCase() !== uid) return []
    return [
      {
        txHash: String(log.transactionHash),
        blockNumber: Number(log.blockNumber),
        logIndex: Number(log.logIndex),
        sellAmount: values[2] as bigint,
        buyAmount: values[3] as bigint
      }
    ]
  })
}

export type Status = "presignaturePending" | "open" | "fulfilled" | "cancelled" | "expired"

/** How an order stands on the chain at this moment. */
export const standingOf = async (ledger: Ledger, posted: Posted) => {
  const { isCancelled, order, scheme, uid } = posted
  const [filled, trades, now, presigned] = await Promise.all([
    filledOf(ledger, uid),
    tradesOf(ledger, posted),
    blockNow(ledger),
    scheme === "presign" ? whole(view(ledger, settlement, "preSignature", [uid])) : 1n
  ])
  const isInvalidated = filled === invalidated
  const status = (): Status => {
    if (isInvalidated) return "cancelled"
    if (filled >= order.sellAmount) return "fulfilled"
    if (isCancelled) return "cancelled"
    if (now > order.validTo) return "expired"
    return presigned === 0n ? "presignaturePending" : "open"
  }
  return { status: status(), isInvalidated, filled: isInvalidated ? 0n : filled, trades }
}
