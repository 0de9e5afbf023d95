/** A chain on which addresses are given coins, USDC and tokens of any description, in memory or on anvil. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { Context, Effect, Layer } from "effect"
import * as Multicall from "../../adapters/evm/multicall.ts"
import * as Rpc from "../../adapters/evm/rpc.ts"
import type { Anvil } from "../../apps/sandbox/anvil.ts"
import * as CircleUsdc from "../../apps/sandbox/circle-usdc.ts"
import type { AddressKey } from "../../core/chains/address.ts"
import { AnvilChain } from "./anvil.ts"
import * as Value from "./chain-values.ts"

export interface Dropped extends CircleUsdc.Described {
  readonly to: string
  readonly amount: bigint
}

export class HoldingWorld extends Context.Service<
  HoldingWorld,
  {
    readonly chainId: string
    readonly usdc: AddressKey
    readonly pay: (to: string, amountMicro: bigint) => Effect.Effect<void>
    readonly giveCoins: (to: string, amount: bigint) => Effect.Effect<void>
    /** A contract of its own for each description; its address. */
    readonly airdrop: (dropped: Dropped) => Effect.Effect<AddressKey>
    readonly outage: (isAway: boolean) => Effect.Effect<void>
  }
>()("bursar/test/HoldingWorld") {}

const anvilOf = ({ rpcUrl, call }: AnvilChain["Service"]): Anvil => ({
  rpcUrl,
  call,
  rpc: Rpc.make(rpcUrl, { timeoutMs: 60_000 })
})

/** Gives tokens of Circle's code on anvil; the same description is the same contract. */
export const airdropOn = (chain: AnvilChain["Service"]) => {
  const anvil = anvilOf(chain)
  const contracts = new Map<string, AddressKey>()
  return Effect.fnUntraced(function* ({ to, amount, ...described }: Dropped) {
    const key = JSON.stringify(described)
    const token = contracts.get(key) ?? Value.key(yield* CircleUsdc.deploy(anvil, described))
    contracts.set(key, token)
    yield* CircleUsdc.mint(anvil, token, to, amount)
    return token
  })
}

export const giveCoinsOn = (chain: AnvilChain["Service"]) =>
  Effect.fnUntraced(function* (to: string, amount: bigint) {
    const held = BigInt(String(yield* chain.call("eth_getBalance", to, "latest")))
    yield* chain.call("anvil_setBalance", to, `0x${(held + amount).toString(16)}`)
  })

/** Multicall3's code as viem carries it: made by its constructor, then put where every chain has it. */
export const deployMulticall = Effect.fnUntraced(function* (chain: AnvilChain["Service"]) {
  const viem = dirname(createRequire(import.meta.url).resolve("viem/package.json"))
  const source = readFileSync(join(viem, "_esm/constants/contracts.js"), "utf8")
  const code = /multicall3Bytecode = '(0x[0-9a-f]+)'/u.exec(source)?.[1]
  const made = yield* chain.call("eth_call", { from: chain.payer, data: code }, "latest")
  yield* chain.call("anvil_setCode", Multicall.contract, made)
})

export const onAnvil = Layer.effect(
  HoldingWorld,
  Effect.map(AnvilChain, (chain) => ({
    chainId: "local",
    usdc: Value.key(chain.usdc),
    pay: (to, amountMicro) => Effect.asVoid(chain.pay(to, amountMicro)),
    giveCoins: giveCoinsOn(chain),
    airdrop: airdropOn(chain),
    outage: chain.outage
  }))
)
