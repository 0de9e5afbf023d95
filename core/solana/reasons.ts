/** What is told of a submission on Solana that waits or fails, as sentences for people. */

export const outOfLamports = "The relayer has too little SOL."
export const outlayReached =
  "The daily limit of network fees is reached; it goes on tomorrow (UTC)."
export const replyLost = "The node's answer was lost; it is looked for on the chain."

export const tooBusy = (asked: bigint, bound: bigint) =>
  `The network asks a priority fee of ${asked} micro-lamports, more than the operator's limit of ${bound}; it goes on when the network asks less.`

export const atTheBound = (bound: bigint) =>
  `The network did not take the transaction at the operator's limit of ${bound} micro-lamports of priority fee; it is tried again.`

export const tooSmallToOpen = (least: string) =>
  `The recipient has no USDC account on Solana yet, and opening one costs a fee that is laid out only for sends of ${least} USDC or more. Send more, or let the recipient open the account.`

export const openedLately =
  "The recipient's USDC account was opened by this treasury within the last 30 days and is closed again; let the recipient open it."

export const expired = "The block that the payer's transaction names is too old; no block takes it."
export const outOfUsdc = "The wallet holds too little USDC."
