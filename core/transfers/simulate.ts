/** Says whether a transfer would pass now, rule by rule, and when it would at the earliest. Changes nothing. */
import { DateTime, Effect, Schema } from "effect"
import { Keys } from "../accounts/account-store.ts"
import { isPaused } from "../accounts/pause.ts"
import { Cosigners } from "../cosigners/cosigner-store.ts"
import { requiredFor } from "../cosigners/rules.ts"
import { Id } from "../encoding/id.ts"
import type { Usd } from "../money/usd.ts"
import * as Usdc from "../money/usdc.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { InvalidAmount, NotFound } from "../operation/refusal.ts"
import * as Amount from "../policy/amount.ts"
import { evaluate, resets, type Verdict, windowsAt } from "../policy/limits.ts"
import { revisionOf } from "../policy/revision.ts"
import { Spending } from "../policy/spending-ledger.ts"
import { tightest, verdictsFor, verdictView } from "../proposals/key-bounds.ts"
import { find } from "../recipients/find.ts"
import * as Recipient from "../recipients/recipient.ts"
import * as Timestamp from "../time/timestamp.ts"
import { Wallets } from "../wallets/wallet-store.ts"
import { refundRule } from "./refund.ts"

const Rule = Schema.Struct({
  rule: Schema.Literals([
    "account_running",
    "recipient_approved",
    "hard_cap",
    "per_transfer",
    "daily",
    "monthly",
    "key_wallets",
    "key_recipients",
    "key_daily",
    "daily_trade",
    "refund_left"
  ]),
  passes: Schema.Boolean,
  capUsd: Schema.NullOr(Schema.String),
  usedUsd: Schema.NullOr(Schema.String),
  headroomUsd: Schema.NullOr(Schema.String)
})

/** The earliest instant every rule that only time can mend would pass; none when time mends nothing. */
const earliest = (
  recipient: Recipient.Recipient,
  verdicts: ReadonlyArray<Verdict>,
  now: DateTime.Utc,
  amountMicro: Usd
): DateTime.Utc | null => {
  const next = resets(now)
  const waits = [recipient.status === "pending" ? recipient.cooldownEndsAt : now]
  for (const { rule, passes, capMicro } of verdicts) {
    if (passes) continue
    if (rule === "hard_cap" || rule === "per_transfer" || amountMicro > capMicro) return null
    waits.push(rule === "monthly" ? next.month : next.day)
  }
  return recipient.status === "revoked" ? null : waits.reduce((a, b) => DateTime.max(a, b))
}

const requireWallet = Effect.fnUntraced(function* (accountId: string, walletId: string) {
  if ((yield* (yield* Wallets).find(accountId, walletId)) !== undefined) return
  return yield* new NotFound({
    param: "fromWalletId",
    message: "This account has no wallet with this id; see list_wallets.",
    next: { operation: "list_wallets", args: {} }
  })
})

/** A wallet the key may send from: the one that is named, or any on the recipient's chain. */
const maySendFrom = Effect.fnUntraced(function* (
  walletIds: ReadonlyArray<string>,
  { accountId, chainId }: Recipient.Recipient,
  fromWalletId: string | undefined
) {
  if (fromWalletId !== undefined) return walletIds.includes(fromWalletId)
  const wallets = yield* Wallets
  const found = yield* Effect.forEach(walletIds, (id) => wallets.find(accountId, id))
  return found.some((wallet) => wallet?.chainId === chainId)
})

