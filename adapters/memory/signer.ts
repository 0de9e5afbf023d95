/** Addresses without keys: each key has one checksummed EVM address for ever, and nobody can sign for it. */
import { createHash } from "node:crypto"
import { Effect, Layer } from "effect"
import { getAddress } from "viem/utils"
import type { KeyRef } from "../../core/chains/key.ts"
import { Signer } from "../../core/ports/signer.ts"

const addressOf = ({ ref }: KeyRef): string => {
  const digest = createHash("sha256").update(`bursar memory signer ${ref}`)
  return getAddress(`0x${digest.digest("hex").slice(0, 40)}`)
}

export const layer: Layer.Layer<Signer> = Layer.succeed(Signer, {
  keyAt: (number) => ({ backend: "memory", ref: String(number) }),
  addressesOf: (_chainId, keys) => Effect.sync(() => keys.map(addressOf))
})
