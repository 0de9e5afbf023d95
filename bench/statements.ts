/** What the records say to the database while something runs, heard where statements report to tracing. */
import { Effect, Tracer } from "effect"
import { gist } from "./pgbench.ts"

class Hearing extends Tracer.NativeSpan {
  readonly #hear: (statement: string) => void

  constructor(
    options: ConstructorParameters<typeof Tracer.NativeSpan>[0],
    hear: (statement: string) => void
  ) {
    super(options)
    this.#hear = hear
  }

  override attribute(key: string, value: unknown): void {
    super.attribute(key, value)
    if (key === "db.query.text") this.#hear(String(value))
  }
}

/** What is kept of a statement that was heard; nothing of some. */
export type Of = (statement: string) => string | undefined

export const gists: Of = gist
export const whole: Of = (statement) => statement

/** The gist of each statement, or what else is kept of it, in order. */
export const heard = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  of: Of = gists
): Effect.Effect<ReadonlyArray<string>, E, R> =>
  Effect.suspend(() => {
    const statements: Array<string> = []
    const tracer = Tracer.make({
      span: (options) =>
        new Hearing(options, (statement) => statements.push(...[of(statement) ?? []].flat()))
    })
    return Effect.as(Effect.withTracer(work, tracer), statements)
  })
