/** Addresses without keys: each index has one checksummed EVM address for ever, and nobody can sign for it. */
import { createHash } from "node:crypto"
import { Effect, Layer } from "effect"
import { getAddress } from "viem/utils"
import { Signer } from "../../core/ports/signer.ts"

const addressOf = (derivationIndex: number): string => {
  const digest = createHash("sha256").update(`bursar memory signer ${derivationIndex}`)
  return getAddress(`0x${digest.digest("hex").slice(0, 40)}`)
}

export const layer: Layer.Layer<Signer> = Layer.succeed(Signer, {
  addressesOf: (_chainId, derivationIndexes) =>
    Effect.sync(() => derivationIndexes.map((index) => addressOf(index)))
})
