/**
 * How a burn stands: read from the chain it left, from the attesters, and from the chain it goes to. The attesters'
 * message counts only where it says what the source chain says; that it arrived, only the destination says.
 */
import { Effect } from "effect"
import type { Hex } from "viem"
import type { TransactionId } from "../../../core/chains/address.ts"
import type { Domain } from "../../../core/chains/cctp.ts"
import { BridgeContradicted, type Standing } from "../../../core/ports/bridge.ts"
import type { Burn, BurningEnd, MintingEnd, Origin } from "../../../core/ports/cctp-ends.ts"
import { address } from "../contract.ts"
import type { Attestation, Attestations } from "./attestations.ts"
import * as Message from "./message.ts"

export interface Way {
  readonly from: Domain
  readonly to: Domain
  readonly burning: BurningEnd
  readonly minting: MintingEnd
  readonly origin: Origin
  readonly attestations: Attestations
}

const reasons: ReadonlyMap<string, string> = new Map([
  ["insufficient_fee", "The fee is too low for a fast transfer; it goes on at the usual pace."],
  [
    "amount_above_max",
    "The amount is too large for a fast transfer; it goes on at the usual pace."
  ],
  [
    "insufficient_allowance_available",
    "Too much is carried fast at the moment; it goes on at the usual pace."
  ]
])

const travelling = (reason: string | null): Standing => ({ _tag: "travelling", reason })

const notSeen = "The attestation service has not seen the burn yet."
const runOut = "The attestation ran out; a new one was asked for."

/** The attested message of this burn among those of its transaction. */
const attestedOf = (sent: Hex, attestations: ReadonlyArray<Attestation>) =>
  attestations.flatMap(({ signed }) => {
    const completed = signed === null ? undefined : Message.completedOf(sent, signed.message)
    return signed === null || completed === undefined ? [] : [{ ...signed, ...completed }]
  })[0]

export const standingOf = Effect.fnUntraced(function* (
  { attestations, burning, from, minting }: Way,
  burn: Burn,
  departed: TransactionId
) {
  const sent = yield* burning.sent(burn, departed)
  if (sent === undefined) return { _tag: "absent" } satisfies Standing as Standing
  const known = yield* attestations.messages(from.number, departed)
  if (known === undefined) return travelling(notSeen)
  const attested = attestedOf(address(sent.message), known)
  if (attested === undefined) {
    if (known.some(({ signed }) => signed !== null)) {
      const detail = "The attestation service attests another burn than the chain has."
      return yield* new BridgeContradicted({ detail })
    }
    const [delay = ""] = known.flatMap(({ delayReason }) => delayReason ?? [])
    return travelling(reasons.get(delay) ?? null)
  }
  const { attestation, expiresAtBlock, message, nonce } = attested
  if (yield* minting.isUsed(nonce)) {
    return yield* minting.delivered(burn.journey, nonce, sent.atSeconds)
  }
  if (expiresAtBlock > 0n && (yield* minting.hasRunOut(expiresAtBlock))) {
    yield* attestations.attestAnew(nonce)
    return travelling(runOut)
  }
  const call = minting.callOf(message, attestation)
  return { _tag: "deliverable", call } satisfies Standing
})
