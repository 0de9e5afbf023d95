/**
 * JSON-RPC to the nodes of a Solana chain. Each call goes to the node that answered last, and to the next one when
 * that fails or is behind; a failure never repeats a node's URL, which often carries a key.
 */
import { Data, Effect, Predicate } from "effect"
import { telling } from "../../core/ports/telling.ts"
import { namesUser } from "../fetching/names-user.ts"

/** `behind`: this node lacks what it was asked for, which it should have. `refused`: any other error it answered with. */
export class RpcFailed extends Data.TaggedError("RpcFailed")<{
  readonly reason: "unreachable" | "throttled" | "behind" | "refused"
  readonly detail: string
}> {}

export interface Options {
  readonly timeoutMs?: number
  readonly maxBytes?: number
}

/** Of what is there for certain (`mustExist`), a node that answers null is behind. */
export type Rpc = (
  method: string,
  params: ReadonlyArray<unknown>,
  mustExist?: boolean
) => Effect.Effect<unknown, RpcFailed>

/** What a node answers that has not come to the slot it was asked for, or has lost the history it is asked about. */
const behindCodes: ReadonlyArray<number> = [-32016, -32004, -32014]
const throttled = /\brate\b|too many requests|compute units|capacity|quota|credits/iu

const unreachable = (detail: string) => new RpcFailed({ reason: "unreachable", detail })

const failure = (status: number, error: unknown, method: string): RpcFailed => {
  // A node may answer anything: not everything can be made a number or a text of.
  const code =
    Predicate.hasProperty(error, "code") && !Predicate.isObject(error.code) ? Number(error.code) : 0
  const message =
    Predicate.hasProperty(error, "message") && Predicate.isString(error.message)
      ? error.message
      : ""
  const detail = `${method}: ${status >= 400 ? `HTTP ${status} ` : ""}${code} ${message}`
  const reason = behindCodes.includes(code)
    ? "behind"
    : status === 429 || code === 429 || throttled.test(message)
      ? "throttled"
      : status >= 400 && code === 0
        ? "unreachable"
        : "refused"
  return new RpcFailed({ reason, detail: detail.trim().slice(0, 200) })
}

const read = async (response: Response, maxBytes: number): Promise<unknown> => {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) throw unreachable(`the answer exceeds ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"))
  } catch {
    return undefined
  }
}

const notReached = (thrown: unknown, timeoutMs: number): RpcFailed => {
  if (thrown instanceof RpcFailed) return thrown
  if (thrown instanceof Error && thrown.name === "TimeoutError") {
    return unreachable(`no answer within ${timeoutMs} ms`)
  }
  const cause = thrown instanceof Error ? thrown.cause : undefined
  return unreachable(Predicate.hasProperty(cause, "code") ? String(cause.code) : "no connection")
}

const one = (rpcUrl: string, { maxBytes = 64 * 1024 * 1024, timeoutMs = 10_000 }: Options): Rpc => {
  const post = async ([method, params, mustExist]: Parameters<Rpc>, signal: AbortSignal) => {
    if (namesUser(rpcUrl)) throw unreachable("its URL names a user, which is not asked by")
    const response = await fetch(rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      redirect: "error",
      // The deadline is of the network and passes in real time, whatever clock the treasury keeps.
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    })
    const answer = await read(response, maxBytes)
    if (Predicate.hasProperty(answer, "error")) throw failure(response.status, answer.error, method)
    if (!Predicate.hasProperty(answer, "result")) {
      throw response.status >= 400
        ? failure(response.status, undefined, method)
        : unreachable(`${method}: the answer is not JSON-RPC`)
    }
    if (mustExist === true && answer.result === null) {
      throw new RpcFailed({ reason: "behind", detail: `${method}: the node does not have it` })
    }
    return answer.result
  }
  return (...asked) =>
    Effect.tryPromise({
      try: (signal) => post(asked, signal),
      catch: (thrown) => thrown
    }).pipe(telling((thrown) => notReached(thrown, timeoutMs)))
}

/** How often one that is behind is asked again: behind one address there are often several. */
const repeatsWhenBehind = 2

/** Over one node or several; what one refuses for good, the others would refuse too. */
export const make = (rpcUrls: ReadonlyArray<string>, options: Options = {}): Rpc => {
  const nodes = rpcUrls.map((rpcUrl) => one(rpcUrl, options))
  let first = 0
  const maxTurns = ({ reason }: RpcFailed) =>
    nodes.length + (reason === "behind" ? repeatsWhenBehind : 0)
  return (...asked) => {
    const from = first
    const attempt = (turn: number): Effect.Effect<unknown, RpcFailed> =>
      Effect.suspend(() => {
        const at = (from + turn) % nodes.length
        const node = nodes[at]
        if (node === undefined) return Effect.fail(unreachable("there is no node"))
        return node(...asked).pipe(
          Effect.tap(() =>
            Effect.sync(() => {
              first = at
            })
          ),
          Effect.catch((failed) =>
            failed.reason !== "refused" && turn + 1 < maxTurns(failed)
              ? attempt(turn + 1)
              : Effect.fail(failed)
          )
        )
      })
    return attempt(0)
  }
}
