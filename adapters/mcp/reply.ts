/** A reply to one message, before it is written: its text, or what stands before and after a shared part. */
import { around, type Part } from "../http/guards/shared-answer.ts"
import type { Reply as Answer, Request } from "../http/surface/exchange.ts"
import type { Asking } from "./elicitation.ts"

export interface Reply {
  /** JSON, whole or around the shared part. */
  readonly text: string | readonly [string, Part, string]
  readonly headers: Readonly<Record<string, string>>
  /** Of the answer, when the message comes alone; 200 when left out. */
  readonly status?: number
  /** What a person is to be asked beside it, if the client can. */
  readonly askings?: ReadonlyArray<Asking>
}

export const bare = (text: Reply["text"]): Reply => ({ text, headers: {} })

/** In bytes of UTF-8, which is what it will be sent as. */
export const bytesOf = ({ text }: Reply): number =>
  typeof text === "string"
    ? Buffer.byteLength(text)
    : Buffer.byteLength(text[0]) + text[1].plain.byteLength + Buffer.byteLength(text[2])

/** Replies as one array, around the shared part if one of them has it; at most one may. */
export const joined = (replies: ReadonlyArray<Reply>): Reply["text"] => {
  let before = "["
  let middle: Part | undefined
  let after = ""
  replies.forEach(({ text }, at) => {
    const comma = at === 0 ? "" : ","
    if (typeof text !== "string") {
      before += comma + text[0]
      middle = text[1]
      after = text[2]
    } else if (middle === undefined) before += comma + text
    else after += comma + text
  })
  return middle === undefined ? `${before}]` : [before, middle, `${after}]`]
}

const contentType = "application/json"

export const respond = (
  request: Pick<Request, "headers">,
  { headers, status = 200, text }: Reply
): Answer =>
  typeof text === "string"
    ? { status, headers: { "content-type": contentType, ...headers }, body: text }
    : around(request, text, { headers, contentType })
