/**
 * The kinds of writes that rounds take authority away with, operations and the operator's commands `pause` and `tier set`;
 * a run must have seen each.
 */
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
