/** The methods of the local Solana that take transactions, and that tell what became of them. */
import {
  type Address,
  getBase58Encoder,
  getBase64Decoder,
  getBase64Encoder,
  type MaybeEncodedAccount
} from "@solana/kit"
import { feeOf } from "./fee.ts"
import { addressIn, asOf, type Config, type Front, heard, inContext, shown } from "./front.ts"
import { handOver, refusal } from "./landing.ts"
import { accountAt, commitmentOf, type Entry, slotAt } from "./ledger.ts"
import { invalidParams, preflight, RpcError } from "./rpc-error.ts"
import { type Decoded, decode, to58 } from "./transaction.ts"

const maxBytes = 1232
const maxSignatures = 1000
/** Slots for which a node knows a status without searching its history. */
const statusCacheSlots = 150n

const bytesOf = (text: string, encoding = "base58"): Uint8Array =>
  Uint8Array.from((encoding === "base64" ? getBase64Encoder() : getBase58Encoder()).encode(text))

const decoded = ({ ledger }: Front, raw: Uint8Array): Decoded => {
  if (raw.length > maxBytes) {
    throw invalidParams(
      `base64 encoded solana_transaction::versioned::VersionedTransaction too large: ${raw.length} bytes (max: encoded/raw 1644/${maxBytes})`
    )
  }
  try {
    return decode(ledger.svm, raw)
  } catch {
    throw invalidParams("failed to deserialize solana_transaction::versioned::VersionedTransaction")
  }
}

interface SimulateConfig extends Config {
  readonly sigVerify?: boolean
  readonly replaceRecentBlockhash?: boolean
  readonly accounts?: { readonly addresses: ReadonlyArray<string>; readonly encoding?: string }
}

const simulated = (front: Front, one: Decoded, isVerified: boolean) => {
  const { runtime, svm } = front.ledger
  svm.withSigverify(isVerified)
  try {
    const result = svm.simulateTransaction(one.transaction)
    const meta = result.meta()
    const err = runtime.isFailed(result) ? runtime.errorOf(result) : null
    const after = runtime.isFailed(result) ? [] : result.postAccounts()
    return { err, logs: meta.logs(), unitsConsumed: meta.computeUnitsConsumed(), after }
  } finally {
    svm.withSigverify(true)
  }
}

const simulate = (front: Front, text: string, config: SimulateConfig = {}) => {
  const one = decoded(front, bytesOf(text, config.encoding))
  const slot = asOf(front, { ...config, commitment: "processed" })
  const isReplaced = config.replaceRecentBlockhash === true
  const refused = isReplaced ? undefined : refusal(front.ledger, one)
  if (refused !== undefined) {
    const nothing = { logs: [], accounts: null, unitsConsumed: 0n, returnData: null }
    return inContext(slot, { err: refused, ...nothing })
  }
  const { after, ...outcome } = simulated(front, one, config.sigVerify === true)
  const accountAfter = (address: Address): MaybeEncodedAccount => {
    const changed = after.find((account) => account.address === address)
    return changed === undefined
      ? accountAt(front.ledger, address, slot)
      : { ...changed, data: Uint8Array.from(changed.data), exists: true }
  }
  const accounts =
    config.accounts?.addresses.map((address) =>
      shown(front, accountAfter(addressIn(address)), config.accounts?.encoding)
    ) ?? null
  return inContext(slot, { ...outcome, accounts, returnData: null })
}

interface SendConfig extends Config {
  readonly skipPreflight?: boolean
}

const send = (front: Front, text: string, config: SendConfig = {}) => {
  const { ledger } = front
  const one = decoded(front, bytesOf(text, config.encoding))
  asOf(front, { ...config, commitment: "processed" })
  const isTried = config.skipPreflight !== true
  const refused = refusal(ledger, one)
  if (refused !== undefined) {
    if (isTried) throw preflight(refused)
    return one.signature
  }
  if (isTried) {
    const { err, logs, unitsConsumed } = simulated(front, one, true)
    if (err !== null) throw preflight(err, logs, unitsConsumed)
  }
  handOver(ledger, one.raw, Date.now())
  return one.signature
}

const memoPrograms: ReadonlyArray<string | undefined> = [
  "Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo",
  "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"
]

const memoIn = ({ instructions, keys }: Entry): string | null => {
  const memos = instructions
    .filter(({ programAddressIndex }) => memoPrograms.includes(keys[programAddressIndex]))
    .map(
      ({ data = new Uint8Array() }) =>
        `[${data.length}] ${new TextDecoder().decode(Uint8Array.from(data))}`
    )
  return memos.length === 0 ? null : memos.join("; ")
}

