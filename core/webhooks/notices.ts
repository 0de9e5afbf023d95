/**
 * Who may have notices sent to an endpoint: they tell of the whole account, so whoever asks for them, sends them
 * elsewhere or reads one that was sent needs the scope to read the account besides.
 */
import { Effect } from "effect"
import { requireInForce } from "../accounts/in-force.ts"
import { NoticeType } from "../notices/notice.ts"
import { Caller } from "../operation/caller.ts"
import { InsufficientScope } from "../operation/refusal.ts"
import type { Endpoint, MessageType } from "./endpoint.ts"
import { WebhookEndpoints } from "./endpoint-store.ts"

const types: ReadonlySet<MessageType> = new Set(NoticeType.literals)

export const isNotice = (type: MessageType): boolean => types.has(type)

export const requireAccountRead = Effect.fnUntraced(function* (what: string) {
  const { scopes } = yield* Caller
  if (scopes.has("account:read")) return
  return yield* new InsufficientScope({
    message: `${what} needs the scope account:read besides, as notices tell of the whole account; use a key that has it.`,
    details: { scope: "account:read", granted: [...scopes] }
  })
})

type Terms = Pick<Endpoint, "notices" | "url">

type Asked<Names extends keyof Terms> = { readonly [Name in Names]?: Terms[Name] | undefined }

export const mayRegister = Effect.fnUntraced(function* ({ notices = [] }: Asked<"notices">) {
  yield* requireInForce()
  if (notices.length > 0) yield* requireAccountRead("`notices`")
})

/** Turning notices off, and what has nothing to do with them, needs no more than the operation's own scope. */
export const mayUpdate = Effect.fnUntraced(function* (
  input: Asked<"notices" | "url"> & { readonly id: string }
) {
  yield* requireInForce()
  const { accountId } = yield* Caller
  // Held, so that nobody turns them on between this look and the change.
  const endpoint = yield* (yield* WebhookEndpoints).hold(accountId, input.id)
  const notices = input.notices ?? endpoint?.notices ?? []
  const isTold = input.notices !== undefined || input.url !== undefined
  if (isTold && notices.length > 0) yield* requireAccountRead("Changing where notices are sent")
})
