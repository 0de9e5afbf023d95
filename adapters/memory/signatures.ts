/**
 * Port Signatures in memory. Plain accounts sign for real and are judged for real; which contracts answer
 * for which owner is a script's to say, and a chain that is away answers for none.
 */
import { createPublicKey, verify } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import { recoverMessageAddress } from "viem/utils"
import { familyOf } from "../../core/chains/address.ts"
import { isPlainForm } from "../../core/chains/evm.ts"
import * as Base58 from "../../core/encoding/base58.ts"
import { Signatures, type SignedText } from "../../core/ports/signatures.ts"
import * as ScriptedChain from "./scripted-chain.ts"

/** Lets contracts stand on the chain that take the signatures of one owner for their own. */
export class WalletScript extends Context.Service<
  WalletScript,
  {
    readonly own: (contract: string, owner: string) => Effect.Effect<void>
  }
>()("bursar/memory/WalletScript") {}

/** In lower case; undefined for anything that is no plain signature. */
const recovered = (message: string, signature: string) =>
  isPlainForm(signature)
    ? Effect.promise(() =>
        recoverMessageAddress({ message, signature: signature as `0x${string}` }).then(
          (address) => address.toLowerCase(),
          () => undefined
        )
      )
    : Effect.undefined

/** An address that is a key signs by it, and any other signs nothing. */
const isByKey = ({ message, signature, signer }: SignedText): boolean => {
  const key = Base58.decode(signer.address, 32)
  const bytes = Base58.decode(signature, 64)
  if (key === undefined || bytes === undefined) return false
  const jwk = { kty: "OKP", crv: "Ed25519", x: Buffer.from(key).toString("base64url") }
  try {
    return verify(null, Buffer.from(message), createPublicKey({ key: jwk, format: "jwk" }), bytes)
  } catch {
    return false
  }
}

export const layer = (state: ScriptedChain.State): Layer.Layer<Signatures | WalletScript> =>
  Layer.effectContext(
    Effect.sync(() => {
      const owners = new Map<string, string>()
      const isBy: Signatures["Service"]["isBy"] = Effect.fnUntraced(function* (signed) {
        const { signer, message, signature } = signed
        if (familyOf(signer.chainId).curve === "ed25519") return isByKey(signed)
        const address = signer.address.toLowerCase()
        const by = yield* recovered(message, signature)
        if (by === address) return true
        yield* ScriptedChain.present(state, signer.chainId)
        return by !== undefined && owners.get(address) === by
      })
      const own = (contract: string, owner: string) =>
        Effect.sync(() => {
          owners.set(contract.toLowerCase(), owner.toLowerCase())
        })
      return Context.make(Signatures, { isBy }).pipe(Context.add(WalletScript, { own }))
    })
  )
