/**
 * Gathers what is asked in one turn of the event loop and answers it together. Whoever asks waits for its own answer
 * alone, and nothing that lives longer than the turn ever knew of it: what the collector finds in a list that is kept
 * and emptied again and again survives with all that it refers to.
 */
import { type Context, Effect, Exit } from "effect"

export interface Asked<Question, Answer, E> {
  readonly question: Question
  /** The first answer counts. */
  readonly answer: (exit: Exit.Exit<Answer, E>) => void
}

const unanswered = Exit.die(new Error("What was asked was not answered"))

/** `answerAll` is handed what was asked before the turn ended, by whoever still waits for it. */
export const gatheredInTurn = <Question, Answer, E>(
  answerAll: (all: ReadonlyArray<Asked<Question, Answer, E>>) => Effect.Effect<void>
): ((question: Question) => Effect.Effect<Answer, E>) => {
  type Waiting = Asked<Question, Answer, E>
  let gathered: Array<Waiting> = []
  let isDue = false

  const answered = (all: ReadonlyArray<Waiting>) =>
    Effect.onExit(answerAll(all), (exit) =>
      Effect.sync(() => {
        // Who was left out would wait for ever.
        for (const { answer } of all)
          answer(Exit.isFailure(exit) ? Exit.failCause(exit.cause) : unanswered)
      })
    )

  const atEnd = (context: Context.Context<never>) => () => {
    const all = gathered
    gathered = []
    isDue = false
    if (all.length > 0) Effect.runForkWith(context)(answered(all))
  }

  return (question) =>
    Effect.withFiber(({ context }) =>
      Effect.callback((resume) => {
        const asked: Waiting = { question, answer: resume }
        gathered.push(asked)
        if (!isDue) setImmediate(atEnd(context))
        isDue = true
        return Effect.sync(() => {
          const at = gathered.indexOf(asked)
          if (at >= 0) gathered.splice(at, 1)
        })
      })
    )
}
