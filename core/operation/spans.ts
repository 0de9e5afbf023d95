/**
 * Spans, named by operation (`create_payment_request`) and by port (`Chains.balances`). None is made, and
 * nothing is paid for them, until a program builds its ports with `over` and provides `on` with a tracer.
 */
import { Context, Effect, Layer, References } from "effect"

const IsTraced = Context.Reference<boolean>("bursar/operation/IsTraced", {
  defaultValue: () => false
})

/** Whether operations have spans of their own. */
export const areOn: Effect.Effect<boolean> = Effect.service(IsTraced)

/** The same of a context that is at hand. */
export const areOnIn = (context: Context.Context<never>): boolean => Context.get(context, IsTraced)

/** Makes operations have spans of their own. */
export const on: Layer.Layer<never> = Layer.succeed(IsTraced, true)

/** Makes none at all, not even what a library makes by itself, such as one of each statement. */
export const off: Layer.Layer<never> = Layer.succeed(References.TracerEnabled, false)

/** The work of one operation, under a span of its name where spans are on in this context. */
export const inSpanWhere = <A, E, R>(
  context: Context.Context<never>,
  name: string,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Context.get(context, IsTraced)
    ? (Effect.withSpan(work, name, { captureStackTrace: false }) as Effect.Effect<A, E, R>)
    : work

/** The same of a context that is not at hand. */
export const inSpan = <A, E, R>(
  name: string,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.contextWith((context: Context.Context<never>) => inSpanWhere(context, name, work))

const prefix = "bursar/"

const traced = (name: string, member: unknown): unknown => {
  const under = (work: unknown) =>
    Effect.isEffect(work) ? Effect.withSpan(work, name, { captureStackTrace: false }) : work
  return typeof member === "function"
    ? (...given: ReadonlyArray<unknown>) => under(member(...given))
    : under(member)
}

/** What a port has at hand is no effect, so no span would tell of it: where spans are made, effects are asked. */
const isEffectful = (member: string) => member !== "atHand"

/** Ports are plain records; anything else keeps its own ways. */
const isPort = (key: string, service: unknown): service is object =>
  key.startsWith(prefix) &&
  typeof service === "object" &&
  service !== null &&
  Object.getPrototypeOf(service) === Object.prototype

const tracedPort = (key: string, port: object): object => {
  const name = key.slice(key.lastIndexOf("/") + 1)
  return Object.fromEntries(
    Object.entries(port)
      .filter(([member]) => isEffectful(member))
      .map(([member, value]) => [member, traced(`${name}.${member}`, value)])
  )
}

/** The same ports, with a span around each of their effects: `PaymentRequests.find`. Other services stay as they are. */
export const over = <A, E, R>(ports: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.flatMap(ports, (context) =>
    Layer.succeedContext(
      Context.makeUnsafe<A>(
        new Map(
          Array.from(context.mapUnsafe, ([key, service]) => [
            key,
            isPort(key, service) ? tracedPort(key, service) : service
          ])
        )
      )
    )
  )
