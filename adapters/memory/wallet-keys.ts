/**
 * Keys without secrets: each has one checksummed EVM address for ever, and its signature is the digest it was
 * asked to sign, once the signing policy agrees.
 */
import { createHash } from "node:crypto"
import { Effect, Layer } from "effect"
import { type Address, isSame, shown } from "../../core/chains/address.ts"
import { isSameKey, type KeyRef } from "../../core/chains/key.ts"
import { SigningDenied } from "../../core/submissions/order.ts"
import { WalletKeys } from "../../core/submissions/wallet-keys.ts"
import { SigningPolicy } from "../../core/treasury/signing-policy.ts"

const backend = "memory"

const addressOf = (key: KeyRef): Address => {
  if (key.backend !== backend) throw new Error(`There is no key backend ${key.backend} here.`)
  const digest = createHash("sha256").update(`bursar memory signer ${key.ref}`)
  return shown("local", `0x${digest.digest("hex").slice(0, 40)}`)
}

export const layer: Layer.Layer<WalletKeys, never, SigningPolicy> = Layer.effect(
  WalletKeys,
  Effect.map(SigningPolicy, ({ demand }) => ({
    open: (_chainId, id) => Effect.succeed({ key: { backend, ref: id }, isRecoverable: true }),
    addressOf: (_chainId, key) => Effect.sync(() => addressOf(key)),
    sign: Effect.fnUntraced(function* (key, _curve, { bytes, order, token }) {
      yield* demand(order, token)
      if (!isSameKey(key, order.key) || !isSame(order.chainId, addressOf(key), order.from)) {
        return yield* Effect.die(new SigningDenied(order.proposalId, "the key is another wallet's"))
      }
      return bytes
    })
  }))
)
