/** The closed union of kinds: what confirm can do, and nothing else. */
import { refund } from "../payments/refund.ts"
import { addRecipientKind } from "../recipients/add.ts"
import { approveRecipientKind } from "../recipients/release.ts"
import { tokenApprove } from "../trade/token-approve.ts"
import { createAccountKind } from "../wallets/open.ts"
import { renameAccountKind } from "../wallets/rename.ts"
import { send } from "./transfer.ts"

export const kinds = {
  send,
  token_approve: tokenApprove,
  refund,
  rename_account: renameAccountKind,
  create_account: createAccountKind,
  add_recipient: addRecipientKind,
  approve_recipient: approveRecipientKind
}
