/**
 * Answers that never change, kept once: every client is sent the same bytes, compressed if it can read
 * that, or told that it has them already. No request makes a copy.
 */
import { createHash } from "node:crypto"
import { constants, crc32, deflateRawSync, gzipSync } from "node:zlib"
import { HttpServerResponse } from "effect/http"
import type { Reply, Request } from "../surface/exchange.ts"
import { share } from "./lines.ts"

/** Of node's or of the router's. */
type Asking = Pick<Request, "headers">
type Response = HttpServerResponse.HttpServerResponse

export interface Options {
  readonly contentType: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Whether a client reads gzip, by RFC 9110: named, or anything at all, and not at weight 0. */
export const readsGzip = ({ headers }: Asking): boolean => {
  const weights = new Map(
    (headers["accept-encoding"] ?? "").split(",").map((part): [string, number] => {
      const [coding = "", ...parameters] = part.toLowerCase().split(";")
      const weight = parameters.map((each) => each.trim()).find((each) => each.startsWith("q="))
      return [coding.trim(), weight === undefined ? 1 : Number(weight.slice(2))]
    })
  )
  return (weights.get("gzip") ?? weights.get("*") ?? 0) > 0
}

const has = ({ headers }: Asking, tags: ReadonlyArray<string>): boolean =>
  (headers["if-none-match"] ?? "")
    .split(",")
    .map((each) => each.trim().replace(/^W\//u, ""))
    .some((each) => each === "*" || tags.includes(each))

const tagOf = (text: string): string =>
  createHash("sha256").update(text).digest("base64url").slice(0, 22)

/** What is made when it is first asked for, and kept. */
export const once = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** An answer that is the same for everybody, as long as the process lives. */
export const make = (text: string, options: Options): ((request: Asking) => Response) => {
  const tag = tagOf(text)
  const tags = { plain: `"${tag}"`, zipped: `"${tag}-gzip"` }
  const bytes = share(Buffer.from(text))
  const of = (body: Uint8Array, etag: string, more: Readonly<Record<string, string>> = {}) =>
    HttpServerResponse.uint8Array(body, {
      contentType: options.contentType,
      headers: { ...options.headers, ...more, etag, vary: "accept-encoding" }
    })
  const plain = of(bytes, tags.plain)
  const zipped = once(() => of(share(gzipSync(bytes)), tags.zipped, { "content-encoding": "gzip" }))
  const unchanged = (etag: string) =>
    HttpServerResponse.empty({
      status: 304,
      headers: { ...options.headers, etag, vary: "accept-encoding" }
    })
  return (request) => {
    const wantsZipped = readsGzip(request)
    if (has(request, [tags.plain, tags.zipped]))
      return unchanged(wantsZipped ? tags.zipped : tags.plain)
    return wantsZipped ? zipped() : plain
  }
}

/** The same, of a text that is written when the answer is first asked for. */
export const later = (write: () => string, options: Options): ((request: Asking) => Response) => {
  const made = once(() => make(write(), options))
  return (request) => made()(request)
}

/** Text that many answers have in the middle. */
export interface Part {
  readonly plain: Uint8Array
  readonly deflated: () => Uint8Array
}

/** Compressed so that more may follow: whole bytes, and no last block. */
const deflateOpen = (bytes: Uint8Array) =>
  deflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH })

export const part = (text: string): Part => {
  const plain = share(Buffer.from(text))
  return { plain, deflated: once(() => share(deflateOpen(plain))) }
}

const sizeOf = (chunks: ReadonlyArray<Uint8Array>): number =>
  chunks.reduce((sum, { byteLength }) => sum + byteLength, 0)

/** RFC 1952: no name, no time, any system. */
const gzipHead = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])

const gzipTail = (chunks: ReadonlyArray<Uint8Array>) => {
  const tail = Buffer.alloc(8)
  tail.writeUInt32LE(chunks.reduce((sum: number, chunk) => crc32(chunk, sum), 0))
  tail.writeUInt32LE(sizeOf(chunks) >>> 0, 4)
  return tail
}

const zip = (before: Uint8Array, middle: Part, after: Uint8Array): ReadonlyArray<Uint8Array> => [
  Buffer.concat([gzipHead, deflateOpen(before)]),
  middle.deflated(),
  Buffer.concat([deflateRawSync(after), gzipTail([before, middle.plain, after])])
]

/** An answer around a shared part, of which nothing but the ends is made for its request. */
export const around = (
  request: Asking,
  [before, middle, after]: readonly [string, Part, string],
  { contentType, headers }: Options
): Reply => {
  const [head, tail] = [Buffer.from(before), Buffer.from(after)]
  const isZipped = readsGzip(request)
  return {
    status: 200,
    headers: {
      "content-type": contentType,
      ...headers,
      vary: "accept-encoding",
      ...(isZipped ? { "content-encoding": "gzip" } : {})
    },
    body: isZipped ? zip(head, middle, tail) : [head, middle.plain, tail]
  }
}
