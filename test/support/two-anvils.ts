/**
 * Two EVM chains of a test's own with Circle's USDC on both, linked by the local contracts that burn and mint, with
 * their attesters. Blocks come only when the test says so.
 */
import { Effect, Predicate } from "effect"
import { encodeFunctionData, parseAbi } from "viem/utils"
import { address } from "../../adapters/evm/contract.ts"
import type { Connection } from "../../adapters/evm/node.ts"
import * as Anvil from "../../apps/sandbox/anvil.ts"
import * as Attestation from "../../apps/sandbox/bridges/attestation.ts"
import * as AttestationService from "../../apps/sandbox/bridges/attestation-service.ts"
import * as CctpContracts from "../../apps/sandbox/bridges/cctp-contracts.ts"
import * as LimitOrderService from "../../apps/sandbox/bridges/limit-order-service.ts"
import * as LimitOrders from "../../apps/sandbox/bridges/limit-orders.ts"
import * as CircleUsdc from "../../apps/sandbox/circle-usdc.ts"
import { type AddressKey, keyOf } from "../../core/chains/address.ts"
import * as Chain from "../../core/chains/chain.ts"
import { callsInOne, type OneCall } from "./calls-in-one.ts"

const abi = parseAbi([
  "function approve(address spender, uint256 value) returns (bool)",
  "function totalSupply() view returns (uint256)",
  "function balanceOf(address account) view returns (uint256)"
])

const gas = "0x7a120"

/** Accounts of three who have nothing to do with each other. */
export const rivals = ["c1", "c2", "c3"].map((digits) => `0x${digits.repeat(20)}`)

/** One of them, without the contracts that link it. */
export const open = Effect.fnUntraced(function* (chainId: string) {
  const chain = Chain.find(chainId) as Chain.Chain
  const anvil = yield* Anvil.start({ chainId: Chain.eip155(chain) })
  const usdc = yield* CircleUsdc.deploy(anvil)
  const accounts = yield* anvil.call("eth_accounts")
  const [first = "", second = ""] = Array.isArray(accounts) ? accounts.map(String) : []
  /** Unlocked: a stranger's, and the issuer's own. */
  const stranger = keyOf(chainId, first)
  const issuer = keyOf(chainId, second)

  const read = (functionName: "totalSupply" | "balanceOf", ...args: ReadonlyArray<string>) =>
    Effect.map(
      anvil.call(
        "eth_call",
        {
          to: usdc,
          data: encodeFunctionData({ abi, functionName, args } as Parameters<
            typeof encodeFunctionData<typeof abi>
          >[0])
        },
        "latest"
      ),
      (answer) => BigInt(String(answer))
    )
  const handOver = Effect.fnUntraced(function* (from: string, to: string, data: string, wei = 0n) {
    yield* anvil.call("anvil_impersonateAccount", from)
    yield* anvil.call("anvil_setBalance", from, "0x56bc75e2d63100000")
    const value = `0x${wei.toString(16)}`
    return String(yield* anvil.call("eth_sendTransaction", { from, to, data, gas, value }))
  })
  const isExecuted = (txHash: string) =>
    Effect.map(
      anvil.call("eth_getTransactionReceipt", txHash),
      (receipt) => Predicate.hasProperty(receipt, "status") && receipt.status === "0x1"
    )
  /** Sends in a block of its own, and says whether it was executed. */
  const send = Effect.fnUntraced(function* (from: string, to: string, data: string, wei = 0n) {
    const txHash = yield* handOver(from, to, data, wei)
    yield* anvil.call("evm_mine")
    return { txHash, isDone: yield* isExecuted(txHash) }
  })
  /** Makes several calls in one transaction, as a contract that nothing stays of; whether that was executed. */
  const sendTogether = Effect.fnUntraced(function* (from: string, calls: ReadonlyArray<OneCall>) {
    yield* anvil.call("anvil_impersonateAccount", from)
    yield* anvil.call("anvil_setBalance", from, "0x56bc75e2d63100000")
    const data = callsInOne(calls)
    const sent = { from, data, gas: "0x1e8480" }
    const txHash = String(yield* anvil.call("eth_sendTransaction", sent))
    yield* anvil.call("evm_mine")
    return yield* isExecuted(txHash)
  })
  /** Several send the same in one block; how many of them were executed. */
  const race = Effect.fnUntraced(function* (
    senders: ReadonlyArray<string>,
    to: string,
    data: string
  ) {
    const sent = yield* Effect.forEach(senders, (from) => handOver(from, to, data))
    yield* anvil.call("evm_mine")
    const executed = yield* Effect.filter(sent, isExecuted)
    return executed.length
  })
  return {
    chainId,
    anvil,
    usdc,
    stranger,
    issuer,
    send,
    sendTogether,
    race,
    mine: (blocks: number) => anvil.call("anvil_mine", blocks),
    mint: (to: string, units: bigint) => CircleUsdc.mint(anvil, usdc, to, units),
    balance: (holder: string) => read("balanceOf", address(holder)),
    supply: Effect.suspend(() => read("totalSupply")),
    allow: (holder: AddressKey, spender: string, units: bigint) =>
      send(
        holder,
        usdc,
        encodeFunctionData({ abi, functionName: "approve", args: [address(spender), units] })
      ),
    connection: {
      chain,
      rpcUrl: anvil.rpcUrl,
      usdc,
      confirmations: 3,
      pollMs: 50,
      mayRestart: true
    } satisfies Connection
  }
})

export type LinkedChain = Effect.Success<ReturnType<typeof open>>

/** Both chains, linked, and the attesters between them. */
export const twoAnvils = Effect.gen(function* () {
  const [one, other] = yield* Effect.all([open("local"), open("local-2")], { concurrency: 2 })
  yield* CctpContracts.deploy(one, [other])
  yield* CctpContracts.deploy(other, [one])
  const attesters = Attestation.make([one, other].map(Attestation.sourceOn))
  const attestationUrl = yield* AttestationService.serve(attesters)
  yield* LimitOrders.deploy(one)
  yield* LimitOrders.deploy(other)
  const orders = LimitOrders.make([one, other])
  const limitOrdersUrl = yield* LimitOrderService.serve(orders)
  return { one, other, attesters, faults: attesters.faults, attestationUrl, orders, limitOrdersUrl }
})

export type TwoAnvils = Effect.Success<typeof twoAnvils>
