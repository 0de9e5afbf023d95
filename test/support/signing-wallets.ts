/** Wallets that sign texts, by the family of their chain, and how their signatures are written and spoilt. */
import { generateKeyPairSync, sign } from "node:crypto"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as Base58 from "../../core/encoding/base58.ts"

export interface SigningWallet {
  readonly address: string
  readonly sign: (message: string) => Promise<string>
}

export interface SigningWallets {
  readonly chainId: string
  readonly make: () => SigningWallet
  /** Every way in which the same signature may be written. */
  readonly writings: (signature: string) => ReadonlyArray<string>
  /** Every way in which the same address may be written. */
  readonly addresses: (address: string) => ReadonlyArray<string>
  /** What looks like the signature and is none. */
  readonly malformed: (signature: string) => ReadonlyArray<string>
  /** The signature with one of its digits changed. */
  readonly altered: (signature: string) => ReadonlyArray<string>
}

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const word = (value: bigint) => value.toString(16).padStart(64, "0")

/** The other signature that recovers to the same account. */
const highTwin = (signature: string): string => {
  const s = BigInt(`0x${signature.slice(66, 130)}`)
  const v = signature.slice(130) === "1b" ? "1c" : "1b"
  return `${signature.slice(0, 66)}${word(order - s)}${v}`
}

const withV = (signature: string, v: string) => `${signature.slice(0, 130)}${v}`

const withDigit = (signature: string, at: number, [one, other]: readonly [string, string]) =>
  `${signature.slice(0, at)}${signature[at] === one ? other : one}${signature.slice(at + 1)}`

export const evmWallets: SigningWallets = {
  chainId: "local",
  make: () => {
    const account = privateKeyToAccount(generatePrivateKey())
    return { address: account.address, sign: (message) => account.signMessage({ message }) }
  },
  writings: (signature) => [
    signature,
    withV(signature, signature.endsWith("1b") ? "00" : "01"),
    signature.toUpperCase().replace("0X", "0x")
  ],
  addresses: (address) => [address, address.toLowerCase()],
  malformed: (signature) => [
    highTwin(signature),
    withV(signature, "1d"),
    withV(signature, "02"),
    signature.slice(0, -2),
    `${signature}00`,
    signature.slice(2),
    "0x",
    `0x${"0".repeat(130)}`,
    `0x${"f".repeat(130)}`,
    "5HpHagT65TZzG1PH3CSu63k8DbpvD8s5ip4nEB3kEsreAnchuDf"
  ],
  altered: (signature) =>
    Array.from({ length: 15 }, (_, at) => withDigit(signature, 2 + 9 * at, ["a", "b"]))
}

/** The order of ed25519's group, by which a signature's second half may be raised unless its reader looks. */
const ed25519Order = 2n ** 252n + 27742317777372353535851937790883648493n

const raised = (signature: string): string => {
  const bytes = Base58.decode(signature, 64) ?? new Uint8Array(64)
  const half = Buffer.from(bytes.subarray(32)).reverse().toString("hex")
  const more = (BigInt(`0x${half}`) + ed25519Order).toString(16).padStart(64, "0")
  return Base58.encode(Buffer.concat([bytes.subarray(0, 32), Buffer.from(more, "hex").reverse()]))
}

/** The USDC account of some owner: an address off the curve, which no key belongs to. */
export const programAccount = "F8biqkCRK2tHR6EncrcXDGgVTkGRrtojqyW39w41Qspn"
export const tokenProgram = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"

export const solanaWallets: SigningWallets = {
  chainId: "local-solana",
  make: () => {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519")
    const key = publicKey.export({ format: "der", type: "spki" }).subarray(-32)
    return {
      address: Base58.encode(key),
      sign: async (message) => Base58.encode(sign(null, Buffer.from(message), privateKey))
    }
  },
  writings: (signature) => [signature],
  addresses: (address) => [address],
  malformed: (signature) => {
    const bytes = Base58.decode(signature, 64) ?? new Uint8Array(64)
    return [
      raised(signature),
      signature.slice(0, -1),
      `${signature}1`,
      `1${signature}`,
      Buffer.from(bytes).toString("hex"),
      `0x${Buffer.from(bytes).toString("hex")}`,
      Buffer.from(bytes).toString("base64"),
      "",
      "1".repeat(64),
      Base58.encode(new Uint8Array(64).fill(255))
    ]
  },
  altered: (signature) =>
    Array.from({ length: 15 }, (_, at) => withDigit(signature, 2 + 5 * at, ["a", "b"]))
}
