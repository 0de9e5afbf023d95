/**
 * Whether a Solana wallet signed a text (ed25519, base58). The address is the key, so no chain is asked, and an
 * address that is no key, as a program's is, has signed nothing.
 */
import { createPublicKey, verify } from "node:crypto"
import { Effect, Layer } from "effect"
import { familyOf } from "../../core/chains/address.ts"
import * as Base58 from "../../core/encoding/base58.ts"
import { Signatures, type SignedText } from "../../core/ports/signatures.ts"

/** What stands before the 32 bytes of a key in the one form that Node reads (SPKI, RFC 8410). */
const spkiHead = Buffer.from("302a300506032b6570032100", "hex")

export const isSigned = ({ message, signature, signer }: SignedText): boolean => {
  const key = Base58.decode(signer.address, 32)
  const bytes = Base58.decode(signature, 64)
  if (key === undefined || bytes === undefined) return false
  try {
    const spki = Buffer.concat([spkiHead, key])
    const publicKey = createPublicKey({ key: spki, format: "der", type: "spki" })
    return verify(null, Buffer.from(message), publicKey, bytes)
  } catch {
    // Not a point of the curve: an address that no key belongs to.
    return false
  }
}

/** Judges Solana's wallets here, and leaves those of other chains to whoever judged them before. */
export const layer: Layer.Layer<Signatures, never, Signatures> = Layer.effect(
  Signatures,
  Effect.map(Signatures, (others) => ({
    isBy: (signed: SignedText) =>
      familyOf(signed.signer.chainId).family === "solana"
        ? Effect.sync(() => isSigned(signed))
        : others.isBy(signed)
  }))
)
