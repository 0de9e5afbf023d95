/** What is told of a submission on an EVM chain that waits or fails, as sentences for people. */

export const outOfGas = "The relayer is out of gas."
export const outlayReached =
  "The daily limit of network fees is reached; it goes on tomorrow (UTC)."
export const ranOut = "The authorization expired before the token accepted it."
export const reverted = "The transaction was reverted; it ends when its authorization expires."
export const revertedForGood = "The transaction was reverted, and the authorization expired."
export const spentOtherwise = "The authorization was cancelled, or its nonce was used for another."
export const walletBusy = "Another transaction of the wallet is under way; this one follows it."
export const walletAhead =
  "The wallet has sent transactions that these records do not know; the operator is alerted."
export const chainBehind = "The chain has lost transactions of the wallet; it waits for them."
export const lending = "The wallet is being lent the network fees."
export const feesRose = "The network fees rose faster than they could be lent."
export const callReverted = "The transaction was reverted; nothing was changed."
export const notAsExpected = "The transaction ran and did not do what it was for."
export const voiding = "No block took the transaction in time; its nonce is being used up."
export const voided =
  "No block took the transaction in time, and it never will; nothing was changed."
export const replyLost = "The node's answer was lost; it is looked for on the chain."
