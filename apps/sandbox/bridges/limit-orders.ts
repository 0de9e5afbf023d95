/**
 * Limit orders between local chains: contracts with the interface of deBridge DLN at the addresses of the main chains,
 * and somebody who fills what is worth it, or nothing when a test says so, and brings word back to the source.
 */
import { Effect } from "effect"
import { encodeFunctionData, parseAbi, parseAbiItem } from "viem/utils"
import { type Address, address } from "../../../adapters/evm/contract.ts"
import { created } from "../../../adapters/evm/dln/contracts.ts"
import * as Event from "../../../adapters/evm/event.ts"
import * as Dln from "../../../core/chains/dln.ts"
import { accounts, sendAll } from "../unlocked.ts"
import type { BridgedChain } from "./cctp-contracts.ts"
import * as Code from "./contract-code.ts"

export interface Faults {
  /** Every question is answered with this status. */
  status: number | undefined
  /** Nothing is filled. */
  isIdle: boolean
  /** No word of what ended is brought to the chain it came from. */
  isSilent: boolean
}

const keeping = parseAbi([
  "function setUp(address speaker)",
  "function claimUnlock(bytes32 id, address beneficiary)",
  "function claimCancel(bytes32 id, address beneficiary)",
  "function takeOrders(bytes32 id) view returns (uint8)",
  "function giveOrders(bytes32 id) view returns (uint8 status, address token, uint256 amount, uint256 fee, uint256 nativeFee)",
  "function approve(address spender, uint256 value) returns (bool)"
])
const filling = parseAbi([
  "struct Order { uint64 makerOrderNonce; bytes makerSrc; uint256 giveChainId; bytes giveTokenAddress; uint256 giveAmount; uint256 takeChainId; bytes takeTokenAddress; uint256 takeAmount; bytes receiverDst; bytes givePatchAuthoritySrc; bytes orderAuthorityAddressDst; bytes allowedTakerDst; bytes allowedCancelBeneficiarySrc; bytes externalCall; }",
  "function fulfillOrder(Order order, uint256 amount, bytes32 orderId, bytes permitEnvelope, address unlockAuthority) payable"
])

/** What carries word of a cancellation, and what is paid to whoever brings it to the other chain. */
const wordSent = Event.of(parseAbiItem("event Sent(bytes32 submissionId, uint256 executionFee)"))
/** Bringing it takes so much. */
const claimGas = 200_000n

const plenty = 10n ** 30n

/** Puts both contracts on a chain, unless they are there; whoever fills speaks for the other chains, and lets the destination take its USDC. */
export const deploy = Effect.fnUntraced(function* ({ anvil, usdc }: BridgedChain) {
  const { minter: filler } = yield* accounts(anvil)
  const [source, destination] = [address(Dln.source), address(Dln.destination)]
  yield* anvil.call("anvil_setCode", source, Code.localDlnSource)
  yield* anvil.call("anvil_setCode", destination, Code.localDlnDestination)
  const setUp = encodeFunctionData({ abi: keeping, functionName: "setUp", args: [filler] })
  const approve = encodeFunctionData({
    abi: keeping,
    functionName: "approve",
    args: [destination, plenty]
  })
  const first = { from: filler, to: source, data: setUp, gas: 200_000 }
  // It is set up once; a chain that was kept has it already.
  const [isNew] = yield* Effect.orDie(
    anvil.rpc([
      { method: "eth_call", params: [{ from: filler, to: source, data: setUp }], mayRevert: true }
    ])
  )
  yield* sendAll(anvil, [
    ...(isNew === undefined ? [] : [first]),
    { from: filler, to: address(usdc), data: approve, gas: 200_000 }
  ])
})

type Created = Exclude<ReturnType<typeof created.in>, undefined>

/** What somebody calls at the destination to fill an order, and be paid for it at the source. */
export const fillingOf = ({ order, orderId }: Pick<Created, "order" | "orderId">, by: string) => {
  const args = [order, order.takeAmount, orderId, "0x", address(by)] as const
  return encodeFunctionData({ abi: filling, functionName: "fulfillOrder", args })
}

const wordAt = (answer: unknown): bigint => BigInt(String(answer).slice(0, 66))

