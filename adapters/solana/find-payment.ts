/**
 * What became of a payment, by its mark alone: whether it is made, by which transaction, and whom that paid. A mark
 * that was reclaimed is still found by its history.
 */

import { getBase58Encoder } from "@solana/kit"
import { SYSTEM_PROGRAM_ADDRESS } from "@solana-program/system"
import { TOKEN_PROGRAM_ADDRESS } from "@solana-program/token"
import { Effect, Predicate } from "effect"
import { AddressKey, TransactionId } from "../../core/chains/address.ts"
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import type { FoundPayment, KnownPayment, MadePayment } from "../../core/submissions/submitter.ts"
import { ask, askEach, at, type Call } from "./ask.ts"
import { burntBy } from "./cctp/burn.ts"
import { messengerProgram } from "./cctp/places.ts"
import * as Mark from "./mark.ts"
import { type Node, unavailable } from "./node.ts"
import { formOf, routerPrograms } from "./route-data.ts"
import type { RpcFailed } from "./rpc.ts"

const pageLimit = 1000

export const askMark = (
  mark: string,
  commitment: "confirmed" | "finalized",
  minContextSlot?: number
): Call => ({
  method: "getAccountInfo",
  params: [
    mark,
    {
      commitment,
      encoding: "base64",
      ...(minContextSlot === undefined ? {} : { minContextSlot })
    }
  ]
})

/** With a slot, of final blocks alone, by a node that has that slot as a final one. */
export const askHistory = (mark: string, before?: Listed, through?: number): Call => {
  // A node that has not seen what the page before ended with would list nothing, as if that were the end.
  const seen = [before?.slot ?? [], through ?? []].flat()
  return {
    method: "getSignaturesForAddress",
    params: [
      mark,
      {
        commitment: through === undefined ? "confirmed" : "finalized",
        limit: pageLimit,
        ...(before === undefined ? {} : { before: before.signature }),
        ...(seen.length === 0 ? {} : { minContextSlot: Math.max(...seen) })
      }
    ]
  }
}

interface Listed {
  readonly signature: string
  readonly slot: number
  /** Unix seconds; null when the node has forgotten it. */
  readonly blockTime: number | null
  readonly isFinal: boolean
  readonly isFailed: boolean
}

const secondsOf = (time: unknown): number | null => {
  const seconds = Number(time ?? Number.NaN)
  return Number.isSafeInteger(seconds) ? seconds : null
}

const listed = (answer: unknown): ReadonlyArray<Listed> =>
  (Array.isArray(answer) ? answer : []).map((entry: unknown) => ({
    signature: String(at(entry, "signature")),
    slot: Number(at(entry, "slot")),
    blockTime: secondsOf(at(entry, "blockTime")),
    isFinal: at(entry, "confirmationStatus") === "finalized",
    isFailed: (at(entry, "err") ?? null) !== null
  }))

/** Everything that ever named the mark, oldest first. Anybody may name it once it is known. */
export const history = Effect.fnUntraced(function* (
  node: Node,
  mark: string,
  firstPage: unknown,
  through?: number
) {
  const all = [...listed(firstPage)]
  let size = all.length
  while (size === pageLimit) {
    const [page] = yield* ask(node, [askHistory(mark, all.at(-1), through)])
    const more = listed(page)
    all.push(...more)
    size = more.length
  }
  return all.filter(({ isFailed }) => !isFailed).toReversed()
})

interface Instruction {
  readonly program: string
  readonly accounts: ReadonlyArray<string>
  readonly data: Uint8Array
}

const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const keysOf = (transaction: unknown): ReadonlyArray<string> =>
  [
    ...list(at(transaction, "transaction", "message", "accountKeys")),
    ...list(at(transaction, "meta", "loadedAddresses", "writable")),
    ...list(at(transaction, "meta", "loadedAddresses", "readonly"))
  ].map(String)

export const instructionsOf = (transaction: unknown): ReadonlyArray<Instruction> => {
  const keys = keysOf(transaction)
  return list(at(transaction, "transaction", "message", "instructions")).map((instruction) => ({
    program: keys[Number(at(instruction, "programIdIndex"))] ?? "",
    accounts: list(at(instruction, "accounts")).map((place) => keys[Number(place)] ?? ""),
    data: Uint8Array.from(getBase58Encoder().encode(String(at(instruction, "data"))))
  }))
}

const initializeNonce = 6
const transferChecked = 12

/** Whether it made the mark. */
export const makes = ({ accounts, data, program }: Instruction, mark: string): boolean =>
  program === SYSTEM_PROGRAM_ADDRESS && data[0] === initializeNonce && accounts[0] === mark

/** The change of a token account's balance in a transaction, and whose it is. */
export const changeOf = (transaction: unknown, account: string | undefined) => {
  const index = keysOf(transaction).indexOf(account ?? "")
  const told = (field: "preTokenBalances" | "postTokenBalances") =>
    list(at(transaction, "meta", field)).find((balance) => at(balance, "accountIndex") === index)
  const units = (balance: unknown) => BigInt(String(at(balance, "uiTokenAmount", "amount") ?? 0))
  const after = told("postTokenBalances")
  const [mint, owner] = [at(after, "mint"), at(after, "owner")]
  if (!Predicate.isString(mint) || !Predicate.isString(owner)) return undefined
  const change = units(after) - units(told("preTokenBalances"))
  return { mint: AddressKey.make(mint), owner: AddressKey.make(owner), change }
}

