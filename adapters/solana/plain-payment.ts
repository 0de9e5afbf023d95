/**
 * Reads a payer's transaction that the relayer is asked to pay the fee of. Nothing but a plain payment passes: unit
 * limit, unit price, one checked transfer of USDC and a memo, with the relayer in none of them.
 */
import { createHash, createPublicKey, verify } from "node:crypto"
import {
  getBase64EncodedWireTransaction,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type ReadonlyUint8Array,
  type Transaction
} from "@solana/kit"
import { COMPUTE_BUDGET_PROGRAM_ADDRESS } from "@solana-program/compute-budget"
import { TOKEN_PROGRAM_ADDRESS } from "@solana-program/token"
import { Effect } from "effect"
import { keyOf } from "../../core/chains/address.ts"
import * as Base58 from "../../core/encoding/base58.ts"
import * as Usdc from "../../core/money/usdc.ts"
import type { NotPlain, SignedTransfer } from "../../core/solana/signed-transfer.ts"
import { tokenAccountOf } from "./derived.ts"
import { memoProgram } from "./memo.ts"

const maxWireBytes = 1232
const maxMemoBytes = 256
/** Relayer, payer, both token accounts, the mint, and three programs. */
const accountsOfPlain = 8

const setUnitLimit = 2
const setUnitPrice = 3
const transferChecked = 12

const no = (reason: string, message: string): NotPlain => ({
  _tag: "not_plain",
  reason: `invalid_exact_svm_payload_${reason}`,
  message: `${message} Use the transaction of an x402 client for the scheme exact, unchanged.`
})

const unreadable = no(
  "transaction_could_not_be_decoded",
  "The transaction is no base64 of a version 0 transaction."
)

/** What stands before the 32 bytes of a key in the one form that Node reads (SPKI, RFC 8410). */
const spkiHead = Buffer.from("302a300506032b6570032100", "hex")

const isSignedBy = (owner: string, message: ReadonlyUint8Array, signature: ReadonlyUint8Array) => {
  const key = Buffer.concat([spkiHead, Base58.decode(owner, 32) ?? new Uint8Array(32)])
  try {
    const publicKey = createPublicKey({ key, format: "der", type: "spki" })
    return verify(null, Uint8Array.from(message), publicKey, Uint8Array.from(signature))
  } catch {
    // Not a point of the curve: an address that no key belongs to.
    return false
  }
}

const decoded = (wire: string): Transaction | undefined => {
  const bytes = Buffer.from(wire, "base64")
  if (bytes.length > maxWireBytes || bytes.toString("base64") !== wire) return undefined
  try {
    const transaction = getTransactionDecoder().decode(Uint8Array.from(bytes))
    // A decoder stops where the transaction ends; whatever follows is no part of it.
    return getBase64EncodedWireTransaction(transaction) === wire ? transaction : undefined
  } catch {
    return undefined
  }
}

const messageOf = (transaction: Transaction) => {
  try {
    const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes)
    if (message.version !== 0 || (message.addressTableLookups ?? []).length > 0) return undefined
    return message
  } catch {
    return undefined
  }
}

type Message = NonNullable<ReturnType<typeof messageOf>>

interface Part {
  readonly program: string
  readonly accounts: ReadonlyArray<string>
  readonly data: Buffer
}

const partsOf = ({ instructions, staticAccounts }: Message): ReadonlyArray<Part> =>
  instructions.map(({ accountIndices = [], data = new Uint8Array(), programAddressIndex }) => ({
    program: staticAccounts[programAddressIndex] ?? "",
    accounts: accountIndices.map((index) => staticAccounts[index] ?? ""),
    data: Buffer.from(data)
  }))

const isBudget = ({ accounts, data, program }: Part, kind: number, bytes: number): boolean =>
  program === COMPUTE_BUDGET_PROGRAM_ADDRESS &&
  accounts.length === 0 &&
  data.length === bytes &&
  data[0] === kind

const memoOf = ({ accounts, data, program }: Part): string | undefined => {
  const isMemo = program === memoProgram && accounts.length === 0 && data.length <= maxMemoBytes
  const text = data.toString("utf8")
  return isMemo && Buffer.from(text, "utf8").equals(data) && !text.includes("\0") ? text : undefined
}

interface Transferred {
  readonly source: string
  readonly mint: string
  readonly destination: string
  readonly authority: string
  readonly units: bigint
}

const transferOf = ({ accounts, data, program }: Part): Transferred | undefined => {
  const [source, mint, destination, authority, stray] = accounts
  const isTransfer =
    program === TOKEN_PROGRAM_ADDRESS &&
    data.length === 10 &&
    data[0] === transferChecked &&
    data[9] === Usdc.decimals
  if (!isTransfer || source === undefined || mint === undefined) return undefined
  if (destination === undefined || authority === undefined || stray !== undefined) return undefined
  return { source, mint, destination, authority, units: data.readBigUInt64LE(1) }
}

