/** Resolves a deposit: the merchant says what money stands for that no rule could match, and that stands. */

import { Effect, Schema } from "effect"
import { record } from "../audit/record.ts"
import { Id } from "../encoding/id.ts"
import * as Text from "../encoding/text.ts"
import { byScope } from "../operation/authority.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { noSuch } from "../operation/own.ts"
import { InvalidRequest, NotFound } from "../operation/refusal.ts"
import { credit, Deposit, DepositNotOpen, view } from "./deposit.ts"
import { find } from "./find.ts"
import { Refunds } from "./refund-ledger.ts"
import { lockRefunds, supersedeRefunds } from "./refundable.ts"
import type { PaymentRequest } from "./request.ts"
import { PaymentRequests } from "./request-store.ts"
import { setAsideFrom, takeFrom } from "./set-aside.ts"
import { Status } from "./status.ts"
import { isDeposit, type Transfer } from "./transfer.ts"
import { Transfers } from "./transfer-store.ts"

const notFound = () => noSuch({ param: "depositId", what: "deposit", operation: "list_deposits" })

const notYet = ({ resolution, state }: Transfer) =>
  new DepositNotOpen({
    param: "depositId",
    message: "This money became a deposit a moment ago; resolve it again.",
    details: { resolution, state }
  })

/** What was resolved already, or is not final yet, stays as it is. */
const mustBeOpen = ({ resolution, state }: Transfer) =>
  resolution === null && state === "final"
    ? Effect.void
    : new DepositNotOpen({
        param: "depositId",
        message:
          resolution === null
            ? "This deposit is not final on its chain yet; resolve it later."
            : resolution === "own_transfer"
              ? "This deposit came from one of the account's own wallets, so it pays no request."
              : `This deposit was already ${resolution}; a resolution cannot be changed.`,
        details: { state, resolution }
      })

const lockDeposit = Effect.fnUntraced(function* (depositId: string) {
  const { accountId } = yield* Caller
  const transfer = yield* (yield* Transfers).lock(accountId, depositId)
  const wasDeposit = transfer !== undefined && (isDeposit(transfer) || transfer.resolution !== null)
  return wasDeposit ? transfer : yield* notFound()
})

const leaveUncredited = Effect.fnUntraced(function* (
  transfer: Transfer,
  resolution: "accepted" | "ignored"
) {
  const { method, settlementIssue, candidatePids } = transfer
  const assignment = { requestId: null, method, settlementIssue, candidatePids, resolution }
  yield* (yield* Transfers).assign(transfer.id, assignment)
  return { transfer: { ...transfer, ...assignment }, request: undefined }
})

/** The request it is to count for, and the one it was set aside from: both locked, in one order for everybody. */
const lockRequests = Effect.fnUntraced(function* (
  pid: string | undefined,
  from: string | undefined
) {
  const wanted = pid === undefined ? undefined : yield* find(pid)
  const left = from === undefined ? undefined : yield* find(from)
  const locked = new Map<string, PaymentRequest>()
  const ids = [wanted, left].flatMap((each) => (each === undefined ? [] : [each.id]))
  for (const id of new Set(ids.sort())) {
    const request = yield* (yield* PaymentRequests).lock(id)
    if (request !== undefined) locked.set(id, request)
  }
  return {
    request: wanted && locked.get(wanted.id),
    left: left?.id === wanted?.id ? undefined : left && locked.get(left.id)
  }
})

const mustBeOfVault = (request: PaymentRequest, { vaultId }: Transfer) =>
  request.vaultId === vaultId
    ? Effect.void
    : new InvalidRequest({
        param: "pid",
        message:
          "This payment request belongs to another vault; a deposit can only pay requests of its own vault."
      })

/** The only request that the deposit may be meant for, if there is one. */
const candidateOf = Effect.fnUntraced(function* ({ candidatePids }: Transfer) {
  const [candidate, ...others] = candidatePids
  if (others.length === 0) return candidate
  return yield* new InvalidRequest({
    param: "action",
    message: `The deposit matches ${candidatePids.length} requests; use action attach with the pid of one.`,
    details: { candidatePids: [...candidatePids] }
  })
})

/** All whose refunds may be void once the deposit counts for a request: itself, the request, what pays that. */
const refundable = Effect.fnUntraced(function* (depositId: string, pid: string | undefined) {
  if (pid === undefined) return [depositId]
  const { id, wasAttempted } = yield* find(pid)
  const credited = wasAttempted ? yield* (yield* Transfers).ofRequest(id) : []
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
  const target = action === "accept" ? yield* candidateOf(seen) : pid
  const sourceIds = yield* refundable(depositId, target)
  // Waiting refunds, then requests, then the transfer: the order of a confirmation and of the watcher.
  yield* lockRefunds(accountId, sourceIds)
  const from = yield* setAsideFrom(seen)
  const { left, request } = yield* lockRequests(target, from)
  const transfer = yield* lockDeposit(depositId)
  if (request !== undefined) yield* mustBeOfVault(request, transfer)
  yield* mustBeOpen(transfer)
  // Its request expired in between, and was not locked.
  if ((yield* setAsideFrom(transfer)) !== from) return yield* notYet(transfer)
  const resolved =
    request === undefined
      ? yield* leaveUncredited(transfer, action === "ignore" ? "ignored" : "accepted")
      : yield* credit(transfer, request, action === "attach" ? "attached" : "accepted")
  if (left !== undefined) yield* takeFrom(left, transfer)
  yield* supersedeRefunds(accountId, sourceIds, keyId)
  return resolved
})

export const resolveDeposit = Operation.make("resolve_deposit", {
  summary:
    "Resolves a deposit: accept it for its matching request, attach it to another request, or ignore it.",
  next: "get_payment_request shows the credited payment; propose_refund refunds a deposit instead.",
  scope: "payment_requests:write",
  sideEffect: "write",
  authority: byScope,
  input: {
    depositId: Id("From list_deposits."),
    action: Schema.Literals(["accept", "attach", "ignore"]).annotate({
      description:
        "accept: credit it to its only candidate, or keep it without a request if there is none; attach: credit it to `pid`; ignore: credit it to nothing."
    }),
    pid: Schema.optionalKey(
      Text.Line(64).annotate({ description: "The request to attach it to; only with attach." })
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
        message: "Send pid with action attach, and only then."
      })
    }
    const { request, transfer: resolved } = yield* resolve(depositId, action, pid)
    yield* record({
      accountId,
      actor: keyId,
      action: `deposit.${resolved.resolution}`,
      subjectType: "transfer",
      subjectId: depositId,
      facts: resolved.requestId === null ? {} : { requestId: resolved.requestId }
    })
    // Of what counts for a request nothing goes back: that was asked under its lock.
    const shares = request === undefined ? yield* (yield* Refunds).ofTransfers([depositId]) : []
    return {
      ...view(resolved, shares),
      paymentRequestPid: request?.pid ?? null,
      paymentRequestStatus: request?.status ?? null
    }
  })
})
