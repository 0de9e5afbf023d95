/**
 * Puts something around every call of a port: a fault before it, a lost reply after it, a delay, a
 * crash. The code under test stays as it is; only the layer it is given differs.
 */
import { type Context, Effect, Layer } from "effect"

/** Sees each call by its name (`Transfers.record`) and decides what happens to it. */
export type Wrap = <A, E, R>(name: string, call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

const isEffect = (value: unknown): value is Effect.Effect<unknown, unknown, unknown> =>
  Effect.isEffect(value)

/** A record of effects and of functions, with `wrap` around each of its calls. */
export const wrapped = <Shape extends object>(port: string, shape: Shape, wrap: Wrap): Shape =>
  Object.fromEntries(
    Object.entries(shape).map(([name, member]) => {
      if (isEffect(member)) return [name, wrap(`${port}.${name}`, member)]
      if (typeof member !== "function") return [name, member]
      const around = (...inputs: ReadonlyArray<unknown>) => {
        const result = member(...inputs)
        return isEffect(result) ? wrap(`${port}.${name}`, result) : result
      }
      return [name, around]
    })
    // A port is a record of effects and of functions; the entries are those of the shape itself.
  ) as Shape

/** The port of a layer, with `wrap` around each of its calls. */
export const around = <Id, Shape extends object, E, R>(
  port: Context.Service<Id, Shape>,
  layer: Layer.Layer<Id, E, R>,
  wrap: Wrap
): Layer.Layer<Id, E, R> =>
  Layer.effect(
    port,
    Effect.map(port, (shape) => wrapped(port.key.split("/").at(-1) ?? port.key, shape, wrap))
  ).pipe(Layer.provide(layer))
