/**
 * Whether the database refused what was said, and for nothing else: then nothing of it was done, and it may be said again in
 * another way.
 */
import { Cause, Exit, Predicate } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { MissingRow } from "./waiting-writes.ts"

/**
 * What the database refuses for what a statement says, and never after it has committed: values, constraints, conflicts with
 * others, limits of size and memory, locks that others keep, and what functions of ours raise. Any other code may be of a
 * session that ended, as are those of the network, such as EPIPE.
 */
const ofWhatIsSaid = /^(?:0A|21|22|23|3[89]|40|42|44|53[24]|54|55|57014|P0)/u

/** Values that the client cannot write: nothing was sent. What is written here answers nothing that it would have to read. */
const unwritable: ReadonlyArray<unknown> = ["PgTypesCodecError", "PgProtocolEncodeError"]

const isOfWhatIsSaid = ({ reason: { cause } }: SqlError): boolean =>
  (Predicate.hasProperty(cause, "code") && ofWhatIsSaid.test(String(cause.code))) ||
  (Predicate.hasProperty(cause, "_tag") && unwritable.includes(cause._tag))

export const wasRefused = (exit: Exit.Exit<unknown, SqlError>): boolean =>
  Exit.isFailure(exit) &&
  exit.cause.reasons.some(
    (reason) =>
      (Cause.isFailReason(reason) && isOfWhatIsSaid(reason.error)) ||
      (Cause.isDieReason(reason) && reason.defect instanceof MissingRow)
  )
