/**
 * A burn on its way to a signature, and where the chain has it: it is tried as it is, checked byte by byte, and known by
 * its mark. The message that the attesters sign follows from the instruction that burnt.
 */
import { Effect } from "effect"
import { AddressKey, type TransactionId } from "../../../core/chains/address.ts"
import type { Departure } from "../../../core/ports/bridge.ts"
import type * as Ends from "../../../core/ports/cctp-ends.ts"
import type { ChainUnavailable } from "../../../core/ports/chains.ts"
import { type Burn, callOf } from "../../../core/solana/burn.ts"
import type { Bid, BurnTrial, Conditions } from "../../../core/solana/relay.ts"
import { tokenIn } from "../account.ts"
import { ask, at } from "../ask.ts"
import { tokenAccountOf } from "../derived.ts"
import { failureOf, tooLittle } from "../failure.ts"
import { askTransaction, findPayment, instructionsOf, listedTransaction } from "../find-payment.ts"
import * as LookupTable from "../lookup-table.ts"
import * as Mark from "../mark.ts"
import { triedUnits, withRoom } from "../network.ts"
import * as Node from "../node.ts"
import type { RpcFailed } from "../rpc.ts"
import { wireOf } from "../transaction.ts"
import * as Transaction from "./burn.ts"
import * as Check from "./burn-check.ts"
import * as Places from "./places.ts"

/** What the transmitter keeps of a message with a hook of ours until the rent is taken back. */
const messageAccountBytes = 8 + 32 + 8 + 4 + 148 + 228 + 32
const packetBytes = 1232

export interface Asked {
  readonly burn: Burn
  readonly relayer: string
  readonly conditions: Conditions
}

const tooLarge =
  "The lookup table of the configuration does not make the burn fit into a transaction; the operator has to mend that."

/** The message for a bid, if it is the burn and nothing else. */
export const judged = Effect.fnUntraced(function* (
  node: Node.Node,
  { burn, conditions, relayer }: Asked,
  bid: Bid
) {
  const key = yield* Transaction.eventKey(burn, conditions.blockhash)
  const mark = yield* Mark.addressOf(burn)
  const mint = node.connection.usdc
  const draft = { burn, mark, event: key.address, mint, relayer, bid, conditions }
  const { cctpTable } = node.connection
  const tables = yield* LookupTable.read(node, cctpTable === undefined ? [] : [cctpTable])
  const compiled = Transaction.compile(draft, tables)
  const violation = Check.violation(Uint8Array.from(compiled.messageBytes), draft, tables)
  return { draft, compiled, violation, key }
})

export const trial = (
  node: Node.Node,
  asked: Asked
): Effect.Effect<BurnTrial, ChainUnavailable | RpcFailed> =>
  Effect.gen(function* () {
    const failing = (reason: string): BurnTrial => ({ _tag: "would_fail", reason })
    const bid: Bid = { units: triedUnits, priority: 0n, opensAccount: false }
    const { compiled, draft, violation } = yield* judged(node, asked, bid)
    if (violation !== undefined) return failing(`The burn cannot be signed: ${violation}.`)
    const wire = wireOf(compiled)
    if (Buffer.from(wire, "base64").length > packetBytes) return failing(tooLarge)
    const source = tokenAccountOf(asked.burn.from, draft.mint)
    const confirmed = { commitment: "confirmed" } as const
    const held = yield* Node.accounts(node, [source], confirmed)
    if (held.accounts[0] === undefined) return failing(tooLittle)
    const config = {
      ...confirmed,
      encoding: "base64",
      sigVerify: false,
      replaceRecentBlockhash: true
    }
    const [answer, rent] = yield* ask(node, [
      { method: "simulateTransaction", params: [wire, config] },
      { method: "getMinimumBalanceForRentExemption", params: [messageAccountBytes] }
    ])
    const error = at(answer, "value", "err") ?? null
    if (error === null) {
      const units = withRoom(Number(at(answer, "value", "unitsConsumed")))
      return { _tag: "would_burn", units, rentLamports: BigInt(Number(rent)) }
    }
    const failure = failureOf(
      error,
      Transaction.instructions(draft).map(({ part }) => part)
    )
    if (failure._tag === "marked") return { _tag: "marked" }
    if (failure._tag === "told" || failure._tag === "passing") return failing(failure.reason)
    return yield* Node.unavailable(node, "inconsistent", `a trial failed: ${failure.detail}`)
  })

/** The call that lets it go; nobody but the terms says a byte of it. */
export const departureOf = ({
  domain,
  journey: { identity, units },
  maxFeeUnits,
  minFinality,
  recipient
}: Ends.Burn): Departure => ({
  spender: AddressKey.make(Places.messengerProgram),
  call: callOf({ domain, recipient, maxFeeUnits, minFinality, units, identity }),
  coinUnits: 0n
})

/** The burn of a journey in a transaction that was executed. */
const burntIn = (transaction: unknown, { journey }: Ends.Burn) =>
  (at(transaction, "meta", "err") ?? null) !== null
    ? undefined
    : instructionsOf(transaction)
        .flatMap((each) => Transaction.burntBy(each) ?? [])
        .find(({ identity, owner }) => identity === journey.identity && owner === journey.sender)

const isSame = (burnt: ReturnType<typeof burntIn>, burn: Ends.Burn): boolean =>
  burnt !== undefined &&
  burnt.units === burn.journey.units &&
  burnt.mint === burn.journey.from.token &&
  burnt.domain === burn.domain &&
  burnt.recipient === burn.recipient.toLowerCase() &&
  burnt.caller.every((byte) => byte === 0)

