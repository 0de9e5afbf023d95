/**
 * Where the issuer's two programs keep what they know (CCTP V2): addresses that follow from the programs, the mint, the
 * other chain and the nonce of a message, and what stands where in those accounts.
 */
import type { Address } from "@solana/kit"
import * as Base58 from "../../../core/encoding/base58.ts"
import type { HexBytes } from "../../../core/ports/cctp-ends.ts"
import type { Account } from "../account.ts"
import { derive, keyOf } from "../derived.ts"

export const transmitterProgram = "CCTPV2Sm4AdWt5296sk4P66VBZ7bEhcARwFaaS9YPbeC" as Address
export const messengerProgram = "CCTPV2vPZJS2u2BBsUoscuikbYjnpFmbFsvVuJdgUMQe" as Address

export const bytesOf = (hex: HexBytes): Uint8Array => Buffer.from(hex.slice(2), "hex")
export const hexOf = (bytes: Uint8Array): HexBytes => `0x${Buffer.from(bytes).toString("hex")}`
export const keyHexOf = (address: string): HexBytes => hexOf(keyOf(address))

const at = (
  program: string,
  ...seeds: Parameters<typeof derive> extends [string, ...infer S] ? S : never
) => derive(program, ...seeds).address

/**
 * Those that are the same for every message, written down, as to find them takes time at every start; an authority
 * proves to the receiver who calls it.
 */
export const fixed = {
  transmitter: "W1k5ijkaSTo5iA5zChNpfzcy796fLhkBxfmJuR8W8HU" as Address,
  receiverAuthority: "DsAdX23SVpTPYhKP2ua1mx8gTPqLyzx7a43cyxYjS2up" as Address,
  transmitterEvents: "2PcXTomVAbX5Es1NUZUkxwuCm8tvV4NmRk3fmQWFCWoV" as Address,
  messenger: "AawthJCGRmggpfv9MMWV6Jmo9cue4gL9wUZgRBShg58W" as Address,
  minter: "E1bQJ8eMMn3zmeSewW3HQ8zmJr7KR75JonbwAtWx2bux" as Address,
  senderAuthority: "45hzrGLQ2EGo1Ln7QpXjDwb589GDQ9H2aEXXw6ds6BFE" as Address,
  messengerEvents: "6TCCnJ9R1m1RXFzyoH7GYH2J6NJDtZaUvfipPuLWxHNd" as Address
} as const

export const localTokenOf = (mint: string) =>
  derive(messengerProgram, "local_token", { address: mint })
export const custodyOf = (mint: string) => derive(messengerProgram, "custody", { address: mint })
export const remoteMessengerOf = (domain: number): Address =>
  at(messengerProgram, "remote_token_messenger", String(domain))
export const pairOf = (domain: number, remoteToken: Uint8Array) =>
  derive(messengerProgram, "token_pair", String(domain), remoteToken)
export const usedNonceOf = (nonce: Uint8Array): Address =>
  at(transmitterProgram, "used_nonce", nonce)
export const denylistEntryOf = (owner: string): Address =>
  at(messengerProgram, "denylist_account", { address: owner })

const viewOf = ({ data }: Account) => new DataView(data.buffer, data.byteOffset, data.byteLength)
const keyIn = ({ data }: Account, from: number): string =>
  Base58.encode(data.subarray(from, from + 32))

const isOf = (account: Account | undefined, program: string, bytes: number): account is Account =>
  account !== undefined && account.owner === program && account.data.length >= bytes

/** Whether nothing is taken or sent now; undefined when the account is no state of the transmitter. */
export const isTransmitterPaused = (account: Account | undefined): boolean | undefined =>
  isOf(account, transmitterProgram, 161) ? account.data[136] !== 0 : undefined

export const isMinterPaused = (account: Account | undefined): boolean | undefined =>
  isOf(account, messengerProgram, 74) ? account.data[72] !== 0 : undefined

export interface Messenger {
  readonly feeRecipient: string
  /** Of an amount, in ten millionths. */
  readonly minFee: bigint
}

export const messengerIn = (account: Account | undefined): Messenger | undefined =>
  isOf(account, messengerProgram, 177)
    ? {
        feeRecipient: keyIn(account, 109),
        minFee: BigInt(viewOf(account).getUint32(173, true))
      }
    : undefined

/** The messenger of another chain that this one knows, 32 bytes. */
export const remoteMessengerIn = (account: Account | undefined): HexBytes | undefined =>
  isOf(account, messengerProgram, 44) ? hexOf(account.data.subarray(12, 44)) : undefined

export const burnLimitIn = (account: Account | undefined): bigint | undefined =>
  isOf(account, messengerProgram, 130) ? viewOf(account).getBigUint64(72, true) : undefined

/** The token of this chain that a token of another one is minted as. */
export const pairedIn = (account: Account | undefined): string | undefined =>
  isOf(account, messengerProgram, 77) ? keyIn(account, 44) : undefined

export const isNonceUsed = (account: Account | undefined): boolean =>
  isOf(account, transmitterProgram, 9) && account.data[8] === 1
