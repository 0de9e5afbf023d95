/** A chain with Circle's USDC, on which so many transfers lie in so many blocks, a few of them to vaults. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { encodeFunctionData, parseAbi } from "viem/utils"
import { address } from "../adapters/evm/contract.ts"
import * as Multicall from "../adapters/evm/multicall.ts"
import type { Connection } from "../adapters/evm/node.ts"
import * as Rpc from "../adapters/evm/rpc.ts"
import * as Anvil from "../apps/sandbox/anvil.ts"
import * as CircleUsdc from "../apps/sandbox/circle-usdc.ts"
import * as Chain from "../core/chains/chain.ts"

const abi = parseAbi(["function transfer(address to, uint256 amount)"])
const confirmations = 3

export interface Laid {
  readonly connection: Connection
  /** The block below the first transfer, and the last one. */
  readonly from: number
  readonly to: number
}

/** Pays each address the same amount, in order, so many to a block. */
export const pay = Effect.fnUntraced(function* (
  receivers: ReadonlyArray<string>,
  amountMicro: bigint,
  perBlock: number
) {
  const anvil = yield* Anvil.start()
  const usdc = yield* CircleUsdc.deploy(anvil)
  const accounts = yield* anvil.call("eth_accounts")
  const payer = String(Array.isArray(accounts) ? accounts[1] : "").toLowerCase()
  yield* CircleUsdc.mint(anvil, usdc, payer, amountMicro * BigInt(receivers.length))
  const from = Number(yield* anvil.call("eth_blockNumber"))
  const nonce = Number(yield* anvil.call("eth_getTransactionCount", payer, "latest"))
  const calls = receivers.map((to, at) => ({
    method: "eth_sendTransaction",
    params: [
      {
        from: payer,
        to: usdc,
        // Anvil works on a batch concurrently; the nonces keep its order.
        nonce: `0x${(nonce + at).toString(16)}`,
        gas: "0x15f90",
        data: encodeFunctionData({
          abi,
          functionName: "transfer",
          args: [address(to), amountMicro]
        })
      }
    ]
  }))
  for (let start = 0; start < calls.length; start += perBlock) {
    yield* Effect.orDie(anvil.rpc(calls.slice(start, start + perBlock)))
    yield* anvil.call("evm_mine")
  }
  const to = Number(yield* anvil.call("eth_blockNumber"))
  const chain = Chain.find("local")
  if (chain === undefined) return yield* Effect.die(new Error("The local chain is not known."))
  const connection: Connection = {
    chain,
    usdc,
    rpcUrl: anvil.rpcUrl,
    confirmations,
    pollMs: 1000
  }
  return { connection, from, to } satisfies Laid
})

/** The code that public chains have at Multicall3's address, from the copy viem carries. */
export const deployMulticall = Effect.fnUntraced(function* (rpcUrl: string) {
  const viem = dirname(createRequire(import.meta.url).resolve("viem/package.json"))
  const source = readFileSync(join(viem, "_esm/constants/contracts.js"), "utf8")
  const data = /multicall3Bytecode = '(0x[0-9a-f]+)'/u.exec(source)?.[1]
  const rpc = Rpc.make(rpcUrl)
  const [code] = yield* rpc([{ method: "eth_call", params: [{ data }, "latest"] }])
  yield* rpc([{ method: "anvil_setCode", params: [Multicall.contract, code] }])
})
