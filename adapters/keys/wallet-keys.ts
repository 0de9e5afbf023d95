/**
 * Port WalletKeys over one or more backends. Before a key signs, the signing policy is asked, and the key's own
 * address must be the one the order names.
 */
import { Effect, Layer } from "effect"
import * as Address from "../../core/chains/address.ts"
import type { Family } from "../../core/chains/chain.ts"
import { isSameKey, type KeyRef } from "../../core/chains/key.ts"
import type { KeyBackend } from "../../core/ports/key-backend.ts"
import { SigningDenied } from "../../core/submissions/order.ts"
import { ReclaimDenied } from "../../core/submissions/reclaim.ts"
import { WalletKeys } from "../../core/submissions/wallet-keys.ts"
import { unfenced } from "../../core/timeline/sending.ts"
import { Timeline } from "../../core/timeline/timeline.ts"
import { SigningPolicy } from "../../core/treasury/signing-policy.ts"

export interface Options {
  /** The first holds the keys of new wallets; the others keep those they hold. */
  readonly backends: readonly [KeyBackend, ...ReadonlyArray<KeyBackend>]
  /** How each connected family shows a public key as an address. */
  readonly addressOf: Readonly<Partial<Record<Family, (publicKey: Uint8Array) => string>>>
}

export const layer = ({
  addressOf: shown,
  backends
}: Options): Layer.Layer<WalletKeys, never, SigningPolicy> =>
  Layer.effect(
    WalletKeys,
    Effect.gen(function* () {
      const { assertAllowed, assertReclaimAllowed } = yield* SigningPolicy
      const timeline = yield* Timeline
      const backendOf = ({ backend }: KeyRef) => {
        const found = backends.find(({ name }) => name === backend)
        return found === undefined
          ? Effect.die(new Error(`There is no key backend ${backend} here.`))
          : Effect.succeed(found)
      }
      const addressOf = Effect.fnUntraced(function* (chainId: string, key: KeyRef) {
        const { curve, family } = Address.familyOf(chainId)
        const show = shown[family]
        if (show === undefined) {
          return yield* Effect.die(new Error(`There are no keys for chain ${chainId} here.`))
        }
        const publicKey = yield* (yield* backendOf(key)).publicKeyOf(curve, key.ref)
        return Address.shown(chainId, show(publicKey))
      })
      return {
        open: Effect.fnUntraced(function* (chainId, id) {
          const [{ name, open }] = backends
          const { isRecoverable, ref } = yield* open(Address.familyOf(chainId).curve, id)
          return { key: { backend: name, ref }, isRecoverable }
        }),
        addressOf,
        sign: Effect.fnUntraced(function* (key, curve, { bytes, order, token }) {
          yield* assertAllowed(order, token, bytes)
          const address = yield* addressOf(order.chainId, key)
          if (!isSameKey(key, order.key) || !Address.isSame(order.chainId, address, order.from)) {
            return yield* Effect.die(
              new SigningDenied(order.proposalId, "the key is another wallet's")
            )
          }
          const backend = yield* backendOf(key)
          // Last, so that nothing but the backend is waited for between the answer and the signature.
          yield* unfenced(
            timeline,
            order.chainId,
            (why) => new SigningDenied(order.proposalId, why)
          )
          return yield* backend.sign(curve, key.ref, bytes)
        }),
        signReclaim: Effect.fnUntraced(function* (curve, reclaim, bytes) {
          yield* assertReclaimAllowed(reclaim)
          const { chainId, from, key, walletId } = reclaim
          if (!Address.isSame(chainId, yield* addressOf(chainId, key), from)) {
            return yield* Effect.die(new ReclaimDenied(walletId, "the key is another wallet's"))
          }
          const backend = yield* backendOf(key)
          yield* unfenced(timeline, chainId, (why) => new ReclaimDenied(walletId, why))
          return yield* backend.sign(curve, key.ref, bytes)
        })
      }
    })
  )
