/** An account: the owner of wallets, keys, requests and webhooks, and the border no read crosses. */
import { type DateTime, Schema } from "effect"
import type { FundingWallet } from "../chains/address.ts"
import { KeyKind } from "../operation/caller.ts"
import { NotFound } from "../operation/refusal.ts"
import * as Timestamp from "../time/timestamp.ts"

export interface Account {
  readonly id: string
  readonly name: string
  readonly kind: KeyKind
  /** What it was given or paid for; what it is judged by is `tierAt` an instant. */
  readonly tier: "personal" | "startup"
  readonly livemode: boolean
  /** An agent's: the wallet that paid for it and signs when it governs. */
  readonly fundingWallet: FundingWallet | null
  /** An agent's: where a human is reached who may claim the account; null when nobody was named. */
  readonly contactEmail: string | null
  /** An agent's: when the plan it paid for ends; null when it never does. */
  readonly subscriptionExpiresAt: DateTime.Utc | null
  /** Since when nothing of it moves money; null while it runs. */
  readonly pausedAt: DateTime.Utc | null
  /** Who paused it, as the audit log names them; null while it is not paused. */
  readonly pausedBy: string | null
  readonly createdAt: DateTime.Utc
}

/** The refusal of an id that no account has. */
export const noSuchAccount = () =>
  new NotFound({ param: "account", message: "There is no account with this id." })

export const fields = {
  id: Schema.String,
  name: Schema.String,
  kind: KeyKind,
  tier: Schema.Literals(["personal", "startup"]),
  livemode: Schema.Boolean,
  createdAt: Timestamp.Encoded
}
