/** What the records say to the database while something runs, heard where statements report to tracing. */
import { Effect, References, Tracer } from "effect"
import { Session } from "../adapters/postgres/session.ts"
import * as Spans from "../core/operation/spans.ts"
import { gist } from "./pgbench.ts"

const nobody = (_statement: string): void => undefined
let hear = nobody

interface Saying {
  say: (
    said: { readonly statement: string },
    isPrepared?: boolean
  ) => Effect.Effect<unknown, unknown>
}

const saying = Session.prototype as unknown as Saying
const { say } = saying
saying.say = function (this: Saying, said, isPrepared) {
  return Effect.suspend(() => {
    hear(said.statement)
    return say.call(this, said, isPrepared)
  })
}

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

/** What goes to the server, in order and as it is said there: several questions may be one statement. */
export const said = <A, E, R>(
  work: Effect.Effect<A, E, R>
): Effect.Effect<ReadonlyArray<string>, E, R> =>
  Effect.suspend(() => {
    const statements: Array<string> = []
    hear = (statement) => void statements.push(statement)
    const over = Effect.sync(() => {
      hear = nobody
    })
    return Effect.as(Effect.ensuring(work, over), statements)
  })

/** The gist of each statement that the records ask for, in order, however it is said. */
export const heard = <A, E, R>(
  work: Effect.Effect<A, E, R>
): Effect.Effect<ReadonlyArray<string>, E, R> =>
  Effect.suspend(() => {
    const statements: Array<string> = []
    const tracer = Tracer.make({
      span: (options) =>
        new Hearing(options, (statement) => statements.push(...[gist(statement) ?? []].flat()))
    })
    // Where nobody collects spans, none are made that could be heard.
    const traced = Effect.provideService(work, References.TracerEnabled, true).pipe(
      Effect.provide(Spans.on)
    )
    return Effect.as(Effect.withTracer(traced, tracer), statements)
  })
