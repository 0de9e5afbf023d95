/**
 * Private keys below one seed of 64 bytes, a branch of them for each purpose. No key leaves this file,
 * and the same key and digest always give the same signature (RFC 6979).
 */
import { Effect } from "effect"
import { HDKey, privateKeyToAddress, sign } from "viem/accounts"
import { bytesToHex } from "viem/utils"
import { checkedIndex, type Holder, type Holders, keyOf } from "./holder.ts"

/** Keys of wallets; the addresses of the port Signer belong to these. */
const walletPath = "m/44'/60'/0'/0"
/** Keys of relayers, which hold gas and never USDC. */
const relayerPath = "m/44'/60'/1'/0"

const seedBytes = 64

const backend = "seed"

const branch = (seed: Uint8Array, path: string): Holder => {
  const above = HDKey.fromMasterSeed(seed).derive(path)
  const privateKeyOf = (ref: string) => {
    const { privateKey } = above.deriveChild(checkedIndex(Number(ref)))
    if (privateKey === null) throw new Error("The branch holds no private key.")
    return bytesToHex(privateKey)
  }
  return {
    backend,
    refAt: String,
    addressOf: (ref) => Effect.sync(() => privateKeyToAddress(privateKeyOf(ref))),
    sign: (ref, digest) =>
      Effect.promise(() => sign({ hash: digest, privateKey: privateKeyOf(ref), to: "hex" }))
  }
}

/**
 * All keys of a treasury from its seed; a BIP-39 phrase is turned into one before it comes here. Two
 * processes that do not share stores need two relayers.
 */
export const holders = (seed: Uint8Array, relayerIndex = 0): Holders => {
  if (seed.length !== seedBytes) throw new Error(`A seed has ${seedBytes} bytes.`)
  return {
    wallets: branch(seed, walletPath),
    relayer: keyOf(branch(seed, relayerPath), { backend, ref: String(relayerIndex) })
  }
}
