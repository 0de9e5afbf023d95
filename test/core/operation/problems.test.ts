/** What is wrong with an input is told in words, once. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { decode } from "../../../core/operation/input.ts"
import type * as Operation from "../../../core/operation/operation.ts"
import { createPaymentRequest } from "../../../core/payments/open.ts"
import { createProvisioningJob } from "../../../core/payments/provision.ts"
import { quoteSwap } from "../../../core/swaps/quote-swap.ts"
import { proposeTransfer } from "../../../core/transfers/propose-transfer.ts"
import { proposeRenameAccount, setWalletMetadata } from "../../../core/wallets/rename.ts"
import { recoverMerchantWebhook } from "../../../core/webhooks/recover.ts"
import { createMerchantWebhook } from "../../../core/webhooks/register.ts"

it.effect("what two checks of a field refuse in the same words is one problem", () =>
  Effect.gen(function* () {
    const input = { id: "wh", since: "yesterday" }
    const { details } = yield* Effect.flip(decode(recoverMerchantWebhook, input))
    const message = "since must be an ISO 8601 time with its zone, such as 2030-01-31T12:00:00Z."
    assert.deepStrictEqual<unknown>(details, { problems: [{ param: "since", message }] })
  })
)

const tags = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`tag${index}`, "x"]))

const reserved: unknown = JSON.parse('{"__proto__":"x"}')
const reservedProblem = "must not have the keys __proto__, constructor and prototype."

it.effect.each([
  [proposeTransfer, "memo", "m".repeat(257), "memo must be at most 256 characters long."],
  [proposeRenameAccount, "nickname", "a", "nickname must be at least 2 characters long."],
  [proposeRenameAccount, "nickname", "   ", "nickname must be a name, not only blanks."],
  [createProvisioningJob, "customers", [], "customers must be 1 to 1000 items long."],
  [setWalletMetadata, "metadata", tags, "metadata must have at most 20 entries."],
  [setWalletMetadata, "metadata", reserved, `metadata ${reservedProblem}`],
  [createPaymentRequest, "metadata", reserved, `metadata ${reservedProblem}`],
  [createPaymentRequest, "metadata", { a: [reserved] }, `metadata ${reservedProblem}`],
  [
    createPaymentRequest,
    "metadata",
    { a: [[[[1]]]] },
    "metadata must not have values nested more than 4 deep."
  ],
  [
    createPaymentRequest,
    "metadata",
    { a: "x".repeat(4096) },
    "metadata must have at most 4096 characters as JSON."
  ],
  [createPaymentRequest, "expiryDays", 366, "expiryDays must be between 1 and 365."],
  [quoteSwap, "slippagePercent", -1, "slippagePercent must be between 0 and 50."],
  [
    createMerchantWebhook,
    "events",
    ["payment_request.paid", "payment_request.paid"],
    "events must be an array in which no item stands twice."
  ]
] as const)(
  "what is out of bounds is told the bound, and nothing else: %#",
  ([made, param, value, message]) =>
    Effect.gen(function* () {
      const operation: Operation.Any = made
      const input = { ...operation.example.input, [param]: value }
      const { details } = yield* Effect.flip(decode(operation, input))
      assert.deepStrictEqual<unknown>(details, { problems: [{ param, message }] })
    })
)

const keyProblem =
  "is not an allowed key; keys are 1 to 64 characters on one line, none of them a control or invisible one."

it.effect.each([
  [setWalletMetadata, "k".repeat(65), `metadata.${"k".repeat(65)} ${keyProblem}`],
  [createPaymentRequest, "a\u200bb", `The field "metadata.a\u200bb" ${keyProblem}`],
  [createProvisioningJob, "", `The field "customers.0.metadata." ${keyProblem}`]
] as const)("a key of a map that is too long is none that is unknown: %#", ([made, key, message]) =>
  Effect.gen(function* () {
    const operation: Operation.Any = made
    const metadata = { [key]: "x" }
    const customers = [{ externalId: "ada", metadata }]
    const field = made === createProvisioningJob ? { customers } : { metadata }
    const refused = yield* Effect.flip(decode(operation, { ...operation.example.input, ...field }))
    assert.strictEqual(refused._tag, "INVALID_REQUEST")
    assert.strictEqual(refused.message, message)
  })
)
