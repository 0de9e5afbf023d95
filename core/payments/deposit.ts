/** Deposits: money that came to a vault and counts for no request, listed until the merchant resolves it. */
import { Effect, Schema } from "effect"
import * as Text from "../encoding/text.ts"
import * as Usdc from "../money/usdc.ts"
import * as Page from "../operation/page.ts"
import * as Instant from "../time/timestamp.ts"
import { Refunds } from "./refund-ledger.ts"
import * as RefundShare from "./refund-share.ts"
import { DepositIssue } from "./status.ts"
import { Resolution, type Transfer } from "./transfer.ts"
import { Transfers } from "./transfer-store.ts"

export const Deposit = Schema.Struct({
  depositId: Schema.String,
  vaultId: Schema.String,
  chainId: Schema.String,
  txHash: Schema.String,
  logIndex: Schema.Int,
  amountSmallestUnit: Usdc.SmallestUnits,
  payerAddress: Schema.String,
  settlementIssue: DepositIssue,
  candidatePids: Schema.Array(Schema.String),
  status: Schema.Literals(["open", "resolved"]),
  resolution: Schema.NullOr(Resolution),
  ...RefundShare.fields,
  seenAt: Instant.Shown
})

export const view = (
  transfer: Transfer,
  shares: ReadonlyArray<RefundShare.Share>
): typeof Deposit.Type => ({
  ...transfer,
  ...RefundShare.shown(shares.filter(({ transferId }) => transferId === transfer.id)),
  depositId: transfer.id,
  amountSmallestUnit: transfer.amountMicro,
  status: transfer.resolution === null ? "open" : "resolved"
})

export const listDeposits = Page.list("list_deposits", {
  summary:
    "Lists payments to vaults that are credited to no request: ambiguous, late, too small, duplicate or unsolicited.",
  next: "candidatePids lists the requests it may belong to; resolve_deposit assigns it.",
  scope: "payment_requests:read",
  key: "deposits",
  fields: Deposit.fields,
  input: {
    vaultId: Schema.optionalKey(Text.Line(64)),
    status: Schema.optionalKey(Schema.Literals(["open", "resolved"]))
  },
  page: ({ accountId, filter, request }) =>
    Transfers.use(({ deposits }) => deposits(accountId, filter, request)),
  views: Effect.fnUntraced(function* (rows: ReadonlyArray<Transfer>) {
    const shares = yield* (yield* Refunds).ofTransfers(rows.map(({ id }) => id))
    return rows.map((each) => view(each, shares))
  })
})
