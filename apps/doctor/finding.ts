/** What was found of one part of an installation: whether it works, and if not, what to do. */
import { Schema } from "effect"

export const Finding = Schema.Struct({
  part: Schema.String,
  /** `problem`: the service does not work as it should. `warning`: it works, and somebody should look. */
  status: Schema.Literals(["ok", "warning", "problem"]),
  message: Schema.String
})
export type Finding = typeof Finding.Type

const findingOf =
  (status: Finding["status"]) =>
  (part: string, message: string): Finding => ({ part, status, message })

export const ok = findingOf("ok")
export const warning = findingOf("warning")
export const problem = findingOf("problem")
