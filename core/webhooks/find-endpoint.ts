/** Reads of webhook endpoints: one by its id, also held for a change, and the list. */
import { Effect } from "effect"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import * as Page from "../operation/page.ts"
import { NotFound } from "../operation/refusal.ts"
import * as Endpoint from "./endpoint.ts"
import { WebhookEndpoints } from "./endpoint-store.ts"

const known = (endpoint: Endpoint.Endpoint | undefined) =>
  endpoint === undefined
    ? Effect.fail(
        new NotFound({
          param: "id",
          message: "This account has no webhook endpoint with this id; see list_merchant_webhooks.",
          next: { operation: "list_merchant_webhooks", args: {} }
        })
      )
    : Effect.succeed(endpoint)

/** The caller's endpoint; another account's is not found either. */
export const find = Effect.fnUntraced(function* (id: string) {
  const { accountId } = yield* Caller
  return yield* known(yield* (yield* WebhookEndpoints).find(accountId, id))
})

/** The same, taken for the running transaction: whoever else would change it waits. */
export const hold = Effect.fnUntraced(function* (id: string) {
  const { accountId } = yield* Caller
  return yield* known(yield* (yield* WebhookEndpoints).hold(accountId, id))
})

export const getMerchantWebhook = Operation.make("get_merchant_webhook", {
  summary: "Reads one webhook endpoint, without its secret.",
  next: "list_webhook_deliveries shows what was sent to it.",
  scope: "payment_requests:read",
  input: { id: Endpoint.EndpointId },
  output: Endpoint.fields,
  refusals: [NotFound],
  handle: ({ id }) => Effect.flatMap(find(id), Endpoint.showNow)
})

export const listMerchantWebhooks = Page.list("list_merchant_webhooks", {
  summary: "Lists the account's webhook endpoints, newest first.",
  next: "send_merchant_webhook_test sends a test event; update_merchant_webhook changes an endpoint.",
  scope: "payment_requests:read",
  key: "merchant_webhooks",
  fields: Endpoint.fields,
  page: ({ accountId, request }) => WebhookEndpoints.use(({ list }) => list(accountId, request)),
  view: (endpoint, { now }) => Endpoint.shown(endpoint, now)
})
