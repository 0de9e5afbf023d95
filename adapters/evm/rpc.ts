/**
 * JSON-RPC over HTTP. What is asked in one turn goes in one request, and what is asked together is answered whole
 * or fails whole, within a deadline and a size; a failure never repeats the node's URL, which often carries a key.
 */
import { Data, Effect, Exit, Predicate } from "effect"
import { type Asked, gatheredInTurn } from "../turns/end-of-turn.ts"
import { post } from "./post.ts"

export interface Call {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
  /** A contract that reverts is an answer, given as undefined, and no failure of the batch. */
  readonly mayRevert?: boolean
}

/**
 * `throttled`: asked too often. `oversized`: too much asked at once, less may pass. `absent`: this
 * backend has not the block that was asked for. `refused`: any other error the node answered with.
 */
export class RpcFailed extends Data.TaggedError("RpcFailed")<{
  readonly reason: "unreachable" | "throttled" | "oversized" | "absent" | "refused"
  readonly detail: string
}> {}

export interface Options {
  readonly timeoutMs?: number
  readonly maxBytes?: number
}

/** Answers the calls; the results stand in their order. */
export type Rpc = (calls: ReadonlyArray<Call>) => Effect.Effect<ReadonlyArray<unknown>, RpcFailed>

const throttled = /\brate\b|too many requests|request count|compute units|capacity|quota|credits/iu
const oversized = /more than|too (?:large|big|long|many)|exceed|limit|\brange\b/iu
const absent =
  /not found|unknown block|missing|after last accepted|beyond (?:the )?(?:head|latest)/iu

/** The words nodes and providers use for their limits differ, and so do their codes. */
const reasonOf = (status: number, code: number, message: string): RpcFailed["reason"] => {
  if (status === 429 || code === 429 || throttled.test(message)) return "throttled"
  if (status === 413 || code === -32005 || oversized.test(message)) return "oversized"
  if (absent.test(message)) return "absent"
  return status >= 400 ? "unreachable" : "refused"
}

/** What a node says of an error, as far as it says it as JSON-RPC does. */
const errorOf = (error: unknown): { readonly code: number; readonly message: string } => {
  const code = Predicate.hasProperty(error, "code") ? error.code : 0
  const message = Predicate.hasProperty(error, "message") ? error.message : ""
  return {
    code: typeof code === "number" || typeof code === "string" ? Number(code) : 0,
    message: typeof message === "string" ? message : ""
  }
}

/** Nodes tell a reverted call by code 3, or by words of their own. */
const reverted = (error: unknown): boolean =>
  Predicate.hasProperty(error, "code") &&
  (error.code === 3 ||
    /revert|out ?of ?gas|gas required|opcode|evm error|stack (?:under|over)flow/iu.test(
      errorOf(error).message
    ))

const failure = (status: number, error: unknown, method: string): RpcFailed => {
  const { code, message } = errorOf(error)
  const said = `${code} ${message}`.trim().slice(0, 200)
  return new RpcFailed({
    reason: reasonOf(status, code, message),
    detail: status >= 400 ? `HTTP ${status} ${said}` : `${method}: ${said}`
  })
}

const unreachable = (detail: string) => new RpcFailed({ reason: "unreachable", detail })

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type Result = Exit.Exit<unknown, RpcFailed>

/** Results in the order of the calls; a batch may be answered in any order. */
const results = (
  status: number,
  answer: unknown,
  calls: ReadonlyArray<Call>
): Effect.Effect<ReadonlyArray<Result>, RpcFailed> => {
  if (!Array.isArray(answer)) {
    const error = Predicate.hasProperty(answer, "error") ? answer.error : undefined
    return Effect.fail(
      error === undefined && status < 400
        ? unreachable("the answer is not JSON-RPC")
        : failure(status, error, "batch")
    )
  }
  const itemById = new Map<unknown, unknown>()
  for (const item of answer) {
    if (Predicate.hasProperty(item, "id")) itemById.set(item.id, item)
  }
  const each = calls.map(({ method, mayRevert }, id): Result => {
    const item = itemById.get(id)
    if (mayRevert === true && Predicate.hasProperty(item, "error") && reverted(item.error)) {
      return Exit.succeed(undefined)
    }
    if (Predicate.hasProperty(item, "error")) return Exit.fail(failure(status, item.error, method))
    return Predicate.hasProperty(item, "result")
      ? Exit.succeed(item.result)
      : Exit.fail(unreachable(`${method}: no result came`))
  })
  return Effect.succeed(each)
}

