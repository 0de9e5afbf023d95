/** The address of a Solana key: the key itself, in base58. */
import * as Base58 from "../../core/encoding/base58.ts"

export const addressOf = (publicKey: Uint8Array): string => Base58.encode(publicKey)
