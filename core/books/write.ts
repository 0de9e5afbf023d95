/**
 * Writes the books of a period piece by piece, as they are read from the chains. The last piece is written only when
 * opening, movements and closing agree.
 */
import { Effect, Stream } from "effect"
import type { closeBooks, Part } from "./close.ts"
import { type FormatName, formats } from "./formats.ts"
import type { Movement } from "./movement.ts"
import { type Held, heldKey } from "./statement.ts"

type Closing = Effect.Success<ReturnType<typeof closeBooks>>

/** Text of one wallet and token, kept aside until all of it can stand together. */
export interface Aside<E> {
  readonly put: (key: string, text: string) => Effect.Effect<void, E>
  readonly take: (key: string) => Stream.Stream<string, E>
}

export interface Writing<E> {
  readonly write: (text: string) => Effect.Effect<void, E>
  readonly aside: Aside<E>
  readonly progress: (part: Part) => Effect.Effect<void>
}

const keyOf = ({ log, wallet }: Movement): string => heldKey(wallet.id, log.token)

/** Writes all of it; how many movements there were. */
export const writeBooks = Effect.fnUntraced(function* <E>(
  { moved, parts, statement, verdict }: Closing,
  name: FormatName,
  { aside, progress, write }: Writing<E>
) {
  const format = formats[name](statement)
  const isActive = (each: Held): boolean =>
    each.openingUnits !== 0n ||
    each.closingUnits !== 0n ||
    moved(heldKey(each.wallet.id, each.token.address))
  let count = 0
  yield* write(format.head(statement))
  yield* Stream.runForEach(parts, (part) =>
    Effect.gen(function* () {
      count += part.movements.length
      if (format.around === undefined) yield* write(part.movements.map(format.movement).join(""))
      else {
        for (const [key, some] of Map.groupBy(part.movements, keyOf)) {
          yield* aside.put(key, some.map(format.movement).join(""))
        }
      }
      yield* progress(part)
    })
  )
  yield* verdict
  for (const held of format.around === undefined ? [] : statement.held.filter(isActive)) {
    const around = format.around?.(statement, held)
    if (around === undefined) continue
    yield* write(around.before)
    const key = heldKey(held.wallet.id, held.token.address)
    yield* Stream.runForEach(aside.take(key), write)
    yield* write(around.after)
  }
  yield* write(format.tail(statement, isActive))
  return count
})
