/** Carries one signed POST to a merchant's address, and judges which addresses it may go to. */
import { Context, type Effect } from "effect"

export interface WebhookRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The exact text that was signed and is sent, UTF-8. */
  readonly body: string
}

export type Reply =
  | {
      readonly _tag: "answered"
      readonly status: number
      /** At most 4 KiB of the answer. */
      readonly body: string
      readonly truncated: boolean
      readonly retryAfterMs: number | null
      readonly durationMs: number
    }
  | {
      readonly _tag: "unanswered"
      readonly reason: "timeout" | "blocked" | "dns" | "tls" | "refused" | "reset" | "protocol"
      readonly message: string
      readonly durationMs: number
    }

export class WebhookSender extends Context.Service<
  WebhookSender,
  {
    /** Never fails: what went wrong is a reply. Ten seconds in all; no redirects; no private address. */
    readonly carry: (webhookRequest: WebhookRequest) => Effect.Effect<Reply>
    /** Why a URL may not be registered, as the end of a sentence; undefined when it may. Looks nothing up. */
    readonly violation: (url: string) => string | undefined
    /** The URL that is meant, in the form of WHATWG: scheme and host in lower case. Only of one that may be registered. */
    readonly normalized: (url: string) => string
  }
>()("bursar/ports/WebhookSender") {}