/** What the four parts say, or which of them is another. */
const contentOf = (parts: ReadonlyArray<Part>) => {
  const [limit, price, moving, noting, stray] = parts
  if (limit === undefined || price === undefined || moving === undefined || noting === undefined) {
    return no("transaction_instructions_length", "The transaction must have four instructions.")
  }
  if (stray !== undefined) {
    return no("transaction_instructions_length", "The transaction must have four instructions.")
  }
  if (!isBudget(limit, setUnitLimit, 5)) {
    return no(
      "transaction_instructions_compute_limit_instruction",
      "The first instruction must set the limit of compute units."
    )
  }
  if (!isBudget(price, setUnitPrice, 9)) {
    return no(
      "transaction_instructions_compute_price_instruction",
      "The second instruction must set the price of a compute unit."
    )
  }
  const transfer = transferOf(moving)
  if (transfer === undefined) {
    return no(
      "no_transfer_instruction",
      "The third instruction must be a checked transfer of USDC."
    )
  }
  const memo = memoOf(noting)
  if (memo === undefined) {
    return no("unknown_fourth_instruction", "The fourth instruction must be a memo.")
  }
  return {
    _tag: "content" as const,
    units: limit.data.readUInt32LE(1),
    priority: price.data.readBigUInt64LE(1),
    transfer,
    memo
  }
}

/** The relayer pays the fee, the payer signs, and no account is there for anything else. */
const signersOf = (
  message: Message,
  authority: string
): NotPlain | { readonly feePayer: string } => {
  const { header, instructions, staticAccounts } = message
  const [feePayer, payer] = staticAccounts
  if (header.numSignerAccounts !== 2 || feePayer === undefined || payer !== authority) {
    return no("excessive_signers", "Only the relayer and the payer may sign the transaction.")
  }
  const isNamed = instructions.some(
    ({ accountIndices = [], programAddressIndex }) =>
      programAddressIndex === 0 || accountIndices.includes(0)
  )
  if (isNamed || feePayer === authority) {
    return no(
      "transaction_fee_payer_transferring_funds",
      "The relayer that pays the fee must stand in no instruction."
    )
  }
  const isPlain =
    staticAccounts.length === accountsOfPlain &&
    new Set(staticAccounts).size === accountsOfPlain &&
    header.numReadonlySignerAccounts <= 1
  return isPlain
    ? { feePayer }
    : no("transaction", "The transaction names accounts it has no use for.")
}

export const hashOf = (messageBytes: ReadonlyUint8Array): string =>
  createHash("sha256").update(Uint8Array.from(messageBytes)).digest("hex")

/** Whether a message has the form of a plain payment, whomever it pays. */
export const isPlainForm = (message: Message): boolean => {
  const content = contentOf(partsOf(message))
  return content._tag === "content" && !("_tag" in signersOf(message, content.transfer.authority))
}

/** What a transaction pays to that owner; or why it is no plain payment to them. */
export const readPlain = Effect.fnUntraced(function* (
  { chainId, mint }: { readonly chainId: string; readonly mint: string },
  wire: string,
  payTo: string
): Effect.fn.Return<SignedTransfer | NotPlain> {
  const transaction = decoded(wire)
  const message = transaction === undefined ? undefined : messageOf(transaction)
  if (transaction === undefined || message === undefined) return unreadable
  const content = contentOf(partsOf(message))
  if (content._tag === "not_plain") return content
  const { memo, priority, transfer, units } = content
  const signers = signersOf(message, transfer.authority)
  if ("_tag" in signers) return signers
  const { feePayer } = signers
  const { authority } = transfer
  if (transfer.mint !== mint) return no("mint_mismatch", "The transfer is of another token.")
  if (
    transfer.source !== tokenAccountOf(authority, mint) ||
    transfer.destination !== tokenAccountOf(payTo, mint) ||
    authority === payTo
  ) {
    return no("recipient_mismatch", "The transfer is from or to another account.")
  }
  const signatures: Readonly<Record<string, ReadonlyUint8Array | null>> = transaction.signatures
  const signature = signatures[authority]
  if (signatures[feePayer] !== null || signature === null || signature === undefined) {
    return no("signature_invalid", "The payer must have signed, and the relayer not yet.")
  }
  if (!isSignedBy(authority, transaction.messageBytes, signature)) {
    return no("signature_invalid", "The payer's signature is invalid.")
  }
  return {
    act: "transfer",
    chainId,
    token: keyOf(chainId, mint),
    from: keyOf(chainId, authority),
    to: keyOf(chainId, payTo),
    amountMicro: Usdc.make(transfer.units),
    nonce: hashOf(transaction.messageBytes),
    signature: Base58.encode(Uint8Array.from(signature)),
    wire,
    feePayer: keyOf(chainId, feePayer),
    blockhash: message.lifetimeToken,
    units,
    priority,
    memo
  }
})
