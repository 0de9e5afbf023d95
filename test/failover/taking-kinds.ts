/** The kinds of writes that rounds take authority away with; a run must have seen each. */
/** Operations that take authority away, and the operator's commands `pause` and `tier set`. */
export const kinds = [
  "cancel_proposal",
  "revoke_api_key",
  "revoke_recipient",
  "update_cosigner_rules",
  "reject_cosigner_action",
  "revoke_cosigner_invite",
  "pause",
  "tier set"
] as const
export type Kind = (typeof kinds)[number]
