/**
 * JSON-RPC over HTTP to the nodes of a Solana chain. A batch is answered whole or fails whole, within a deadline and a
 * size; when a node fails, the next is asked. A failure never repeats a node's URL, which often carries a key.
 */
import { Data, Effect, Predicate } from "effect"

export interface Call {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/**
 * `throttled`: asked too often. `behind`: the node has not reached the slot that was asked for. `refused`: any other
 * error the node answered with, whose code and data are given.
 */
export class RpcFailed extends Data.TaggedError("RpcFailed")<{
  readonly reason: "unreachable" | "throttled" | "behind" | "refused"
  readonly detail: string
  readonly code?: number
  readonly data?: unknown
}> {}

export interface Options {
  readonly timeoutMs?: number
  readonly maxBytes?: number
}

export interface Rpc {
  /** Sends the calls as one HTTP request; the results stand in the order of the calls. */
  readonly ask: (calls: ReadonlyArray<Call>) => Effect.Effect<ReadonlyArray<unknown>, RpcFailed>
  /** Asks every node, at most two; none may fail. For what must not rest on the word of one. */
  readonly askAll: (
    calls: ReadonlyArray<Call>
  ) => Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, RpcFailed>
}

const behindCodes = [-32016, -32004, -32014]

const failure = (status: number, error: unknown, method: string): RpcFailed => {
  const code = Predicate.hasProperty(error, "code") ? Number(error.code) : 0
  const message = Predicate.hasProperty(error, "message") ? String(error.message) : ""
  const data = Predicate.hasProperty(error, "data") ? error.data : undefined
  const said = `${code} ${message}`.trim().slice(0, 200)
  const detail = status >= 400 ? `HTTP ${status} ${said}` : `${method}: ${said}`
  if (status === 429 || code === 429) return new RpcFailed({ reason: "throttled", detail })
  if (behindCodes.includes(code)) return new RpcFailed({ reason: "behind", detail, code })
  return status >= 400
    ? new RpcFailed({ reason: "unreachable", detail })
    : new RpcFailed({ reason: "refused", detail, code, data })
}

const unreachable = (detail: string) => new RpcFailed({ reason: "unreachable", detail })

const notReached = (thrown: unknown, timeoutMs: number): RpcFailed => {
  if (thrown instanceof RpcFailed) return thrown
  if (thrown instanceof Error && thrown.name === "TimeoutError") {
    return unreachable(`no answer within ${timeoutMs} ms`)
  }
  const cause = thrown instanceof Error ? thrown.cause : undefined
  const code = Predicate.hasProperty(cause, "code") ? String(cause.code) : "the request failed"
  return unreachable(code)
}

const read = async (response: Response, maxBytes: number): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) throw unreachable(`the answer exceeds ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Results in the order of the calls; a batch may be answered in any order. */
const results = (
  status: number,
  answer: unknown,
  calls: ReadonlyArray<Call>
): ReadonlyArray<unknown> => {
  if (!Array.isArray(answer)) {
    const error = Predicate.hasProperty(answer, "error") ? answer.error : undefined
    if (error === undefined && status < 400) throw unreachable("the answer is not JSON-RPC")
    throw failure(status, error, "batch")
  }
  const itemById = new Map<unknown, unknown>()
  for (const item of answer) {
    if (Predicate.hasProperty(item, "id")) itemById.set(item.id, item)
  }
  return calls.map(({ method }, id) => {
    const item = itemById.get(id)
    if (Predicate.hasProperty(item, "error")) throw failure(status, item.error, method)
    if (!Predicate.hasProperty(item, "result")) throw unreachable(`${method}: no result came`)
    return item.result
  })
}

const node =
  (rpcUrl: string, { timeoutMs = 10_000, maxBytes = 64 * 1024 * 1024 }: Options): Rpc["ask"] =>
  (calls) => {
    const post = async (signal: AbortSignal) => {
      const body = calls.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params }))
      const response = await fetch(rpcUrl, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
        redirect: "error",
        // The deadline is of the network and passes in real time, whatever clock the treasury keeps.
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      })
      return results(response.status, parse(await read(response, maxBytes)), calls)
    }
    return Effect.tryPromise({ try: post, catch: (thrown) => notReached(thrown, timeoutMs) })
  }

export const make = (
  rpcUrls: readonly [string, ...ReadonlyArray<string>],
  options: Options = {}
): Rpc => {
  const [first, ...others] = rpcUrls.map((url) => node(url, options)) as [
    Rpc["ask"],
    ...ReadonlyArray<Rpc["ask"]>
  ]
  return {
    ask: (calls) =>
      others.reduce(
        (asking, next) =>
          Effect.catchTag(asking, "RpcFailed", (failed) =>
            // What a node has judged, another would judge too.
            failed.reason === "refused" ? Effect.fail(failed) : next(calls)
          ),
        first(calls)
      ),
    askAll: (calls) =>
      Effect.forEach([first, ...others.slice(0, 1)], (ask) => ask(calls), { concurrency: 2 })
  }
}
