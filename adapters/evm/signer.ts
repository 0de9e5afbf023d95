/** Port Signer on EVM chains: the addresses of wallets, as whoever holds their keys tells them. */
import { Effect, Layer } from "effect"
import * as Chain from "../../core/chains/chain.ts"
import { Signer } from "../../core/ports/signer.ts"
import type { Holder } from "./holder.ts"

/** Some twenty milliseconds of work below a seed, after which other fibers have their turn. */
const addressesInARow = 32
const askedAtOnce = 16

export const layer = (wallets: Holder): Layer.Layer<Signer> =>
  Layer.succeed(Signer, {
    addressesOf: Effect.fnUntraced(function* (
      chainId: string,
      derivationIndexes: ReadonlyArray<number>
    ) {
      if (Chain.find(chainId)?.family !== "evm") {
        return yield* Effect.die(new Error(`There are no keys for chain ${chainId} here.`))
      }
      const addresses: Array<string> = []
      for (let first = 0; first < derivationIndexes.length; first += addressesInARow) {
        const indexes = derivationIndexes.slice(first, first + addressesInARow)
        addresses.push(
          ...(yield* Effect.forEach(indexes, (index) => wallets.addressOf(index), {
            concurrency: askedAtOnce
          }))
        )
        yield* Effect.yieldNow
      }
      return addresses
    })
  })
