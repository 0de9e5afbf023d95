/**
 * What a command and a running service say to each other over the socket in the data directory: one line of JSON
 * each way. Whoever may open the directory may say anything here, and nobody else can.
 */
import { join } from "node:path"
import { Schema } from "effect"

/** Beside the data itself, in a directory that is its owner's alone. */
export const socketIn = (directory: string): string => join(directory, "operator.sock")

/** A longer line is no command of ours. */
export const maxAskedBytes = 65_536

/** The words behind `bursar`, and how wide the terminal is. */
export const Asked = Schema.Struct({
  words: Schema.Array(Schema.String),
  columns: Schema.NullOr(Schema.Int)
})

/** What the command printed, in order, and its exit code. */
export const Answered = Schema.Struct({
  lines: Schema.Array(
    Schema.Struct({ to: Schema.Literals(["stdout", "stderr"]), text: Schema.String })
  ),
  exitCode: Schema.Literals([0, 1, 2, 3, 4])
})
export type Answered = typeof Answered.Type
