/**
 * A message on its way into a transaction: its accounts are read from the chain, it is tried as it is, and the relayer
 * signs. Nothing of it is the relayer's but the fee and what the programs keep of a message they took.
 */
import { Effect } from "effect"
import type { ChainUnavailable } from "../../../core/ports/chains.ts"
import type { Delivery } from "../../../core/solana/delivery.ts"
import type { Bid, Conditions, DeliveryTrial } from "../../../core/solana/relay.ts"
import { tokenIn } from "../account.ts"
import { ask, at } from "../ask.ts"
import { tokenAccountOf } from "../derived.ts"
import { failureOf } from "../failure.ts"
import * as LookupTable from "../lookup-table.ts"
import { triedUnits, withRoom } from "../network.ts"
import { accounts, type Node, unavailable } from "../node.ts"
import type { RelayerKey } from "../relayer-key.ts"
import type { RpcFailed } from "../rpc.ts"
import * as Transaction from "../transaction.ts"
import * as Places from "./places.ts"
import * as Receive from "./receive.ts"

/** What the transmitter keeps of a message that it took. */
const usedNonceBytes = 9
/** The most that the network takes in one piece. */
const packetBytes = 1232

const failing = (reason: string, isPassing = false): DeliveryTrial => ({
  _tag: "would_fail",
  reason,
  isPassing
})

const gone = "The account that it is for belongs to somebody else, or is closed for good."
const brought = "It was brought there already."
const noMessage = "It is no message."
const tableMissing =
  "The lookup table of the configuration does not make it fit into a transaction; the operator has to mend that."

const draftOf = Effect.fnUntraced(function* (
  node: Node,
  delivery: Delivery,
  { bid, conditions, relayer }: Pick<Receive.Draft, "bid" | "conditions" | "relayer">
) {
  const mint = node.connection.usdc
  const held = yield* accounts(node, [Places.fixed.messenger], { commitment: "confirmed" })
  const messenger = Places.messengerIn(held.accounts[0])
  if (messenger === undefined) {
    return yield* unavailable(node, "inconsistent", "the issuer's messenger is not there")
  }
  const { feeRecipient } = messenger
  const draft: Receive.Draft = { delivery, mint, feeRecipient, relayer, bid, conditions }
  return draft
})

const tablesOf = (node: Node) => {
  const { cctpTable } = node.connection
  return LookupTable.read(node, cctpTable === undefined ? [] : [cctpTable])
}

const compiledOf = Effect.fnUntraced(function* (
  node: Node,
  draft: Receive.Draft,
  told: Receive.Told
) {
  const compiled = Receive.compile(draft, told, yield* tablesOf(node))
  const { length } = Buffer.from(Transaction.wireOf(compiled), "base64")
  return length > packetBytes ? undefined : compiled
})

export const trial = (
  node: Node,
  delivery: Delivery,
  { conditions, relayer }: { readonly conditions: Conditions; readonly relayer: string }
): Effect.Effect<DeliveryTrial, ChainUnavailable | RpcFailed> =>
  Effect.gen(function* () {
    const told = Receive.read(delivery)
    if (told === undefined) return failing(noMessage)
    const asked = { commitment: "confirmed" } as const
    const read = yield* accounts(node, [told.usedNonce, told.recipient], asked)
    const [used, recipient] = read.accounts
    if (Places.isNonceUsed(used)) return failing(brought)
    const opensAccount = recipient === undefined || tokenIn(recipient) === undefined
    const own = tokenAccountOf(delivery.receiver, node.connection.usdc)
    if (opensAccount && told.recipient !== own) return failing(gone)
    const bid: Bid = { units: triedUnits, priority: 0n, opensAccount }
    const draft = yield* draftOf(node, delivery, { bid, conditions, relayer })
    const compiled = yield* compiledOf(node, draft, told)
    if (compiled === undefined) return failing(tableMissing, true)
    const config = {
      ...asked,
      encoding: "base64",
      sigVerify: false,
      replaceRecentBlockhash: true
    }
    const [answer, rent] = yield* ask(node, [
      { method: "simulateTransaction", params: [Transaction.wireOf(compiled), config] },
      { method: "getMinimumBalanceForRentExemption", params: [usedNonceBytes] }
    ])
    const error = at(answer, "value", "err") ?? null
    if (error === null) {
      const units = withRoom(Number(at(answer, "value", "unitsConsumed")))
      return { _tag: "would_deliver", units, opensAccount, rentLamports: BigInt(Number(rent)) }
    }
    const failure = failureOf(
      error,
      Receive.instructions(draft, told).map(({ part }) => part)
    )
    if (failure._tag === "told" || failure._tag === "passing") {
      return failing(failure.reason, failure._tag === "passing")
    }
    return yield* unavailable(node, "inconsistent", "a trial of a delivery failed")
  })

/** Signs as the relayer; a message that is none dies, since none was ever tried. */
export const sign = Effect.fnUntraced(function* (
  node: Node,
  delivery: Delivery,
  {
    bid,
    conditions,
    relayer
  }: {
    readonly bid: Bid
    readonly conditions: Conditions
    readonly relayer: RelayerKey
  }
) {
  const told = Receive.read(delivery)
  if (told === undefined) return yield* Effect.die(new Error(noMessage))
  const payer = yield* relayer.address
  const draft = yield* draftOf(node, delivery, { bid, conditions, relayer: payer })
  const compiled = yield* compiledOf(node, draft, told)
  if (compiled === undefined) return yield* unavailable(node, "inconsistent", tableMissing)
  const signature = yield* relayer.sign(Uint8Array.from(compiled.messageBytes))
  return Transaction.signed(compiled, { [payer]: signature })
})