const stateOf = ({ anvil }: BridgedChain, side: "giveOrders" | "takeOrders", id: Address) =>
  Effect.map(
    anvil.call(
      "eth_call",
      {
        to: side === "giveOrders" ? Dln.source : Dln.destination,
        data: encodeFunctionData({ abi: keeping, functionName: side, args: [id] })
      },
      "latest"
    ),
    wordAt
  )

/** Whether what is paid for word of a cancellation is worth the way to the chain it came from. */
const isPaidFor = Effect.fnUntraced(function* (
  here: BridgedChain,
  there: BridgedChain,
  id: Address
) {
  const logs = yield* there.anvil.call("eth_getLogs", {
    address: Dln.destination,
    fromBlock: "0x0",
    toBlock: "latest"
  })
  const all = Array.isArray(logs) ? logs : []
  const paid = all
    .flatMap((log) => wordSent.in(log, Dln.destination) ?? [])
    .find(({ submissionId }) => submissionId === id)
  const gasPrice = BigInt(String(yield* here.anvil.call("eth_gasPrice")))
  return (paid?.executionFee ?? 0n) >= gasPrice * claimGas
})

/** Whoever fills orders between some local chains. What it asks for is a twentieth of a percent. */
export const make = (chains: ReadonlyArray<BridgedChain>) => {
  const faults: Faults = { status: undefined, isIdle: false, isSilent: false }

  const say = Effect.fnUntraced(function* (chain: BridgedChain, to: string, data: Address) {
    const { minter: filler } = yield* accounts(chain.anvil)
    yield* sendAll(chain.anvil, [{ from: filler, to: address(to), data, gas: 600_000 }])
    return filler
  })

  const fill = Effect.fnUntraced(function* (there: BridgedChain, made: Created) {
    const { minter: filler } = yield* accounts(there.anvil)
    yield* say(there, Dln.destination, fillingOf(made, filler))
  })

  /** Brings word of an order that has ended to the chain it came from. */
  const bringBack = Effect.fnUntraced(function* (
    here: BridgedChain,
    there: BridgedChain,
    made: Created,
    state: bigint
  ) {
    const { order, orderId } = made
    if ((yield* stateOf(here, "giveOrders", orderId)) !== 1n) return
    if (state !== 1n && !(yield* isPaidFor(here, there, orderId))) return
    const { minter: filler } = yield* accounts(here.anvil)
    const isFilled = state === 1n
    const functionName = isFilled ? "claimUnlock" : "claimCancel"
    const to = isFilled ? filler : order.allowedCancelBeneficiarySrc
    yield* say(
      here,
      Dln.source,
      encodeFunctionData({ abi: keeping, functionName, args: [orderId, to] })
    )
  })

  /** One round over all orders there are: fills the open ones and settles those that have ended. */
  const round = Effect.gen(function* () {
    for (const here of chains) {
      const logs = yield* here.anvil.call("eth_getLogs", {
        address: Dln.source,
        fromBlock: "0x0",
        toBlock: "latest"
      })
      for (const made of Array.isArray(logs)
        ? logs.flatMap((log) => created.in(log, Dln.source) ?? [])
        : []) {
        const there = chains.find(
          ({ chainId }) => Dln.numberOf(chainId) === Number(made.order.takeChainId)
        )
        if (there === undefined) continue
        const before = yield* stateOf(there, "takeOrders", made.orderId)
        const isWorthIt = made.order.takeAmount < made.order.giveAmount
        if (before === 0n && !faults.isIdle && isWorthIt) yield* fill(there, made)
        const state = yield* stateOf(there, "takeOrders", made.orderId)
        if (state !== 0n && !faults.isSilent) yield* bringBack(here, there, made, state)
      }
    }
  })

  /** Round after round, for as long as it runs; one that fails is made again. */
  const rounds = (pauseMs: number) =>
    round.pipe(
      Effect.catchDefect(() => Effect.void),
      Effect.andThen(Effect.sleep(pauseMs)),
      Effect.forever
    )

  return { faults, round, rounds }
}

export type LimitOrders = ReturnType<typeof make>

/** What would arrive of so much: the source's fee and the filler's off. */
export const arrives = (units: bigint): bigint =>
  units - (units * 4n) / 10_000n - (units * 5n) / 10_000n - 1n