/** What one asks for, answered whole or not at all. */
type Entry = Asked<ReadonlyArray<Call>, ReadonlyArray<unknown>, RpcFailed>

/** Nodes take so many calls at once, or more. */
const maxCalls = 100

/** What goes in one request each; calls that belong together stay together. */
const requestsOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<ReadonlyArray<Entry>> => {
  const requests: Array<Array<Entry>> = []
  let calls = maxCalls
  for (const entry of entries) {
    const more = entry.question.length
    const current = requests.at(-1)
    if (current !== undefined && calls + more <= maxCalls) {
      current.push(entry)
      calls += more
    } else {
      requests.push([entry])
      calls = more
    }
  }
  return requests
}

/** A call, and what the node is told of it behind its number. */
interface Said extends Call {
  readonly text: string
}

/** The calls of all, each that says the same once, and where each entry finds its own. */
const merged = (entries: ReadonlyArray<Entry>) => {
  const places = new Map<string, number>()
  const calls: Array<Said> = []
  const placeOf = (call: Call) => {
    const { mayRevert, method, params } = call
    const text = JSON.stringify({ method, params })
    const key = mayRevert === true ? `?${text}` : text
    const known = places.get(key)
    if (known !== undefined) return known
    places.set(key, calls.length)
    return calls.push({ ...call, text }) - 1
  }
  return { calls, own: entries.map(({ question }) => question.map(placeOf)) }
}

const bodyOf = (calls: ReadonlyArray<Said>): string =>
  `[${calls.map(({ text }, id) => `{"jsonrpc":"2.0","id":${id},${text.slice(1)}`).join(",")}]`

/** All results, or the first failure. */
const whole = (results: ReadonlyArray<Result>): Exit.Exit<ReadonlyArray<unknown>, RpcFailed> => {
  const values: Array<unknown> = []
  for (const result of results) {
    if (Exit.isFailure(result)) return Exit.failCause(result.cause)
    values.push(result.value)
  }
  return Exit.succeed(values)
}

/** Whether a node may answer a part of what it refused whole. */
const mayDivide = ({ reason }: RpcFailed) => reason === "oversized" || reason === "refused"

const answering = (
  post: (calls: ReadonlyArray<Said>) => Effect.Effect<ReadonlyArray<Result>, RpcFailed>
) => {
  const answer = (entries: ReadonlyArray<Entry>): Effect.Effect<void> =>
    Effect.suspend(() => {
      const { calls, own } = merged(entries)
      return Effect.matchEffect(post(calls), {
        onSuccess: (all) =>
          Effect.sync(() => {
            for (const [at, entry] of entries.entries()) {
              entry.answer(whole((own[at] ?? []).map((place) => all[place] as Result)))
            }
          }),
        onFailure: (failed) =>
          entries.length > 1 && mayDivide(failed)
            ? Effect.forEach(entries, (entry) => answer([entry]), {
                concurrency: "unbounded",
                discard: true
              })
            : Effect.sync(() => {
                for (const entry of entries) entry.answer(Exit.fail(failed))
              })
      })
    })
  return gatheredInTurn((entries: ReadonlyArray<Entry>) => {
    const requests = requestsOf(entries)
    const [only] = requests
    return only !== undefined && requests.length === 1
      ? answer(only)
      : Effect.forEach(requests, answer, { concurrency: "unbounded", discard: true })
  })
}

export const make = (
  rpcUrl: string,
  { timeoutMs = 10_000, maxBytes = 64 * 1024 * 1024 }: Options = {}
): Rpc =>
  answering((calls) =>
    post(rpcUrl, bodyOf(calls), { timeoutMs, maxBytes }).pipe(
      Effect.mapError(({ detail, reason }) => new RpcFailed({ reason, detail })),
      Effect.flatMap(({ status, text }) => results(status, parse(text), calls))
    )
  )
