/**
 * Keys without secrets: each has one address for ever on each family of chains, and its signature is the bytes it
 * was asked to sign, once the signing policy agrees.
 */
import { createHash } from "node:crypto"
import { Effect, Layer } from "effect"
import { type Address, familyOf, isSame, shown } from "../../core/chains/address.ts"
import { isSameKey, type KeyRef } from "../../core/chains/key.ts"
import * as Base58 from "../../core/encoding/base58.ts"
import { SigningDenied } from "../../core/submissions/order.ts"
import { ReclaimDenied } from "../../core/submissions/reclaim.ts"
import { WalletKeys } from "../../core/submissions/wallet-keys.ts"
import { unfenced } from "../../core/timeline/sending.ts"
import { Timeline } from "../../core/timeline/timeline.ts"
import { SigningPolicy } from "../../core/treasury/signing-policy.ts"

const backend = "memory"

const addressOf = (chainId: string, key: KeyRef): Address => {
  if (key.backend !== backend) throw new Error(`There is no key backend ${key.backend} here.`)
  const digest = createHash("sha256").update(`bursar memory signer ${key.ref}`).digest()
  return shown(
    chainId,
    familyOf(chainId).curve === "ed25519"
      ? Base58.encode(digest)
      : `0x${digest.toString("hex").slice(0, 40)}`
  )
}

export const layer: Layer.Layer<WalletKeys, never, SigningPolicy> = Layer.effect(
  WalletKeys,
  Effect.map(
    Effect.all([SigningPolicy, Timeline]),
    ([{ assertAllowed, assertReclaimAllowed }, timeline]) => ({
      open: (_chainId, id) => Effect.succeed({ key: { backend, ref: id }, isRecoverable: true }),
      addressOf: (chainId, key) => Effect.sync(() => addressOf(chainId, key)),
      sign: Effect.fnUntraced(function* (key, _curve, { bytes, order, token }) {
        yield* assertAllowed(order, token, bytes)
        if (
          !isSameKey(key, order.key) ||
          !isSame(order.chainId, addressOf(order.chainId, key), order.from)
        ) {
          return yield* Effect.die(
            new SigningDenied(order.proposalId, "the key is another wallet's")
          )
        }
        yield* unfenced(timeline, order.chainId, (why) => new SigningDenied(order.proposalId, why))
        return bytes
      }),
      signReclaim: Effect.fnUntraced(function* (_curve, reclaim, bytes) {
        yield* assertReclaimAllowed(reclaim)
        const { chainId, from, key, walletId } = reclaim
        if (!isSame(chainId, addressOf(chainId, key), from)) {
          return yield* Effect.die(new ReclaimDenied(walletId, "the key is another wallet's"))
        }
        yield* unfenced(timeline, chainId, (why) => new ReclaimDenied(walletId, why))
        return bytes
      })
    })
  )
)
