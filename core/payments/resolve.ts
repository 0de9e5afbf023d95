/** Resolves a deposit: the merchant says what money stands for that no rule could match, and that stands. */
import { Effect, Schema } from "effect"
import { record } from "../audit/record.ts"
import * as Text from "../encoding/text.ts"
import { byScope } from "../operation/authority.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { InvalidRequest, NotFound } from "../operation/refusal.ts"
import { credit, DepositNotOpen } from "./credit-deposit.ts"
import { Deposit, view } from "./deposit.ts"
import { find } from "./find.ts"
import { Refunds } from "./refund-ledger.ts"
import type { PaymentRequest } from "./request.ts"
import { PaymentRequests } from "./request-store.ts"
import { Status } from "./status.ts"
import { lockRefunds, supersedeRefunds } from "./supersede-refunds.ts"
import { isDeposit, type Transfer } from "./transfer.ts"
import { Transfers } from "./transfer-store.ts"

const notFound = () =>
  new NotFound({
    param: "depositId",
    message: "No deposit of this account has this id; list_deposits shows them.",
    next: { operation: "list_deposits", args: {} }
  })

/** The deposit locked, final, and not yet resolved. */
const lockOpen = Effect.fnUntraced(function* (depositId: string) {
  const { accountId } = yield* Caller
  const transfer = yield* (yield* Transfers).lock(accountId, depositId)
  const wasDeposit = transfer !== undefined && (isDeposit(transfer) || transfer.resolution !== null)
  if (!wasDeposit) return yield* notFound()
  if (transfer.resolution === null && transfer.state === "final") return transfer
  return yield* new DepositNotOpen({
    param: "depositId",
    message:
      transfer.resolution === null
        ? "This money is not final on its chain yet; resolve it once it is."
        : transfer.resolution === "own_transfer"
          ? "This money came from a wallet of the account itself, so it pays for nothing."
          : `This deposit was ${transfer.resolution} already; a resolution stands.`,
    details: { state: transfer.state, resolution: transfer.resolution }
  })
})

const leave = Effect.fnUntraced(function* (transfer: Transfer, resolution: "accepted" | "ignored") {
  const { method, settlementIssue, candidatePids } = transfer
  const assignment = { requestId: null, method, settlementIssue, candidatePids, resolution }
  yield* (yield* Transfers).assign(transfer.id, assignment)
  return { ...transfer, ...assignment }
})

/** The request of the deposit's own vault that it is to count for, locked. */
const requestOf = Effect.fnUntraced(function* (pid: string, vaultId: string) {
  const { id } = yield* find(pid)
  const request = (yield* (yield* PaymentRequests).lock(id)) as PaymentRequest
  if (request.vaultId === vaultId) return request
  return yield* new InvalidRequest({
    param: "pid",
    message: "This payment request is on another vault; money counts only where it arrived."
  })
})

/** All whose refunds may be void once the deposit counts for a request: itself, the request, what pays that. */
const refundable = Effect.fnUntraced(function* (depositId: string, pid: string | undefined) {
  if (pid === undefined) return [depositId]
  const { id } = yield* find(pid)
  const credited = yield* (yield* Transfers).ofRequest(id)
  return [depositId, id, ...credited.map((each) => each.id)]
})

const resolve = Effect.fnUntraced(function* (
  depositId: string,
  action: "accept" | "attach" | "ignore",
  pid: string | undefined
) {
  const { accountId, keyId } = yield* Caller
  const seen = yield* (yield* Transfers).find(accountId, depositId)
  if (seen === undefined) return yield* notFound()
  const [candidate, ...others] = seen.candidatePids
  if (action === "accept" && others.length > 0) {
    return yield* new InvalidRequest({
      param: "action",
      message: `It may have been meant for ${seen.candidatePids.length} requests; attach it to one by its pid.`,
      details: { candidatePids: [...seen.candidatePids] }
    })
  }
  const target = action === "ignore" ? undefined : (pid ?? candidate)
  const sourceIds = yield* refundable(depositId, target)
  // Waiting refunds, then the request, then the transfer: the order of a confirmation and of the watcher.
  yield* lockRefunds(accountId, sourceIds)
  const request = target === undefined ? undefined : yield* requestOf(target, seen.vaultId)
  const transfer = yield* lockOpen(depositId)
  const resolved =
    request === undefined
      ? yield* leave(transfer, action === "ignore" ? "ignored" : "accepted")
      : yield* credit(transfer, request, action === "attach" ? "attached" : "accepted")
  yield* supersedeRefunds(accountId, sourceIds, keyId)
  return resolved
})

export const resolveDeposit = Operation.make("resolve_deposit", {
  summary:
    "Says what a deposit stands for: accept it for the request it was meant for, attach it to another, or ignore it.",
  next: "get_payment_request shows what it now counts for; propose_refund sends it back instead.",
  scope: "payment_requests:write",
  nature: "write",
  authority: byScope,
  input: {
    depositId: Text.Line(64).annotate({ description: "From list_deposits." }),
    action: Schema.Literals(["accept", "attach", "ignore"]).annotate({
      description:
        "accept: it counts for its only candidate, or for none when there is none; attach: it counts for `pid`; ignore: it counts for nothing."
    }),
    pid: Schema.optionalKey(
      Text.Line(64).annotate({ description: "The request to attach to; with attach alone." })
    )
  },
  output: {
    ...Deposit.fields,
    paymentRequestPid: Schema.NullOr(Schema.String),
    paymentRequestStatus: Schema.NullOr(Status)
  },
  refusals: [NotFound, DepositNotOpen],
  example: { input: { depositId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d", action: "accept" } },
  handle: Effect.fnUntraced(function* ({ depositId, action, pid }) {
    const { accountId, keyId } = yield* Caller
    if ((action === "attach") !== (pid !== undefined)) {
      return yield* new InvalidRequest({
        param: "pid",
        message: "pid is sent with attach, and only with attach."
      })
    }
    const resolved = yield* resolve(depositId, action, pid)
    yield* record({
      accountId,
      actor: keyId,
      action: `deposit.${resolved.resolution}`,
      subjectType: "transfer",
      subjectId: depositId,
      facts: resolved.requestId === null ? {} : { requestId: resolved.requestId }
    })
    const request =
      resolved.requestId === null
        ? undefined
        : yield* (yield* PaymentRequests).find(accountId, resolved.requestId)
    return {
      ...view(resolved, yield* (yield* Refunds).ofTransfers([depositId])),
      paymentRequestPid: request?.pid ?? null,
      paymentRequestStatus: request?.status ?? null
    }
  })
})
