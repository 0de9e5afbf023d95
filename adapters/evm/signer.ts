/**
 * The keys of wallets on EVM chains, all below one seed on the path m/44'/60'/0'/0/<index>. No key leaves
 * this file; only addresses are told.
 */
import { Effect, Layer } from "effect"
import { HDKey, privateKeyToAddress } from "viem/accounts"
import { bytesToHex } from "viem/utils"
import * as Chain from "../../core/chains/chain.ts"
import { Signer } from "../../core/ports/signer.ts"

const branchPath = "m/44'/60'/0'/0"
/** Indexes from here on would be hardened: keys of another kind. */
const mostIndexes = 2 ** 31
const seedBytes = 64
/** Some twenty milliseconds of work, after which other fibers have their turn. */
const derivationsInARow = 32

const addressAt = (branch: HDKey, index: number): string => {
  if (!Number.isInteger(index) || index < 0 || index >= mostIndexes) {
    throw new Error(`There is no derivation index ${index}.`)
  }
  const { privateKey } = branch.deriveChild(index)
  if (privateKey === null) throw new Error("The branch holds no private key.")
  return privateKeyToAddress(bytesToHex(privateKey))
}

/** Holds keys under a seed of 64 bytes; a BIP-39 phrase is turned into one before it comes here. */
export const layer = (seed: Uint8Array): Layer.Layer<Signer> =>
  Layer.sync(Signer, () => {
    if (seed.length !== seedBytes) throw new Error(`A seed has ${seedBytes} bytes.`)
    const branch = HDKey.fromMasterSeed(seed).derive(branchPath)
    return {
      addressesOf: Effect.fnUntraced(function* (chainId, derivationIndexes) {
        if (Chain.find(chainId)?.family !== "evm") {
          return yield* Effect.die(new Error(`There are no keys for chain ${chainId} here.`))
        }
        const addresses: Array<string> = []
        for (const index of derivationIndexes) {
          addresses.push(addressAt(branch, index))
          if (addresses.length % derivationsInARow === 0) yield* Effect.yieldNow
        }
        return addresses
      })
    }
  })
