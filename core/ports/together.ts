/**
 * Questions to the records that belong together. A storage may ask them as one; what each answers stays its own, and
 * none of them may write.
 */
import { Context, Effect } from "effect"

// biome-ignore lint/suspicious/noExplicitAny: each question has its own type, which the tuple keeps.
type Questions = ReadonlyArray<Effect.Effect<any, any, any>>

type Answers<All extends Questions> = {
  -readonly [At in keyof All]: Effect.Success<All[At]>
}

type Answered<All extends Questions> = Effect.Effect<
  Answers<All>,
  Effect.Error<All[number]>,
  Effect.Services<All[number]>
>

/** How the storage asks what belongs together; by itself one after the other. */
export const Together = Context.Reference<{
  readonly ask: <const All extends Questions>(questions: All) => Answered<All>
  /** Whether a transaction knows again what it was answered. */
  readonly isRemembered: boolean
}>("bursar/ports/Together", {
  defaultValue: () => ({
    ask: <const All extends Questions>(questions: All) => Effect.all(questions) as Answered<All>,
    isRemembered: false
  })
})

/** The answers, in the order of the questions. */
export const askTogether = <const All extends Questions>(questions: All): Answered<All> =>
  Effect.flatMap(Together, ({ ask }) => ask(questions))

/**
 * Asks now what the rules of the running transaction will ask one by one, locks first and in this order. A storage that
 * remembers nothing is asked nothing.
 */
export const askAhead = <const All extends Questions>(
  questions: All
): Effect.Effect<void, Effect.Error<All[number]>, Effect.Services<All[number]>> =>
  Effect.flatMap(Together, ({ ask, isRemembered }) =>
    isRemembered ? Effect.asVoid(ask(questions)) : Effect.void
  )