/** What the caveats of the caller's key say; a key without any adds no rule. */
const keyRules = Effect.fnUntraced(function* (
  recipient: Recipient.Recipient,
  amountMicro: Usd,
  fromWalletId: string | undefined
) {
  const { accountId, keyId } = yield* Caller
  const key = yield* (yield* Keys).find(accountId, keyId)
  if (key === undefined) return { fixed: [], cap: [] }
  const { recipientIds, walletIds } = key
  const tight = recipient.isOwn ? undefined : tightest(yield* verdictsFor([key], amountMicro))
  return {
    fixed: [
      ...(walletIds === null
        ? []
        : [
            {
              rule: "key_wallets" as const,
              passes: yield* maySendFrom(walletIds, recipient, fromWalletId)
            }
          ]),
      ...(recipientIds === null
        ? []
        : [{ rule: "key_recipients" as const, passes: recipientIds.includes(recipient.id) }])
    ],
    cap: tight === undefined ? [] : [tight]
  }
})

export const simulateTransfer = Operation.make("simulate_transfer", {
  summary:
    "Checks a transfer without proposing it: each rule with its result and headroom, and the required approvals.",
  next: "If it is allowed, call propose_transfer; if not, wait until earliestAt or send less.",
  scope: "account:read",
  input: {
    recipientId: Recipient.RecipientId,
    amountUsdc: Amount.AmountUsdc,
    fromWalletId: Schema.optionalKey(
      Id("The sending wallet, for keys that are restricted to some wallets.")
    ),
    depositId: Schema.optionalKey(Id("Checks it as a refund of this deposit.")),
    paymentRequestId: Schema.optionalKey(Id("Checks it as a refund of this payment request."))
  },
  output: {
    allowed: Schema.Boolean,
    rules: Schema.Array(Rule),
    approvalsNeeded: Schema.Array(Schema.Literals(["passkey", "cosigners"])).annotate({
      description: "The approvals it needs after it is confirmed."
    }),
    cosignersRequired: Schema.Int.annotate({
      description: "Number of co-signers that must approve it; 0 if none."
    }),
    earliestAt: Schema.NullOr(Timestamp.Encoded),
    policyRevision: Schema.Int
  },
  refusals: [NotFound, InvalidAmount],
  example: {
    input: { recipientId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d", amountUsdc: "12.50" }
  },
  handle: Effect.fnUntraced(function* ({ recipientId, amountUsdc, fromWalletId, ...refunded }) {
    const { accountId, kind } = yield* Caller
    const amountMicro = yield* Amount.read(amountUsdc)
    const worth = Usdc.toUsd(amountMicro)
    const recipient = yield* find(recipientId)
    const now = yield* DateTime.now
    const limits = yield* revisionOf(accountId)
    const used = yield* (yield* Spending).used(accountId, windowsAt(now))
    if (fromWalletId !== undefined) yield* requireWallet(accountId, fromWalletId)
    const key = yield* keyRules(recipient, worth, fromWalletId)
    const refund = yield* refundRule(recipient, amountMicro, refunded)
    const verdicts = [...(recipient.isOwn ? [] : evaluate(limits, used, worth)), ...key.cap]
    const approved = Recipient.isApproved(recipient, now)
    const none = { capUsd: null, usedUsd: null, headroomUsd: null }
    const rules = (yield* (yield* Cosigners).rules(accountId))?.rules ?? []
    const cosignersRequired = requiredFor(rules, "send", worth)
    const running = !(yield* isPaused(accountId))
    const suits = [...key.fixed, ...refund].every(({ passes }) => passes)
    const allowed = running && approved && suits && verdicts.every((verdict) => verdict.passes)
    return {
      allowed,
      rules: [
        { rule: "account_running" as const, passes: running, ...none },
        { rule: "recipient_approved" as const, passes: approved, ...none },
        ...verdicts.map(verdictView),
        ...key.fixed.map((rule) => ({ ...rule, ...none })),
        ...refund
      ],
      approvalsNeeded: [
        ...(kind === "developer" ? (["passkey"] as const) : []),
        ...(cosignersRequired > 0 ? (["cosigners"] as const) : [])
      ],
      cosignersRequired,
      // No clock tells when a pause ends, and none mends a key or brings money in.
      earliestAt: allowed
        ? now
        : running && suits
          ? earliest(recipient, verdicts, now, worth)
          : null,
      policyRevision: limits.number
    }
  })
})
