/**
 * The curve by which signers are recovered. It is a part of its own, loaded when it is first needed. Whoever recovers a
 * signer loads it before, so that a part that is away is never taken for a bad signature.
 */
import { recoverPublicKey } from "viem/utils"
import { loadOnce } from "./load-once.ts"

/** Where the curve begins: the x of its generator. */
const generator = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"

/**
 * A good signature, whose signer is the generator itself: to find that multiplies nothing and makes no tables. That its
 * signer cannot be recovered says that the curve is not there.
 */
const good = {
  hash: new Uint8Array(32),
  signature: Buffer.from(`${generator}${generator}1b`, "hex")
}

export const curve = loadOnce(() => recoverPublicKey(good))
