/**
 * A request and its answer as the surfaces over the catalogue see them: plain values, so that nothing about them
 * depends on what carries them.
 */
import type { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { InvalidRequest } from "../../../core/operation/refusal.ts"
import type { PayloadTooLarge } from "../refusals.ts"

/** A body that is still to be read, by whoever wants it. */
export interface Readable {
  readonly headers: Readonly<Record<string, string | undefined>>
  /** At most so many bytes; the same ones again when asked again. */
  readonly bytes: (maxBytes: number) => Effect.Effect<Uint8Array, InvalidRequest | PayloadTooLarge>
}

export interface Request extends Readable {
  readonly method: string
  /** From the root of the site. */
  readonly url: string
}

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Text, or bytes that are sent one after the other and may be shared by many answers. */
  readonly body: string | ReadonlyArray<Uint8Array>
}

/** A reply of text for the router of pages. */
export const response = ({
  body,
  headers,
  status
}: Reply & { readonly body: string }): HttpServerResponse.HttpServerResponse => {
  const { "content-type": contentType = "text/plain", ...rest } = headers
  return HttpServerResponse.text(body, { status, contentType, headers: rest })
}
