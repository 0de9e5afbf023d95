/** A Solana of a test's own, as the contract of chains pushes chains about. What is mined or paid is confirmed at once. */
import { generateKeyPairSync } from "node:crypto"
import { Effect, Layer } from "effect"
import * as SolanaChains from "../../adapters/solana/chains.ts"
import type { Connection } from "../../adapters/solana/node.ts"
import type { LocalSolana } from "../../apps/sandbox/solana/local-solana.ts"
import { type Address, type AddressKey, transactionKeyOf } from "../../core/chains/address.ts"
import * as Chain from "../../core/chains/chain.ts"
import * as Base58 from "../../core/encoding/base58.ts"
import * as Solana from "./solana.ts"
import { World } from "./watched-chain.ts"

export const chainId = "local-solana"

/** The address of a new key. */
export const anOwner = (): Address => {
  const { publicKey } = generateKeyPairSync("ed25519")
  const key = publicKey.export({ format: "der", type: "spki" }).subarray(-32)
  return Base58.encode(key) as Address
}

/** Slots until what is final can be told, at the start of a chain. */
const slotsToStart = 40

export const addressOf = (digit: string) =>
  Base58.encode(new Uint8Array(32).fill(digit.charCodeAt(0))) as Address & AddressKey

export const connectionTo = (
  { rpcUrl, usdc }: LocalSolana["Service"],
  over: Partial<Connection> = {}
): Connection => ({
  chain: Chain.find(chainId) as Chain.Chain,
  usdc,
  confirmations: 32,
  pollMs: 50,
  rpcUrls: [rpcUrl],
  ...over
})

export const chains = Layer.unwrap(
  Effect.map(Solana.SolanaChain, (chain) => SolanaChains.layer([connectionTo(chain)]))
)

const slotNow = Effect.gen(function* () {
  const client = yield* Solana.rpc
  return Number(yield* Effect.promise(() => client.getSlot({ commitment: "processed" }).send()))
})

export const world = Layer.effect(
  World,
  Effect.gen(function* () {
    const chain = yield* Solana.SolanaChain
    const context = yield* Effect.context<LocalSolana>()
    yield* chain.advance(slotsToStart)
    const { address: payer } = yield* Solana.payer
    /** The first slot of whatever was mined or paid in, oldest first. */
    const marks: Array<number> = []
    const paid: Array<string> = []
    let isAway = false
    const drop = Effect.fnUntraced(function* (depth: number, keep: ReadonlyArray<string>) {
      const from = marks.splice(-depth)[0]
      if (from === undefined) return yield* Effect.die(new Error("Nothing was mined yet."))
      const slot = yield* slotNow
      const dropped = paid.filter((signature) => !keep.includes(signature))
      yield* chain.fork(slot - from + 1, dropped)
      return from - 1
    })
    return {
      chainId,
      payer: payer as string as AddressKey,
      addressOf,
      respelt: (address: Address) => address,
      skipsNumbers: true,
      pay: (to: string, amountMicro: bigint) =>
        Effect.gen(function* () {
          // Whoever pays has a node of their own, which no outage touches.
          yield* chain.setFault()
          marks.push(yield* slotNow)
          const signature = yield* Solana.pay({ to, amountMicro })
          paid.push(signature)
          yield* chain.advance(2)
          yield* chain.setFault(isAway ? () => "hang up" : undefined)
          return transactionKeyOf(chainId, signature)
        }).pipe(Effect.provideContext(context)),
      mine: (blocks: number) =>
        Effect.gen(function* () {
          for (let mined = 0; mined < blocks; mined++) {
            marks.push((yield* slotNow) - 1)
            yield* chain.advance(1)
          }
        }).pipe(Effect.provideContext(context)),
      reorg: (depth: number, keep: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const stands = yield* drop(depth, keep)
          yield* chain.advance(2)
          return stands
        }).pipe(Effect.provideContext(context)),
      rollBack: (depth: number) => drop(depth, []).pipe(Effect.provideContext(context)),
      outage: (away: boolean) =>
        Effect.suspend(() => {
          isAway = away
          return chain.setFault(away ? () => "hang up" : undefined)
        })
    }
  })
)
