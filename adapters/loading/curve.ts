/**
 * The curve by which signers are recovered. It is a part of its own, loaded when it is first needed. Whoever recovers a
 * signer loads it before, so that a part that is away is never taken for a bad signature.
 */
import { recoverPublicKey } from "viem/utils"
import { loadOnce } from "./load-once.ts"

/** A good signature: that its signer cannot be recovered says that the curve is not there. */
const good = {
  hash: new Uint8Array(32).fill(1),
  signature: Buffer.from(
    "nQutV2cZ0yrna+2zTHdIZmc8veP04SlRVVyUCObOd0soducQLyBPa/7ibJZ8OSbOcCz5fUsBAGLhk/djGQ9ndhs=",
    "base64"
  )
}

export const curve = loadOnce(() => recoverPublicKey(good))
