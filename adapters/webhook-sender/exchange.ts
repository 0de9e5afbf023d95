/**
 * One POST and its answer, over within its deadline. Nothing is followed, decompressed or read beyond the
 * part that is kept: what the endpoint sends after it is dropped with the connection.
 */
import { Data, Effect } from "effect"
import type { Dispatcher } from "undici"
import type { WebhookRequest } from "../../core/ports/webhook-sender.ts"

export interface ReceivedResponse {
  readonly status: number
  readonly body: string
  readonly truncated: boolean
  readonly retryAfter: string | ReadonlyArray<string> | undefined
}

/** No whole answer came; the cause is undici's, Node's or the connector's. */
export class Unanswered extends Data.TaggedError("Unanswered")<{ readonly cause: unknown }> {}

/** The exchange took longer than it may, waiting for a connection included. */
export class DeadlinePassed extends Data.TaggedError("DeadlinePassed") {}

const maxBodyBytes = 4096

/** Controls a database would not store and a terminal would obey. */
const unprintable = /(?![\t\n\r])\p{Cc}/gu

const textOf = (bytes: Uint8Array, truncated: boolean): string =>
  // A character cut in two at the end is left out.
  new TextDecoder().decode(bytes, { stream: truncated }).replace(unprintable, "\ufffd")

export const post = (
  dispatcher: Dispatcher,
  url: URL,
  webhookRequest: WebhookRequest,
  deadlineMs: number
): Effect.Effect<ReceivedResponse, Unanswered> =>
  Effect.callback((resume) => {
    let controller: Dispatcher.DispatchController | undefined
    let abandoned = false
    let answer = { status: 0, retryAfter: undefined as ReceivedResponse["retryAfter"] }
    let size = 0
    const chunks: Array<Uint8Array> = []

    const end = (outcome: Effect.Effect<ReceivedResponse, Unanswered>) => {
      clearTimeout(deadline)
      resume(outcome)
    }

    const fail = (cause: unknown) => end(Effect.fail(new Unanswered({ cause })))

    const finish = (truncated: boolean) => {
      const kept = Buffer.concat(chunks).subarray(0, maxBodyBytes)
      end(Effect.succeed({ ...answer, body: textOf(kept, truncated), truncated }))
    }

    const abandon = () => {
      clearTimeout(deadline)
      abandoned = true
      controller?.abort(new Error("The webhook sender stopped waiting."))
    }

    // A timer of its own, not a race of fibers, which would be among the dearest parts of an attempt.
    const deadline = setTimeout(() => {
      fail(new DeadlinePassed())
      abandon()
    }, deadlineMs)

    dispatcher.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: "POST",
        headers: { ...webhookRequest.headers },
        body: Buffer.from(webhookRequest.body, "utf8"),
        // The deadline above is the only one.
        headersTimeout: 0,
        bodyTimeout: 0
      },
      {
        onRequestStart: (started) => {
          controller = started
          // Given up while it waited for a connection: it must not be sent any more.
          if (abandoned) abandon()
        },
        onResponseStart: (_, status, headers) => {
          // Interim answers come here too; the final one is the last.
          answer = { status, retryAfter: headers["retry-after"] }
        },
        onResponseData: (_, chunk) => {
          chunks.push(chunk)
          size += chunk.length
          if (size <= maxBodyBytes) return
          finish(true)
          abandon()
        },
        onResponseEnd: () => finish(false),
        onResponseError: (_, cause) => fail(cause)
      }
    )
    return Effect.sync(abandon)
  })
