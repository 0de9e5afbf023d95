/** Private keys below one seed, a branch of them for each purpose. No key leaves this folder. */
import { HDKey } from "viem/accounts"
import { bytesToHex } from "viem/utils"

/** The private key at an index of the branch. */
export type Branch = (index: number) => `0x${string}`

/** Keys of wallets; the addresses of the port Signer belong to these. */
export const walletPath = "m/44'/60'/0'/0"
/** Keys of relayers, which hold gas and never USDC. */
export const relayerPath = "m/44'/60'/1'/0"

/** Indexes from here on would be hardened: keys of another kind. */
const mostIndexes = 2 ** 31
const seedBytes = 64

export const make = (seed: Uint8Array, path: string): Branch => {
  if (seed.length !== seedBytes) throw new Error(`A seed has ${seedBytes} bytes.`)
  const branch = HDKey.fromMasterSeed(seed).derive(path)
  return (index) => {
    if (!Number.isInteger(index) || index < 0 || index >= mostIndexes) {
      throw new Error(`There is no derivation index ${index}.`)
    }
    const { privateKey } = branch.deriveChild(index)
    if (privateKey === null) throw new Error("The branch holds no private key.")
    return bytesToHex(privateKey)
  }
}
