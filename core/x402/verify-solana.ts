/**
 * Tries a payer's own transaction on Solana before anything is stored or signed for it: the offer is ours, the memo is
 * the one asked for, and the relayer is asked for no more than a bounded fee.
 */
import { Effect } from "effect"
import { SolanaRelay } from "../solana/relay.ts"
import type { SignedTransfer } from "../solana/signed-transfer.ts"
import { type Accepted, isOffer, notOffered, PaymentRefused, type Terms, wrong } from "./offer.ts"
import { reasonOf } from "./reason.ts"

/** A transfer and a memo use less than half of it. */
const maxUnits = 200_000

const refused = (reason: string, message: string) =>
  Effect.fail(new PaymentRefused({ reason: `invalid_exact_svm_${reason}`, message }))

/** What an offer on Solana names beside its terms. */
export const extraOf = ({ chainId, memo }: Terms) =>
  Effect.map(
    SolanaRelay.use(({ relayerAddress }) => relayerAddress(chainId)),
    (feePayer): Readonly<Record<string, string>> => ({
      feePayer,
      ...(memo === undefined ? {} : { memo })
    })
  )

const matches = Effect.fnUntraced(function* (
  signed: SignedTransfer,
  accepted: Accepted,
  terms: Terms
) {
  const { amountMicro, chainId, feePayer, memo, to, token } = signed
  if (chainId !== terms.chainId) return yield* wrong("invalid_network", terms)
  if (amountMicro !== terms.amountMicro) {
    return yield* wrong("invalid_exact_svm_payload_amount_mismatch", terms)
  }
  const extra = yield* extraOf(terms)
  if (!isOffer(accepted, terms, extra)) return yield* notOffered
  if (token !== terms.token) return yield* wrong("invalid_exact_svm_payload_mint_mismatch", terms)
  if (to !== terms.payTo) return yield* wrong("invalid_exact_svm_payload_recipient_mismatch", terms)
  if (feePayer !== extra.feePayer) {
    const message = "The transaction names another fee payer than the offer."
    return yield* refused("fee_payer_not_managed_by_facilitator", message)
  }
  if (terms.memo !== undefined && memo !== terms.memo) {
    return yield* refused("payload_memo_mismatch", "The memo must be the one that the offer names.")
  }
})

const isBounded = Effect.fnUntraced(function* ({ chainId, priority, units }: SignedTransfer) {
  const { maxPriority } = yield* SolanaRelay.use(({ conditions }) => conditions(chainId))
  const instruction = "payload_transaction_instructions_compute"
  if (units > maxUnits) {
    const message = `The limit of compute units must be ${maxUnits} at most.`
    return yield* refused(`${instruction}_limit_instruction_too_high`, message)
  }
  if (priority > maxPriority) {
    const message = `The price of a compute unit must be ${maxPriority} at most, the operator's limit.`
    return yield* refused(`${instruction}_price_instruction_too_high`, message)
  }
})

export const verifyTransaction = Effect.fnUntraced(function* (
  signed: SignedTransfer,
  accepted: Accepted,
  terms: Terms
) {
  yield* matches(signed, accepted, terms)
  yield* isBounded(signed)
  const trial = yield* SolanaRelay.use(({ trySigned }) => trySigned(signed))
  switch (trial._tag) {
    case "ok":
      return
    case "landed":
      return yield* new PaymentRefused({
        reason: "duplicate_settlement",
        message: "A block has this transaction already; sign a new one."
      })
    case "expired":
      return yield* refused(
        "transaction_simulation_failed",
        "The block that the transaction names is too old or unknown; sign again."
      )
    case "would_fail":
      return yield* new PaymentRefused({
        reason: reasonOf(trial.reason),
        message: `The chain would reject it: ${trial.reason}`
      })
  }
})
