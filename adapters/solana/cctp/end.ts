/**
 * A Solana chain as an end of the issuer's bridge. What is minted there lands in the wallet's one token account of USDC,
 * which has to be there first; that it arrived is told by the account that the transmitter makes for each nonce.
 */
import { Effect } from "effect"
import { keyOf, TransactionId } from "../../../core/chains/address.ts"
import type { Domain } from "../../../core/chains/cctp.ts"
import type { Journey, Standing } from "../../../core/ports/bridge.ts"
import type {
  BurningEnd,
  CctpEnd,
  HexBytes,
  MintingEnd,
  Origin
} from "../../../core/ports/cctp-ends.ts"
import type { ChainUnavailable } from "../../../core/ports/chains.ts"
import { callOf, deliveryOf } from "../../../core/solana/delivery.ts"
import { type Account, tokenIn } from "../account.ts"
import { ask, askEach, at } from "../ask.ts"
import { tokenAccountOf } from "../derived.ts"
import {
  askHistory,
  changeOf,
  history,
  instructionsOf,
  listedTransaction
} from "../find-payment.ts"
import * as LookupTable from "../lookup-table.ts"
import * as Node from "../node.ts"
import type { RpcFailed } from "../rpc.ts"
import * as Burning from "./burning.ts"
import * as Places from "./places.ts"

const frozenAt = 108
const frozen = 2

const isFrozen = ({ data }: Account): boolean => data[frozenAt] === frozen

type Check = readonly [holds: boolean, otherwise: string]

/** Why a mint would not pass now, by what the chain has in one slot. */
const closedToMint = Effect.fnUntraced(function* (
  node: Node.Node,
  { receiver, to, units }: Journey,
  { burnToken, chainId: fromChainId, domain, messenger }: Origin
) {
  const mint = node.connection.usdc
  const { cctpTable = "" } = node.connection
  const { accounts } = yield* Node.accounts(
    node,
    [
      tokenAccountOf(receiver, mint),
      Places.fixed.transmitter,
      Places.fixed.minter,
      Places.remoteMessengerOf(domain),
      Places.pairOf(domain, Places.bytesOf(burnToken)).address,
      Places.custodyOf(mint).address
    ],
    { commitment: "confirmed" }
  )
  const [receiving, transmitter, minter, remote, pair, custody] = accounts
  const tables = yield* LookupTable.read(node, [cctpTable])
  const where = to.chainId
  const held = custody === undefined ? undefined : tokenIn(custody)
  const isLinked =
    Places.remoteMessengerIn(remote) === messenger.toLowerCase() &&
    Places.pairedIn(pair) === Places.localTokenOf(mint).address
  const checks: ReadonlyArray<Check> = [
    [
      receiving !== undefined && tokenIn(receiving)?.owner === receiver,
      `The receiving wallet has no account for USDC on ${where} yet.`
    ],
    [
      receiving === undefined || !isFrozen(receiving),
      `The issuer has frozen the receiving wallet on ${where}.`
    ],
    [
      Places.isTransmitterPaused(transmitter) === false && Places.isMinterPaused(minter) === false,
      `The issuer has paused transfers to ${where}.`
    ],
    [isLinked, `The issuer takes no transfers from ${fromChainId} on ${where}.`],
    [
      held !== undefined && held.amount >= units,
      `The issuer may not mint so much on ${where} now.`
    ],
    [
      tables.has(cctpTable),
      `The lookup table that the operator named for ${where} is not there; tell the operator.`
    ]
  ]
  return checks.find(([holds]) => !holds)?.[1]
})

/** Whether a transaction handed the transmitter the message of this nonce. */
const brings = (transaction: unknown, usedNonce: string): boolean =>
  instructionsOf(transaction).some(
    ({ accounts, program }) => program === Places.transmitterProgram && accounts[4] === usedNonce
  )