/** The message in the encoding `json`. */
const messageOf = ({ header, instructions, lifetime, named, transaction }: Entry) => ({
  signatures: Object.values(transaction.signatures).map((bytes) =>
    to58(bytes ?? new Uint8Array(64))
  ),
  message: {
    header: {
      numRequiredSignatures: header.numSignerAccounts,
      numReadonlySignedAccounts: header.numReadonlySignerAccounts,
      numReadonlyUnsignedAccounts: header.numReadonlyNonSignerAccounts
    },
    accountKeys: named,
    recentBlockhash: lifetime,
    instructions: instructions.map(({ accountIndices = [], data, programAddressIndex }) => ({
      programIdIndex: programAddressIndex,
      accounts: accountIndices,
      data: data === undefined ? "" : to58(data),
      stackHeight: null
    }))
  }
})

interface TransactionConfig extends Config {
  readonly maxSupportedTransactionVersion?: number
}

const transaction = (front: Front, signature: string, config: TransactionConfig = {}) => {
  const entry = heard(front, signature)
  if (entry === undefined || entry.slot > asOf(front, config)) return null
  if (entry.version !== "legacy" && config.maxSupportedTransactionVersion === undefined) {
    throw new RpcError(
      -32015,
      'Transaction version (0) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": 0'
    )
  }
  const { encoding = "json" } = config
  if (encoding === "jsonParsed") throw invalidParams("jsonParsed transactions are not told here")
  const told =
    encoding === "base64"
      ? [getBase64Decoder().decode(entry.raw), "base64"]
      : encoding === "base58"
        ? [to58(entry.raw), "base58"]
        : messageOf(entry)
  const { blockTime, meta, slot, version } = entry
  return { slot, blockTime, meta, transaction: told, version }
}

interface HistoryConfig extends Config {
  readonly before?: string
  readonly until?: string
  readonly limit?: number
}

/** Newest first. As on real nodes, a signature in `before` or `until` that is not known changes nothing. */
const signatures = (front: Front, address: string, config: HistoryConfig = {}) => {
  const newest = asOf(front, config)
  const { history, entries } = front.ledger
  const all = (history.get(addressIn(address)) ?? []).toReversed()
  const before = config.before === undefined ? -1 : all.indexOf(config.before)
  const until = config.until === undefined ? -1 : all.indexOf(config.until)
  return all
    .slice(before + 1, until < 0 ? all.length : until)
    .flatMap((signature) => entries.get(signature) ?? [])
    .filter(({ slot }) => slot <= newest && slot >= front.ledger.historyFrom)
    .slice(0, Number(config.limit ?? maxSignatures))
    .map((entry) => ({
      signature: entry.signature,
      slot: entry.slot,
      err: entry.err,
      blockTime: entry.blockTime,
      confirmationStatus: commitmentOf(front.ledger, entry.slot, front.behind),
      memo: memoIn(entry)
    }))
}

/** Blocks are kept for a while only; the time of an older one is that of the first transaction since. */
const timeOf = ({ ledger }: Front, slot: bigint): bigint | null =>
  ledger.blocks.find((block) => block.slot === slot)?.time ??
  [...ledger.entries.values()].find((entry) => entry.slot >= slot)?.blockTime ??
  null

const statuses = (
  front: Front,
  wanted: ReadonlyArray<string>,
  { searchTransactionHistory = false }: { readonly searchTransactionHistory?: boolean } = {}
) => {
  const { ledger } = front
  const now = slotAt(ledger, "processed", front.behind)
  const value = wanted.map((signature) => {
    const entry = heard(front, signature)
    if (entry === undefined) return null
    if (!searchTransactionHistory && now - entry.slot > statusCacheSlots) return null
    const confirmationStatus = commitmentOf(ledger, entry.slot, front.behind)
    const confirmations = confirmationStatus === "finalized" ? null : now - entry.slot
    const { err, meta, slot } = entry
    return { slot, confirmations, err, status: meta.status, confirmationStatus }
  })
  return inContext(now, value)
}

export const transactionMethods = (front: Front) => ({
  sendTransaction: (text: string, config?: SendConfig) => send(front, text, config),
  simulateTransaction: (text: string, config?: SimulateConfig) => simulate(front, text, config),
  getTransaction: (signature: string, config?: TransactionConfig) =>
    transaction(front, signature, config),
  getSignaturesForAddress: (address: string, config?: HistoryConfig) =>
    signatures(front, address, config),
  // All transactions are kept: before the first of them the chain was empty, and a node that has all says 0.
  getFirstAvailableBlock: () => front.ledger.historyFrom,
  getBlockTime: (slot: number) => timeOf(front, BigInt(slot)),
  getSignatureStatuses: (
    wanted: ReadonlyArray<string>,
    config?: { readonly searchTransactionHistory?: boolean }
  ) => statuses(front, wanted, config),
  getFeeForMessage: (message: string, config?: Config) => {
    const unsigned = Uint8Array.from([0, ...getBase64Encoder().encode(message)])
    return inContext(asOf(front, config), feeOf(decode(front.ledger.svm, unsigned)))
  }
})
