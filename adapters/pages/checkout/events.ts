/** How a request stands, as it changes: server-sent events that each carry the whole of what is shown. */
import { DateTime, Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { mayChange } from "../../../core/payments/came-late.ts"
import { publicRow, publicView } from "../../../core/payments/public.ts"
import type { PaymentRequest } from "../../../core/payments/request.ts"
import { endedStatuses } from "../../../core/payments/status.ts"
import { Notifier } from "../../../core/ports/notifier.ts"
import { routedClientOf } from "../../http/client-address.ts"
import { RecentReads } from "../../http/recent-reads.ts"
import * as EventStream from "../site/event-stream.ts"
import { OpenStreams } from "../site/open-streams.ts"
import { shownOf, versionOf } from "./shown.ts"
import { canPay } from "./trial-payer.ts"

/** What a browser has. */
interface Told {
  readonly version: string
  readonly row: PaymentRequest | undefined
}

/** While blocks confirm a payment, or money comes late, what is shown changes though the row does not. */
const mayDiffer = (before: PaymentRequest | undefined, now: PaymentRequest) =>
  before === undefined ||
  now.status === "processing" ||
  endedStatuses.includes(now.status) ||
  before.status !== now.status ||
  !DateTime.Equivalence(before.updatedAt, now.updatedAt) ||
  !DateTime.Equivalence(before.expiresAt, now.expiresAt)

const look = (pid: string) =>
  Effect.fnUntraced(function* (told: Told) {
    const { read } = yield* RecentReads
    const row = yield* read(`row ${pid}`, publicRow(pid))
    if (row === undefined) return { state: told, isOver: true }
    const isOver = !mayChange(row, yield* DateTime.now)
    const view = read(`view ${pid}`, publicView(row))
    const takesTrial = yield* canPay(row.chainId)
    const shown = mayDiffer(told.row, row) ? shownOf(yield* view, takesTrial) : undefined
    const version = shown === undefined ? told.version : versionOf(shown)
    const event = version === told.version ? undefined : { name: "shown", version, data: shown }
    return { state: { version, row }, isOver, event }
  })

export const eventStream = (proxies: number) =>
  Effect.gen(function* () {
    const { pid = "" } = yield* HttpRouter.params
    const request = yield* HttpServerRequest.HttpServerRequest
    const client = routedClientOf(request, proxies)
    if (!(yield* OpenStreams).hasRoom(client)) return EventStream.full
    const row = yield* (yield* RecentReads).read(`row ${pid}`, publicRow(pid))
    if (row === undefined) return HttpServerResponse.empty({ status: 404 })
    const start: Told = { version: EventStream.versionIn(request), row: undefined }
    const listen = (yield* Notifier).listen("payments")
    return yield* EventStream.eventStream({ client, listen, start, look: look(pid) })
  })
