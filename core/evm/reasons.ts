/** What is told of a submission on an EVM chain that waits or fails, as sentences for people. */

export const outOfGas = "The relayer is out of gas."
export const outlayReached =
  "The daily limit of network fees is reached; it goes on tomorrow (UTC)."
export const ranOut = "The authorization expired before the token accepted it."
export const reverted = "The transaction was reverted; it ends when its authorization expires."
export const revertedForGood = "The transaction was reverted, and the authorization expired."
export const replyLost = "The node's answer was lost; it is looked for on the chain."
