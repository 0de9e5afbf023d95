/** Port Signer on EVM chains: the addresses of wallets, as whoever holds their keys tells them. */
import { Effect, Layer } from "effect"
import * as Chain from "../../core/chains/chain.ts"
import type { KeyRef } from "../../core/chains/key.ts"
import { Signer } from "../../core/ports/signer.ts"
import { type Holder, keyOf } from "./holder.ts"

/** Some twenty milliseconds of work below a seed, after which other fibers have their turn. */
const addressesInARow = 32
const askedAtOnce = 16

export const layer = (wallets: Holder): Layer.Layer<Signer> =>
  Layer.succeed(Signer, {
    keyAt: (number) => ({ backend: wallets.backend, ref: wallets.refAt(number) }),
    addressesOf: Effect.fnUntraced(function* (chainId: string, keys: ReadonlyArray<KeyRef>) {
      if (Chain.find(chainId)?.family !== "evm") {
        return yield* Effect.die(new Error(`There are no keys for chain ${chainId} here.`))
      }
      const addresses: Array<string> = []
      for (let first = 0; first < keys.length; first += addressesInARow) {
        const few = keys.slice(first, first + addressesInARow)
        addresses.push(
          ...(yield* Effect.forEach(few, (key) => keyOf(wallets, key).address, {
            concurrency: askedAtOnce
          }))
        )
        yield* Effect.yieldNow
      }
      return addresses
    })
  })
