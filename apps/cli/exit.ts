/** How a command ends: with an exit code that scripts may rely on, and lines for whoever reads stderr. */
import { Data } from "effect"

/** What each exit code says, in the words of the manual. */
export const meanings = {
  0: "It was executed.",
  1: "The call failed and nothing was executed; stderr says why and what to run next.",
  2: "The command line is invalid, or the address or key is missing; nothing was sent.",
  3: "The service or the database is unavailable; nothing was executed. Try again later.",
  4: "The outcome is unknown: the call may have been executed. Run it again with the same idempotency key."
} as const

export type ExitCode = keyof typeof meanings

/** A command that cannot go on. */
export class Stopped extends Data.TaggedError("Stopped")<{
  readonly exitCode: Exclude<ExitCode, 0>
  readonly lines: ReadonlyArray<string>
}> {
  override get message() {
    return this.lines.join("\n")
  }
}

export const refused = (...lines: ReadonlyArray<string>) => new Stopped({ exitCode: 1, lines })
export const misused = (...lines: ReadonlyArray<string>) => new Stopped({ exitCode: 2, lines })
export const unavailable = (...lines: ReadonlyArray<string>) => new Stopped({ exitCode: 3, lines })
export const unknown = (...lines: ReadonlyArray<string>) => new Stopped({ exitCode: 4, lines })
