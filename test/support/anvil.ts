/**
 * A chain of a test's own: anvil with Circle's USDC and a payer, where blocks come only when the test
 * says so, read through a proxy that can take the chain away.
 */
import { Context, Effect, Layer, Predicate } from "effect"
import { encodeFunctionData } from "viem/utils"
import * as EvmAllowances from "../../adapters/evm/allowances.ts"
import * as Evm from "../../adapters/evm/chains.ts"
import { abi, address } from "../../adapters/evm/contract.ts"
import type { Connection } from "../../adapters/evm/node.ts"
import * as Anvil from "../../apps/sandbox/anvil.ts"
import * as CircleUsdc from "../../apps/sandbox/circle-usdc.ts"
import type { AddressKey, TransactionId } from "../../core/chains/address.ts"
import * as Chain from "../../core/chains/chain.ts"
import type { Chains } from "../../core/ports/chains.ts"
import type { Allowances } from "../../core/ports/holdings.ts"
import * as Value from "./chain-values.ts"
import * as JsonRpcProxy from "./json-rpc-proxy.ts"

export interface Paying {
  readonly to: string
  readonly amountMicro: bigint
}

export class AnvilChain extends Context.Service<
  AnvilChain,
  {
    readonly rpcUrl: string
    readonly usdc: string
    /** Unlocked, and holding USDC; in lower case. */
    readonly payer: AddressKey
    readonly proxy: JsonRpcProxy.Proxied
    readonly call: Anvil.Anvil["call"]
    /** The node itself, for what is deployed on it. */
    readonly anvil: Anvil.Anvil
    /** Pays in a block of its own; the transaction. */
    readonly pay: (to: string, amountMicro: bigint) => Effect.Effect<TransactionId>
    /** Many payments in one block, in this order. */
    readonly payInOneBlock: (payments: ReadonlyArray<Paying>) => Effect.Effect<void>
    readonly mine: (blocks: number) => Effect.Effect<void>
    /** Drops the newest blocks for as many new ones, transactions kept in the first. */
    readonly reorg: (depth: number, keep?: ReadonlyArray<string>) => Effect.Effect<void>
    /** Drops the newest blocks for none. */
    readonly rollBack: (depth: number) => Effect.Effect<void>
    /** Moves the chain's time on and mines a block there. */
    readonly timePasses: (seconds: number) => Effect.Effect<void>
    /** While away, nothing can be read through the proxy. */
    readonly outage: (isAway: boolean) => Effect.Effect<void>
    /** While finality is held back, the node calls no further block final. */
    readonly holdFinality: (isHeld: boolean) => Effect.Effect<void>
  }
>()("bursar/test/AnvilChain") {}

const payerMicro = 1_000_000_000_000n
const confirmations = 3
const paymentsPerBatch = 200

const transfer = (from: string, token: string, nonce: number, { to, amountMicro }: Paying) => ({
  method: "eth_sendTransaction",
  params: [
    {
      from,
      to: token,
      // Anvil works on a batch concurrently; the nonces keep its order.
      nonce: `0x${nonce.toString(16)}`,
      gas: "0x15f90",
      data: encodeFunctionData({
        abi,
        functionName: "transfer",
        args: [address(to), amountMicro]
      })
    }
  ]
})

const make = Effect.gen(function* () {
  const anvil = yield* Anvil.start()
  const usdc = yield* CircleUsdc.deploy(anvil)
  const accounts = yield* anvil.call("eth_accounts")
  const payer = Value.key(String(Array.isArray(accounts) ? accounts[1] : ""))
  yield* CircleUsdc.mint(anvil, usdc, payer, payerMicro)
  const proxy = yield* JsonRpcProxy.between(anvil.rpcUrl)

  const send = Effect.fnUntraced(function* (payments: ReadonlyArray<Paying>) {
    const sent: Array<unknown> = []
    const nonce = Number(yield* anvil.call("eth_getTransactionCount", payer, "latest"))
    for (let start = 0; start < payments.length; start += paymentsPerBatch) {
      const batch = payments.slice(start, start + paymentsPerBatch)
      const calls = batch.map((paying, at) => transfer(payer, usdc, nonce + start + at, paying))
      sent.push(...(yield* Effect.orDie(anvil.rpc(calls))))
    }
    yield* anvil.call("evm_mine")
    const waiting = yield* anvil.call("txpool_status")
    if (!Predicate.hasProperty(waiting, "pending") || Number(waiting.pending) !== 0) {
      return yield* Effect.die(new Error("Not all payments came into the block."))
    }
    return sent.map(String)
  })

  return AnvilChain.of({
    rpcUrl: anvil.rpcUrl,
    usdc,
    payer,
    proxy,
    call: anvil.call,
    anvil,
    pay: (to, amountMicro) =>
      Effect.map(send([{ to, amountMicro }]), ([txHash = ""]) => Value.transaction(txHash)),
    payInOneBlock: (payments) => Effect.asVoid(send(payments)),
    mine: (blocks) => Effect.asVoid(anvil.call("anvil_mine", blocks)),
    reorg: Effect.fnUntraced(function* (depth, keep = []) {
      const raw = yield* Effect.forEach(keep, (txHash) =>
        anvil.call("eth_getRawTransactionByHash", txHash)
      )
      yield* anvil.call(
        "anvil_reorg",
        depth,
        raw.map((transaction) => [transaction, 0])
      )
    }),
    rollBack: (depth) => Effect.asVoid(anvil.call("anvil_rollback", depth)),
    timePasses: Effect.fnUntraced(function* (seconds) {
      yield* anvil.call("evm_increaseTime", seconds)
      yield* anvil.call("evm_mine")
    }),
    holdFinality: Effect.fnUntraced(function* (isHeld) {
      const block = yield* anvil.call("eth_getBlockByNumber", "finalized", false)
      const number = Predicate.hasProperty(block, "number") ? block.number : "0x0"
      yield* proxy.tamper(
        isHeld
          ? (asked, pass) =>
              pass(
                asked.map((call) =>
                  call.params[0] === "finalized" ? { ...call, params: [number, false] } : call
                )
              )
          : undefined
      )
    }),
    outage: (isAway) => (isAway ? proxy.tamper(() => "hang up") : proxy.tamper())
  })
})

export const layer: Layer.Layer<AnvilChain> = Layer.effect(AnvilChain, make).pipe(Layer.orDie)

/** How the treasury is connected to the chain; through the proxy, unless said otherwise. */
export const connectionTo = (
  chain: AnvilChain["Service"],
  over: Partial<Connection> = {}
): Connection => {
  const local = Chain.find("local")
  if (local === undefined) throw new Error("The sandbox's chain is not known.")
  return {
    chain: local,
    rpcUrl: chain.proxy.rpcUrl,
    usdc: chain.usdc,
    confirmations,
    pollMs: 50,
    ...over
  }
}

/** Port Allowances over the test's own chain. */
export const allowances: Layer.Layer<Allowances, never, AnvilChain> = Layer.unwrap(
  Effect.map(AnvilChain, (chain) => EvmAllowances.layer([connectionTo(chain)]))
)

/** Port Chains over the test's own chain. */
export const chains: Layer.Layer<Chains, never, AnvilChain> = Layer.unwrap(
  Effect.map(AnvilChain, (chain) => Evm.layer([connectionTo(chain)]))
)
