/**
 * Settles orders on the real settlement contract against the pool: whatever is open, and whose limit the pool
 * meets, in one transaction each. What the contract refuses is not sent.
 */
import { Predicate } from "effect"
import type { Hex } from "viem"
import { concat, encodeFunctionData, parseAbi } from "viem/utils"
import { type Address, address } from "../../../adapters/evm/contract.ts"
import { settlement } from "./deployment.ts"
import { filledOf, type Ledger, type Posted, poolGives, standingOf } from "./ledger.ts"

const abi = parseAbi([
  "function approve(address spender, uint256 amount) returns (bool)",
  "function swap(address sell, address buy, uint256 amount, address to) returns (uint256 bought)",
  "struct TradeData { uint256 sellTokenIndex; uint256 buyTokenIndex; address receiver; uint256 sellAmount; uint256 buyAmount; uint32 validTo; bytes32 appData; uint256 feeAmount; uint256 flags; uint256 executedAmount; bytes signature; }",
  "struct InteractionData { address target; uint256 value; bytes callData; }",
  "function freeFilledAmountStorage(bytes[] orderUids)",
  "function settle(address[] tokens, uint256[] clearingPrices, TradeData[] trades, InteractionData[][3] interactions)"
])

const gas = "0x2dc6c0"
/** How the contract is told whose kind of signature it is. */
const schemeFlags = { eip712: 0n, eip1271: 0x40n, presign: 0x60n } as const

export interface Solver {
  readonly ledger: Ledger
  /** The unlocked account that may settle. */
  readonly account: Address
  /** Transactions under way, by the order they settle. */
  readonly sent: Map<string, string>
}

export interface Settling {
  /** Settles only so much of the order, in hundredths; all of what is left when not given. */
  readonly percent?: bigint
  /** Gives the owner this much instead of what the pool gives; the contract decides whether that will do. */
  readonly gives?: bigint
}

const signatureOf = ({ owner, scheme, signature }: Posted): Hex => {
  if (scheme === "eip1271") return concat([owner, signature])
  return scheme === "presign" ? owner : signature
}

const tradeOf = (posted: Posted, executedAmount: bigint) => {
  const { buyAmount, feeAmount, partiallyFillable, receiver, sellAmount, validTo, appData } =
    posted.order
  return {
    ...{ sellTokenIndex: 0n, buyTokenIndex: 1n, receiver, sellAmount, buyAmount, validTo, appData },
    ...{ feeAmount, executedAmount, signature: signatureOf(posted) },
    flags: (partiallyFillable ? 2n : 0n) | schemeFlags[posted.scheme]
  }
}

const callOf = ({ pool }: Ledger, posted: Posted, executed: bigint, given: bigint): Hex => {
  const { buyToken, sellToken } = posted.order
  const approve = encodeFunctionData({ abi, functionName: "approve", args: [pool, executed] })
  const swap = encodeFunctionData({
    abi,
    functionName: "swap",
    args: [sellToken, buyToken, executed, address(settlement)]
  })
  const acts = [
    { target: sellToken, value: 0n, callData: approve },
    { target: pool, value: 0n, callData: swap }
  ]
  return encodeFunctionData({
    abi,
    functionName: "settle",
    // The price of each token is what the other one is exchanged for.
    args: [[sellToken, buyToken], [given, executed], [tradeOf(posted, executed)], [[], acts, []]]
  })
}

/** Why the node would not execute it. */
const reasonOf = (thrown: unknown): string =>
  (Predicate.hasProperty(thrown, "detail") ? String(thrown.detail) : String(thrown)).slice(0, 200)

/** Settles one, whatever its status; the transaction, or why the contract refuses it. */
export const settle = async (
  { account, ledger }: Solver,
  posted: Posted,
  { gives, percent }: Settling = {}
): Promise<{ readonly txHash: string } | { readonly refused: string }> => {
  const { buyToken: buy, sellAmount, sellToken: sell } = posted.order
  const filled = await filledOf(ledger, posted.uid)
  const executed =
    percent === undefined
      ? sellAmount - (filled < sellAmount ? filled : 0n)
      : (sellAmount * percent) / 100n
  const given = gives ?? (await poolGives(ledger, { sell, buy }, executed))
  const call = { from: account, to: settlement, data: callOf(ledger, posted, executed, given), gas }
  try {
    await ledger.ask("eth_call", call, "latest")
  } catch (thrown) {
    return { refused: reasonOf(thrown) }
  }
  return { txHash: String(await ledger.ask("eth_sendTransaction", call)) }
}

/** Whether the pool gives at least what the order asks. */
const isMet = async (ledger: Ledger, { order }: Posted, left: bigint): Promise<boolean> => {
  const { buyAmount, buyToken: buy, sellAmount, sellToken: sell } = order
  const out = await poolGives(ledger, { sell, buy }, left)
  return out * sellAmount >= buyAmount * left
}

/** Settles what can be settled now; how many transactions were sent. */
export const solve = async (solver: Solver): Promise<number> => {
  let count = 0
  for (const posted of solver.ledger.orders.values()) {
    const standing = await standingOf(solver.ledger, posted)
    if (standing.status !== "open") continue
    const under = solver.sent.get(posted.uid)
    const isWaiting =
      under !== undefined &&
      (await solver.ledger.ask("eth_getTransactionReceipt", under)) === null &&
      (await solver.ledger.ask("eth_getTransactionByHash", under)) !== null
    if (
      isWaiting ||
      !(await isMet(solver.ledger, posted, posted.order.sellAmount - standing.filled))
    ) {
      continue
    }
    const settled = await settle(solver, posted)
    if ("refused" in settled) continue
    solver.sent.set(posted.uid, settled.txHash)
    count += 1
  }
  return count
}

/** Wipes what the contract counts as filled of an order that is over, as solvers may to save gas. */
export const wipe = async ({ account, ledger }: Solver, uid: Hex): Promise<string> => {
  const callData = encodeFunctionData({
    abi,
    functionName: "freeFilledAmountStorage",
    args: [[uid]]
  })
  const wiping = { target: address(settlement), value: 0n, callData }
  const data = encodeFunctionData({
    abi,
    functionName: "settle",
    args: [[], [], [], [[], [], [wiping]]]
  })
  return String(
    await ledger.ask("eth_sendTransaction", { from: account, to: settlement, data, gas })
  )
}
