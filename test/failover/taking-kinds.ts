/**
 * The kinds of writes that rounds take authority away with: all operations and commands that the lists in code have, and
 * what a person does in the console beside them. A run must have seen each.
 */
import { type TakingAuthority, takingAuthority } from "../../core/operation/taking-authority.ts"
import { type TakingCommand, takingCommands } from "../support/taking-commands.ts"

const inConsole = ["console pause", "console remove_passkey", "console sign_governance"] as const

/** A command is known by its words behind the name of the program: `bursar pause` is the operator's. */
export type Kind = TakingAuthority | `bursar ${TakingCommand}` | (typeof inConsole)[number]

export const kinds = [
  ...takingAuthority,
  ...Object.keys(takingCommands).map((command) => `bursar ${command}`),
  ...inConsole
] as ReadonlyArray<Kind>
