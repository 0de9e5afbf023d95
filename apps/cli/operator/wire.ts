/**
 * What a command and a running service say to each other over the socket in the data directory: one line of JSON
 * there, and back one for each line that is printed and a last one. Whoever may open the directory may say anything here, and nobody else can.
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

/** What the command prints, as it does so. */
export const Printed = Schema.Struct({
  to: Schema.Literals(["stdout", "stderr"]),
  text: Schema.String
})
export type Printed = typeof Printed.Type

/** How it ended; nothing is said after it. */
export const Ended = Schema.Struct({ exitCode: Schema.Literals([0, 1, 2, 3, 4]) })
export type Ended = typeof Ended.Type

export const Told = Schema.fromJsonString(Schema.Union([Printed, Ended]))