/** By the mark of its identity, which nothing else of the wallet makes. */
export const find = Effect.fnUntraced(function* (node: Node.Node, burn: Ends.Burn) {
  const { identity, sender } = burn.journey
  const chainId = node.connection.chain.id
  const found = yield* findPayment(node, { chainId, from: sender, identity })
  if (found === undefined) return undefined
  const transaction = yield* listedTransaction(node, found.txId)
  const { isFinal, txId } = found
  return { txId, isFinal, isSame: isSame(burntIn(transaction, burn), burn) }
})

const word = (value: number): Uint8Array => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const wide = (value: bigint): Uint8Array => Buffer.from(value.toString(16).padStart(64, "0"), "hex")
const none = new Uint8Array(32)
const version = 1

/** The message that the transmitter keeps of a burn, before the attesters fill in what is theirs. */
const messageOf = (
  burnt: NonNullable<ReturnType<typeof burntIn>>,
  domain: number,
  remote: Ends.HexBytes
): Ends.HexBytes =>
  Places.hexOf(
    Buffer.concat([
      word(version),
      word(domain),
      word(burnt.domain),
      none,
      Places.bytesOf(Places.keyHexOf(Places.messengerProgram)),
      Places.bytesOf(remote),
      burnt.caller,
      word(burnt.minFinality),
      word(0),
      word(version),
      Places.bytesOf(Places.keyHexOf(burnt.mint)),
      Places.bytesOf(burnt.recipient),
      wide(burnt.units),
      Places.bytesOf(Places.keyHexOf(burnt.owner)),
      wide(burnt.maxFeeUnits),
      none,
      none,
      Buffer.from(burnt.identity, "hex")
    ])
  )

export const sent = Effect.fnUntraced(function* (
  node: Node.Node,
  domain: number,
  burn: Ends.Burn,
  departed: TransactionId
) {
  const [transaction] = yield* ask(node, [askTransaction(departed)])
  if ((transaction ?? null) === null) return undefined
  const burnt = burntIn(transaction, burn)
  if (burnt === undefined || !isSame(burnt, burn)) return undefined
  const remote = Places.remoteMessengerOf(burn.domain)
  const { accounts } = yield* Node.accounts(node, [remote], { commitment: "confirmed" })
  const messenger = Places.remoteMessengerIn(accounts[0])
  if (messenger === undefined) {
    return yield* Node.unavailable(node, "inconsistent", "the messenger of the destination is gone")
  }
  const atSeconds = Number(at(transaction, "blockTime") ?? 0)
  return { message: messageOf(burnt, domain, messenger), atSeconds } satisfies Ends.Sent
})

const readMessenger = Effect.fnUntraced(function* (node: Node.Node) {
  const { accounts } = yield* Node.accounts(node, [Places.fixed.messenger], {
    commitment: "confirmed"
  })
  const messenger = Places.messengerIn(accounts[0])
  if (messenger !== undefined) return messenger
  return yield* Node.unavailable(node, "inconsistent", "the issuer's messenger is not there")
})

const parts = 10_000_000n

const minOf = (minFee: bigint, units: bigint): bigint => {
  if (minFee === 0n) return 0n
  const fee = (units * minFee) / parts
  return fee === 0n ? 1n : fee
}

/** The least fee that the chain lets a burn of so much offer. */
export const minFee = (node: Node.Node, units: bigint) =>
  Effect.map(readMessenger(node), ({ minFee }) => minOf(minFee, units))

const frozenAt = 108
const frozen = 2

/** Why a burn would not pass now, by what the chain has in one slot. */
export const closed = Effect.fnUntraced(function* (
  node: Node.Node,
  { domain, journey, maxFeeUnits }: Ends.Burn
) {
  const mint = node.connection.usdc
  const { accounts } = yield* Node.accounts(
    node,
    [
      tokenAccountOf(journey.sender, mint),
      Places.fixed.transmitter,
      Places.fixed.minter,
      Places.fixed.messenger,
      Places.localTokenOf(mint).address,
      Places.denylistEntryOf(journey.sender),
      Places.remoteMessengerOf(domain)
    ],
    { commitment: "confirmed" }
  )
  const [source, transmitter, minter, messenger, local, denied, remote] = accounts
  const where = journey.from.chainId
  const least = minOf(Places.messengerIn(messenger)?.minFee ?? parts, journey.units)
  const checks: ReadonlyArray<readonly [holds: boolean, otherwise: string]> = [
    [
      source === undefined || (tokenIn(source) !== undefined && source.data[frozenAt] !== frozen),
      `The issuer has frozen the sending wallet on ${where}.`
    ],
    [
      Places.isTransmitterPaused(transmitter) === false && Places.isMinterPaused(minter) === false,
      `The issuer has paused transfers from ${where}.`
    ],
    [denied === undefined, `The issuer lets the sending wallet burn nothing on ${where}.`],
    [
      (Places.burnLimitIn(local) ?? 0n) >= journey.units,
      `The amount is more than the issuer lets one transfer from ${where} burn.`
    ],
    [least <= maxFeeUnits, `The issuer asks for a higher fee on ${where} than was approved.`],
    [
      Places.remoteMessengerIn(remote) !== undefined,
      `The issuer takes no transfers from ${where} to ${journey.to.chainId}.`
    ]
  ]
  return checks.find(([holds]) => !holds)?.[1]
})
