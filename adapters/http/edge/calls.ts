/**
 * Answers calls of the catalogue on node's own requests: one effect for each, begun once it was let in, written
 * as soon as it is done, and given up when its client leaves.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Cause, Context, Effect, Exit, Fiber, Scope } from "effect"
import { Deployment } from "../../../core/operation/deployment.ts"
import * as Spans from "../../../core/operation/spans.ts"
import * as Answer from "../answer.ts"
import { Room } from "../guards/room.ts"
import * as Present from "../present.ts"
import type { Overloaded } from "../refusals.ts"
import type { Reply, Request } from "../surface/exchange.ts"
import { listed, requestOf, write } from "../surface/incoming.ts"
import type { Found } from "../surface/surface.ts"
import * as Cors from "./cors.ts"
import type { Entry } from "./entry.ts"
import * as Forwarded from "./forwarded.ts"
import * as Meter from "./meter.ts"
import { RequestId } from "./request-id.ts"
import { inServerSpan } from "./server-span.ts"
import * as Strangers from "./strangers.ts"
import * as Told from "./told.ts"
import type * as Turns from "./turns.ts"
import * as Unexpected from "./unexpected.ts"
import * as Visit from "./visit.ts"

export interface Options {
  readonly turns: Turns.Turns
  readonly proxies: number
  readonly origins: ReadonlyArray<string>
  readonly choose: (given: string | undefined) => string
  readonly scope: Scope.Scope
}

/** A call that was let in, with the place it holds, and why it is refused if it is. */
interface Arrival {
  readonly incoming: IncomingMessage
  readonly answer: ServerResponse
  readonly entry: Entry
  readonly visit: Visit.Facts
  readonly refusal: Overloaded | undefined
}

/**
 * The calls that wait for something, given up together when the service stops. One finalizer for all of them: with
 * one for each, V8 kept what each call had made until it looked through the whole heap.
 */
const waitingIn = Effect.fnUntraced(function* (scope: Scope.Scope) {
  const fibers = Present.make<Fiber.Fiber<unknown>>()
  yield* Scope.addFinalizer(
    scope,
    Effect.suspend(() => Fiber.interruptAll(fibers))
  )
  return (fiber: Fiber.Fiber<unknown>) => {
    if (scope.state._tag === "Closed") return fiber.interruptUnsafe()
    fiber.addObserver(fibers.enter(fiber))
  }
})

interface Following {
  readonly conclude: (exit: Exit.Exit<Reply>) => void
  readonly wait: (fiber: Fiber.Fiber<Reply>) => void
}

/** Concludes what is known at once in this moment; else runs it, unless its client leaves before it is known. */
const follow = <R>(
  context: Context.Context<R>,
  answered: Effect.Effect<Reply, never, R>,
  answer: ServerResponse,
  { conclude, wait }: Following
): void => {
  if (Exit.isExit(answered)) {
    conclude(answered as Exit.Exit<Reply>)
    return
  }
  const fiber = Effect.runForkWith(context)(answered)
  const exit = fiber.pollUnsafe()
  if (exit !== undefined) {
    conclude(exit)
    return
  }
  const leave = () => {
    if (!answer.writableEnded) fiber.interruptUnsafe()
  }
  answer.once("close", leave)
  fiber.addObserver((ended) => {
    answer.off("close", leave)
    conclude(ended)
  })
  wait(fiber)
}

/** What serves a call that was found and let in. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const { choose, origins, proxies, scope, turns } = options
  const { siteUrl } = yield* Deployment
  const room = yield* Room
  const { kept, other } = Told.constantHeaders(siteUrl)
  const constant = { kept: listed(kept), other: listed(other) }
  const warn = Forwarded.warner(proxies)
  const areTraced = yield* Spans.areOn
  const wait = yield* waitingIn(scope)

  const told = (
    request: Request,
    requestId: string,
    begun: Effect.Effect<Reply, unknown, RequestId | Visit.Visit>
  ): Effect.Effect<Reply, never, RequestId | Visit.Visit> =>
    Effect.matchCauseEffectEager(begun, {
      onSuccess: Effect.succeed,
      onFailure: (cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.interrupt
          : Effect.map(
              Told.refusalOf(request, requestId, cause),
              (refusal): Reply => Answer.refusal(request, refusal, { requestId, siteUrl })
            )
    })

  const begin = (
    { endpoint, params }: Found,
    request: Request,
    { answer, entry, incoming, refusal, visit }: Arrival
  ): void => {
    const requestId = choose(request.headers["x-request-id"])
    const identified = Context.add(endpoint.context, RequestId, requestId)
    const context = Context.add(identified, Visit.Visit, visit)
    const begun =
      refusal === undefined
        ? Unexpected.begun(() => endpoint.handle(request, params, context))
        : Effect.fail(refusal)
    const paced = Strangers.paced(visit, entry, told(request, requestId, begun))
    const noticed =
      request.headers["x-forwarded-for"] === undefined
        ? paced
        : Effect.andThen(warn(request), paced)
    const answered = areTraced ? inServerSpan(request, noticed) : noticed
    const conclude = (exit: Exit.Exit<Reply>) => {
      visit.end()
      // Nobody is there any more, or the service is about to stop.
      if (exit._tag === "Failure") return void incoming.socket.destroy()
      Meter.countIn(context, exit.value.status)
      const reply = Cors.allowing(origins, request.headers.origin, exit.value)
      const isKept = reply.headers["cache-control"] !== undefined
      write(incoming, answer, reply, requestId, isKept ? constant.kept : constant.other)
    }
    follow(context, answered, answer, { conclude, wait })
  }

  return (found: Found, incoming: IncomingMessage, answer: ServerResponse, entry: Entry): void => {
    const request = requestOf(incoming, answer, entry.asked)
    const visit = Visit.make(incoming, proxies, turns, entry)
    const refusal = entry.refusal ?? room(incoming)
    const arrival = { answer, entry, incoming, refusal, visit }
    // Strangers are not read before it is known whether they are strangers.
    if (refusal !== undefined || entry.key === undefined) begin(found, request, arrival)
    else {
      request.whenShortIsRead(() => {
        if (incoming.socket.destroyed) visit.end()
        else begin(found, request, arrival)
      })
    }
  }
})
