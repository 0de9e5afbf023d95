/**
 * The chain of a scene: anvil with Circle's USDC behind a proxy that a test can make lie, and what the
 * token's own logs say was paid. Nothing of the service is asked for that.
 */
import { Effect, Exit, Scope } from "effect"
import { encodeFunctionData, keccak256, parseAbi, stringToHex, toEventSelector } from "viem/utils"
import { usedTopic } from "../../adapters/evm/authorization.ts"
import { abi, address } from "../../adapters/evm/contract.ts"
import * as Anvil from "../../apps/sandbox/anvil.ts"
import * as CircleUsdc from "../../apps/sandbox/circle-usdc.ts"
import * as JsonRpcProxy from "../support/json-rpc-proxy.ts"

export interface Paid {
  readonly txHash: string
  readonly to: string
  readonly amountMicro: bigint
}

export interface Chain {
  readonly rpcUrl: string
  readonly usdc: string
  readonly tamper: (tampering?: JsonRpcProxy.Tampering) => Promise<void>
  readonly call: (method: string, ...params: ReadonlyArray<unknown>) => Promise<unknown>
  readonly mine: (blocks?: number) => Promise<void>
  /** Whether a transaction gets its block at once. */
  readonly automine: (on: boolean) => Promise<void>
  /** Moves the chain's time on, with a block there. */
  readonly timePasses: (seconds: number) => Promise<void>
  readonly mint: (to: string, amountMicro: bigint) => Promise<void>
  /** Pays as a customer does, from a wallet of their own. */
  readonly pay: (to: string, amountMicro: bigint) => Promise<void>
  /** Puts an address on the token's blacklist, or takes it off: nobody can pay it meanwhile. */
  readonly blacklist: (address: string, on: boolean) => Promise<void>
  readonly balanceOf: (address: string) => Promise<bigint>
  /** Every transfer from an address there ever was. */
  readonly paidFrom: (address: string) => Promise<ReadonlyArray<Paid>>
  /** How often the token used each authorization of an address, by its nonce. */
  readonly usesOf: (address: string) => Promise<ReadonlyMap<string, number>>
  readonly close: () => Promise<void>
}

interface Log {
  readonly transactionHash: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
}

const listing = parseAbi([
  "function blacklist(address account)",
  "function unBlacklist(address account)"
])

const transferTopic = toEventSelector("Transfer(address,address,uint256)")
const padded = (address: string) => `0x${address.slice(2).toLowerCase().padStart(64, "0")}`

/** An address nobody has, of a name. */
export const addressNamed = (name: string) => `0x${keccak256(stringToHex(name)).slice(-40)}`

export const open = async (): Promise<Chain> => {
  const scope = Scope.makeUnsafe()
  const inScope = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) =>
    Effect.runPromise(Effect.provideService(effect, Scope.Scope, scope))
  const anvil = await inScope(Anvil.start())
  const usdc = await Effect.runPromise(CircleUsdc.deploy(anvil))
  const proxy = await inScope(JsonRpcProxy.between(anvil.rpcUrl))
  const call: Chain["call"] = (method, ...params) =>
    Effect.runPromise(anvil.call(method, ...params))
  const logs = (topics: ReadonlyArray<string | null>) =>
    call("eth_getLogs", { address: usdc, topics, fromBlock: "0x0", toBlock: "latest" }) as Promise<
      ReadonlyArray<Log>
    >
  let minting: Promise<unknown> = Promise.resolve()
  const mint: Chain["mint"] = (to, amountMicro) => {
    // One account of the node signs them all: two at once would be given one nonce.
    const done = minting.then(() =>
      Effect.runPromise(CircleUsdc.mint(anvil, usdc, to, amountMicro))
    )
    minting = done.catch(() => undefined)
    return done
  }
  return {
    rpcUrl: proxy.rpcUrl,
    usdc,
    tamper: (tampering) => Effect.runPromise(proxy.tamper(tampering)),
    call,
    mine: async (blocks = 1) => void (await call("anvil_mine", blocks)),
    automine: async (on) => void (await call("evm_setAutomine", on)),
    timePasses: async (seconds) => {
      await call("evm_increaseTime", Math.ceil(seconds))
      await call("evm_mine")
    },
    mint,
    pay: async (to, amountMicro) => {
      const customer = addressNamed("customer")
      await call("anvil_impersonateAccount", customer)
      await call("anvil_setBalance", customer, "0xde0b6b3a7640000")
      await mint(customer, amountMicro)
      const args = [address(to), amountMicro] as const
      const data = encodeFunctionData({ abi, functionName: "transfer", args })
      await call("eth_sendTransaction", { from: customer, to: usdc, gas: "0x30d40", data })
    },
    blacklist: async (whom, on) => {
      const [, owner] = (await call("eth_accounts")) as ReadonlyArray<string>
      const functionName = on ? "blacklist" : "unBlacklist"
      const data = encodeFunctionData({ abi: listing, functionName, args: [address(whom)] })
      await call("eth_sendTransaction", { from: owner, to: usdc, gas: "0x30d40", data })
      await call("evm_mine")
    },
    balanceOf: async (owner) => {
      const data = encodeFunctionData({ abi, functionName: "balanceOf", args: [address(owner)] })
      return BigInt(String(await call("eth_call", { to: usdc, data }, "latest")))
    },
    paidFrom: async (payer) =>
      (await logs([transferTopic, padded(payer)])).map(({ data, topics, transactionHash }) => ({
        txHash: transactionHash,
        to: `0x${topics[2]?.slice(26)}`,
        amountMicro: BigInt(data)
      })),
    usesOf: async (payer) => {
      const uses = new Map<string, number>()
      for (const { topics } of await logs([usedTopic, padded(payer)])) {
        const nonce = topics[2] ?? ""
        uses.set(nonce, (uses.get(nonce) ?? 0) + 1)
      }
      return uses
    },
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
