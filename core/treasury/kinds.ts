/** The closed union of kinds: what confirm can do, and nothing else. */

import { addRecipientKind } from "../recipients/add.ts"
import { approveRecipientKind } from "../recipients/release.ts"
import { tokenApprove } from "../trade/token-approve.ts"
import { refund } from "../transfers/refund.ts"
import { send } from "../transfers/send.ts"
import { createAccountKind } from "../wallets/open.ts"
import { renameAccountKind } from "../wallets/rename.ts"

export const kinds = {
  send,
  token_approve: tokenApprove,
  refund,
  rename_account: renameAccountKind,
  create_account: createAccountKind,
  add_recipient: addRecipientKind,
  approve_recipient: approveRecipientKind
}
