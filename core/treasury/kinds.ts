/** The registry of kinds: what confirm can do, and nothing else. A new kind is its file and its line here. */
import { Layer } from "effect"
import { bridge } from "../bridges/bridge.ts"
import { type AnyDefinition, type Kind, Kinds } from "../proposals/kind.ts"
import { addRecipientKind } from "../recipients/add.ts"
import { approveRecipientKind } from "../recipients/release.ts"

import { solanaSwap } from "../swaps/solana-swap.ts"
import { swap } from "../swaps/swap.ts"

import { tokenApprove } from "../trade/token-approve.ts"
import { refund } from "../transfers/refund.ts"
import { send } from "../transfers/send.ts"
import { createAccountKind } from "../wallets/open.ts"
import { renameAccountKind } from "../wallets/rename.ts"

export const kinds = {
  send,
  token_approve: tokenApprove,
  solana_swap: solanaSwap,
  refund,
  swap,
  bridge,
  rename_account: renameAccountKind,
  create_account: createAccountKind,
  add_recipient: addRecipientKind,
  approve_recipient: approveRecipientKind
}

type All = typeof kinds

declare module "../proposals/kind.ts" {
  interface Registry extends All {}
}

/** Hands the registry to the rooms below. */
export const layer = Layer.succeed(
  Kinds,
  // Each stands under its own name.
  kinds satisfies { readonly [Name in Kind]: AnyDefinition<Name> }
)
