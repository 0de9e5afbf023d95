/**
 * The operator's commands that take authority away, each with words that it takes. A test holds them against the command
 * line, so that whoever adds one says which it is.
 */
export const takingCommands = {
  "humans suspend": "a --passkey p",
  "humans role": "a --human h --role viewer",
  "humans remove": "a --human h",
  "keys revoke": "a --key-id k",
  "tier set": "a --tier personal",
  "plan set": "a --plan personal",
  pause: "a"
} as const

export type TakingCommand = keyof typeof takingCommands
