/**
 * Who may have notices sent to an endpoint: they tell of the whole account, so whoever asks for them, sends them
 * elsewhere, sends one again or reads one needs the scope to read the account besides.
 */
import { Effect } from "effect"
import { requireInForce } from "../accounts/in-force.ts"
import { NoticeType } from "../notices/notice.ts"
import { Caller } from "../operation/caller.ts"
import { InsufficientScope } from "../operation/refusal.ts"
import { Deliveries } from "./delivery-store.ts"
import type { Endpoint, MessageType } from "./endpoint.ts"
import { WebhookEndpoints } from "./endpoint-store.ts"

const types: ReadonlySet<MessageType> = new Set(NoticeType.literals)

export const isNotice = (type: MessageType): type is NoticeType => types.has(type)

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
  const before = endpoint?.notices ?? []
  // Also when they are turned off in the same call: what was sent to the old URL may be repeated to the new one.
  const isElsewhere = input.url !== undefined && before.length > 0
  if (isElsewhere || (input.notices ?? []).length > 0) {
    yield* requireAccountRead("Changing where notices are sent")
  }
})

export const mayReplay = Effect.fnUntraced(function* ({ id }: { readonly id: string }) {
  yield* requireInForce()
  const { accountId } = yield* Caller
  const found = yield* (yield* Deliveries).find(accountId, id)
  if (found !== undefined && isNotice(found.delivery.eventType)) {
    yield* requireAccountRead("Sending a notice again")
  }
})

/** What may be sent to an endpoint again: every event, and to who may read them notices that it still asks for. */
export const maySendAgain = Effect.map(Caller, ({ scopes }) => {
  const isReader = scopes.has("account:read")
  return ({ notices }: Pick<Endpoint, "notices">, type: MessageType): boolean =>
    !isNotice(type) || (isReader && notices.includes(type))
})