type Paid = Pick<FoundPayment, "paid" | "isBurn" | "bought" | "networkFee">

/** Whom a transfer of USDC paid. */
const transferredBy = (
  transaction: unknown,
  { accounts, data }: Instruction,
  { chain, usdc: mint }: Node["connection"]
): Paid => {
  const received = changeOf(transaction, accounts[2])
  if (received === undefined) return { paid: null }
  const token = { chainId: chain.id, address: mint }
  const amount = { token, units: Buffer.from(data).readBigUInt64LE(1) }
  return { paid: { to: received.owner, amount } }
}

/** What the network took for a transaction. */
const feeOf = (transaction: unknown): Pick<FoundPayment, "networkFee"> => {
  const fee = at(transaction, "meta", "fee")
  return Number.isSafeInteger(fee) ? { networkFee: BigInt(Number(fee)) } : {}
}

/** What its fee payer has less after it: the fee, and the rent that it lends. */
export const laidOutIn = (transaction: unknown): Pick<MadePayment, "laidOut"> => {
  const [before, after] = (["preBalances", "postBalances"] as const).map((field) =>
    at(transaction, "meta", field, 0)
  )
  const isTold = Number.isSafeInteger(before) && Number.isSafeInteger(after)
  const laidOut = isTold ? BigInt(Number(before)) - BigInt(Number(after)) : 0n
  return laidOut > 0n ? { laidOut } : {}
}

/** What a swap sold, and what its receiver got, by the balances around it. */
const swappedBy = (
  transaction: unknown,
  { accounts, data, program }: Instruction,
  { chain }: Node["connection"]
): Paid => {
  const form = formOf(program, data)
  if (form === undefined) return { paid: null }
  const other = form.otherDestination === null ? undefined : accounts[form.otherDestination]
  const destination = other === undefined || other === program ? accounts[form.destination] : other
  const sold = changeOf(transaction, accounts[form.source])
  const got = changeOf(transaction, destination)
  if (sold === undefined || got === undefined) return { paid: null }
  const of = (address: AddressKey, units: bigint) => ({
    token: { chainId: chain.id, address },
    units
  })
  return {
    paid: { to: got.owner, amount: of(sold.mint, -sold.change) },
    bought: of(got.mint, got.change),
    ...feeOf(transaction)
  }
}

/** Whom a transaction paid from the wallet, and with what; null when nobody. */
export const paidBy = (
  transaction: unknown,
  from: AddressKey,
  connection: Node["connection"]
): Paid => {
  const all = instructionsOf(transaction)
  const moving = all.find(
    ({ accounts, data, program }) =>
      program === TOKEN_PROGRAM_ADDRESS &&
      data[0] === transferChecked &&
      accounts[1] === connection.usdc &&
      accounts[3] === from
  )
  if (moving !== undefined) return transferredBy(transaction, moving, connection)
  const burnt = all.flatMap((each) => burntBy(each) ?? []).find(({ owner }) => owner === from)
  if (burnt !== undefined) {
    const token = { chainId: connection.chain.id, address: AddressKey.make(burnt.mint) }
    const to = AddressKey.make(messengerProgram)
    return { paid: { to, amount: { token, units: burnt.units } }, isBurn: true }
  }
  const routing = all.find(
    ({ accounts, program }) => routerPrograms.includes(program) && accounts.includes(from)
  )
  return routing === undefined ? { paid: null } : swappedBy(transaction, routing, connection)
}

export const askTransaction = (signature: string): Call => ({
  method: "getTransaction",
  params: [
    signature,
    { commitment: "confirmed", encoding: "json", maxSupportedTransactionVersion: 0 }
  ]
})

/** A transaction that nodes have listed; one that does not have it does not know what was paid. */
export const listedTransaction = (node: Node, signature: string) =>
  ask(node, [{ ...askTransaction(signature), mustExist: true }]).pipe(
    Effect.map(([transaction]) => transaction),
    Effect.mapError((failed) =>
      failed._tag === "RpcFailed" && failed.reason === "behind"
        ? unavailable(node, "inconsistent", `${signature} is listed, and no node tells it`)
        : failed
    )
  )

/** Whether a final block has it, by every node that is asked; a reclaimed mark was final long ago. */
const isFinal = Effect.fnUntraced(function* (
  node: Node,
  mark: string,
  by: Listed,
  isThere: boolean
) {
  if (!by.isFinal || !isThere) return by.isFinal
  const answers = yield* askEach(node, askMark(mark, "finalized", by.slot))
  return answers.every((account) => Mark.isMade(account))
})

export const findPayment = (
  node: Node,
  payment: KnownPayment
): Effect.Effect<FoundPayment | undefined, ChainUnavailable | RpcFailed> =>
  Effect.gen(function* () {
    const mark = yield* Mark.addressOf(payment)
    const [account, firstPage] = yield* ask(node, [askMark(mark, "confirmed"), askHistory(mark)])
    const isThere = Mark.isMade(account)
    for (const entry of yield* history(node, mark, firstPage)) {
      const transaction = yield* listedTransaction(node, entry.signature)
      if (!instructionsOf(transaction).some((each) => makes(each, mark))) continue
      return {
        txId: TransactionId.make(entry.signature),
        isFinal: yield* isFinal(node, mark, entry, isThere),
        ...paidBy(transaction, payment.from, node.connection)
      }
    }
    if (!isThere) return undefined
    return yield* unavailable(
      node,
      "inconsistent",
      `the mark ${mark} is made, and the node does not say by which transaction`
    )
  })
