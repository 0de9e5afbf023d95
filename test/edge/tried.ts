/** A part of the verification as a test, with a small crowd; large ones, with the figures, are `npm run verify:edge`. */
import type { Part } from "../money/part.ts"
import * as Trial from "../money/tried.ts"
import { program } from "./parts.ts"

export const tried = (part: Part) =>
  Trial.tried({
    title: "clients that do not read, before a real process",
    program,
    parts: [part],
    patienceMs: 300_000
  })
