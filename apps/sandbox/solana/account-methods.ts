/** The methods of the local Solana that read its slots and its accounts. */
import { lamports } from "@solana/kit"
import { addressIn, asOf, type Config, type Front, inContext, shown } from "./front.ts"
import { accountAt, accountsOf, hashLife, heightAt } from "./ledger.ts"
import { invalidParams } from "./rpc-error.ts"
import { sysvarAt } from "./sysvars.ts"
import { tokenIn, tokenPrograms, uiAmount } from "./token-accounts.ts"

const maxAccounts = 100
const slotsInEpoch = 432_000n

export const slotMethods = (front: Front) => {
  const { ledger } = front
  const heightOf = (config: Config = {}) => {
    asOf(front, config)
    return heightAt(ledger, config.commitment ?? "finalized", front.behind)
  }
  return {
    getHealth: () => "ok",
    getVersion: () => ({ "solana-core": "3.0.0", "feature-set": 1 }),
    getGenesisHash: () => ledger.genesis,
    getSlot: (config?: Config) => asOf(front, config),
    getBlockHeight: heightOf,
    getEpochInfo: (config?: Config) => ({
      absoluteSlot: asOf(front, config),
      blockHeight: heightOf(config),
      epoch: asOf(front, config) / slotsInEpoch,
      slotIndex: asOf(front, config) % slotsInEpoch,
      slotsInEpoch,
      transactionCount: BigInt(ledger.entries.size)
    }),
    getLatestBlockhash: (config: Config = {}) => {
      const slot = asOf(front, config)
      const height = heightOf(config)
      const known = ledger.hashes.filter(([, of]) => of <= height).at(-1) ?? ledger.hashes[0]
      const [blockhash, of] = known ?? ["", 0n]
      return inContext(slot, { blockhash, lastValidBlockHeight: of + hashLife })
    },
    isBlockhashValid: (blockhash: string, config?: Config) =>
      inContext(
        asOf(front, config),
        ledger.hashes.some(([hash]) => hash === blockhash)
      ),
    getMinimumBalanceForRentExemption: (bytes: number) =>
      ledger.svm.minimumBalanceForRentExemption(BigInt(bytes)),
    getRecentPrioritizationFees: () => [
      { slot: asOf(front, { commitment: "processed" }), prioritizationFee: ledger.askedPriority }
    ]
  }
}

interface TokenFilter {
  readonly mint?: string
  readonly programId?: string
}

export const accountMethods = (front: Front) => {
  const { ledger } = front
  const at = (text: unknown, slot: bigint) => {
    const address = addressIn(text)
    return sysvarAt(ledger, address, slot) ?? accountAt(ledger, address, slot)
  }
  const lamportsAt = (text: unknown, slot: bigint) => {
    const account = at(text, slot)
    return account.exists ? account.lamports : lamports(0n)
  }
  return {
    getBalance: (address: string, config?: Config) => {
      const slot = asOf(front, config)
      return inContext(slot, lamportsAt(address, slot))
    },
    getAccountInfo: (address: string, config: Config = {}) => {
      const slot = asOf(front, config)
      return inContext(slot, shown(front, at(address, slot), config.encoding, config.dataSlice))
    },
    getMultipleAccounts: (addresses: ReadonlyArray<string>, config: Config = {}) => {
      if (addresses.length > maxAccounts) {
        throw invalidParams(`Too many inputs provided; max ${maxAccounts}`)
      }
      const slot = asOf(front, config)
      const tell = (address: string) =>
        shown(front, at(address, slot), config.encoding, config.dataSlice)
      return inContext(slot, addresses.map(tell))
    },
    getTokenAccountBalance: (address: string, config?: Config) => {
      const slot = asOf(front, config)
      const account = at(address, slot)
      const token = account.exists ? tokenIn(account) : undefined
      if (token === undefined) throw invalidParams("Invalid param: could not find account")
      return inContext(slot, uiAmount(ledger.svm, token))
    },
    getTokenAccountsByOwner: (owner: string, filter: TokenFilter, config: Config = {}) => {
      const slot = asOf(front, config)
      const { mint, programId } = filter
      const programs = programId === undefined ? tokenPrograms : [addressIn(programId)]
      const found = programs
        .flatMap((program) => accountsOf(ledger, program, slot))
        .filter((account) => {
          const token = tokenIn(account)
          return token?.owner === owner && (mint === undefined || token.mint === mint)
        })
        .map((account) => ({
          pubkey: account.address,
          account: shown(front, { ...account, exists: true }, config.encoding)
        }))
      return inContext(slot, found)
    }
  }
}