/** Whether final blocks of every node that is asked have the nonce used. */
const isFinal = Effect.fnUntraced(function* (node: Node.Node, usedNonce: string, slot: number) {
  const answers = yield* askEach(node, {
    method: "getAccountInfo",
    params: [usedNonce, { commitment: "finalized", encoding: "base64", minContextSlot: slot }]
  })
  return answers.every((answer) => at(answer, "value", "owner") === Places.transmitterProgram)
})

const deliveredBy = Effect.fnUntraced(function* (
  node: Node.Node,
  { receiver }: Journey,
  nonce: HexBytes
) {
  const usedNonce = Places.usedNonceOf(Places.bytesOf(nonce))
  const account = tokenAccountOf(receiver, node.connection.usdc)
  const [firstPage] = yield* ask(node, [askHistory(usedNonce)])
  let other: Standing | undefined
  for (const entry of yield* history(node, usedNonce, firstPage)) {
    const transaction = yield* listedTransaction(node, entry.signature)
    const units = changeOf(transaction, account)?.change ?? 0n
    const isSure = entry.isFinal && (yield* isFinal(node, usedNonce, entry.slot))
    const txId = TransactionId.make(entry.signature)
    const delivered = { _tag: "delivered", txId, units, isFinal: isSure } as const
    if (brings(transaction, usedNonce)) return delivered
    // A program of somebody else's may have handed it over inside of its own transaction.
    if (units > 0n) other ??= delivered
  }
  if (other?._tag === "delivered") return other
  return yield* Node.unavailable(node, "inconsistent", "no transaction tells of a used nonce")
})

type On = <A>(
  asking: Effect.Effect<A, RpcFailed | ChainUnavailable>
) => Effect.Effect<A, ChainUnavailable>

const mintingOn = (node: Node.Node, on: On): MintingEnd => ({
  messenger: Places.keyHexOf(Places.messengerProgram),
  recipientOf: (receiver) => Places.keyHexOf(tokenAccountOf(receiver, node.connection.usdc)),
  closed: (journey, origin) => on(closedToMint(node, journey, origin)),
  callOf: (message, attestation) => callOf({ message, attestation }),
  messageIn: (call) => deliveryOf(call)?.message,
  isUsed: (nonce) =>
    on(
      Effect.map(
        Node.accounts(node, [Places.usedNonceOf(Places.bytesOf(nonce))], {
          commitment: "confirmed"
        }),
        ({ accounts }) => Places.isNonceUsed(accounts[0])
      )
    ),
  delivered: (journey, nonce) => on(deliveredBy(node, journey, nonce)),
  // The next slot would be the first to take it.
  hasRunOut: (expiresAtBlock) =>
    on(
      Effect.map(
        node.call("getSlot", [{ commitment: "confirmed" }]),
        (slot) => BigInt(Number(slot)) + 1n >= expiresAtBlock
      )
    )
})

const burningOn = (node: Node.Node, { number }: Pick<Domain, "number">, on: On): BurningEnd => ({
  messenger: Places.keyHexOf(Places.messengerProgram),
  burnToken: Places.keyHexOf(node.connection.usdc),
  minFee: (units) => on(Burning.minFee(node, units)),
  departure: Burning.departureOf,
  find: (burn) => on(Burning.find(node, burn)),
  sent: (burn, departed) => on(Burning.sent(node, number, burn, departed)),
  closed: (burn) => on(Burning.closed(node, burn))
})

/** Only what a lookup table makes fit into a transaction is burnt or minted there, so nothing is without one. */
export const endOf = (connection: Node.Connection, domain: Pick<Domain, "number">): CctpEnd => {
  const node = Node.make(connection)
  const on: On = (asking) => Effect.mapError(asking, (failed) => Node.translate(node, failed))
  return {
    chainId: connection.chain.id,
    token: keyOf(connection.chain.id, connection.usdc),
    burning: connection.cctpTable === undefined ? undefined : burningOn(node, domain, on),
    minting: connection.cctpTable === undefined ? undefined : mintingOn(node, on)
  }
}
