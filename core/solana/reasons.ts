/** What is told of a submission on Solana that waits or fails, as sentences for people. */

export const outOfLamports = "The relayer has too little SOL."
export const outlayReached =
  "The daily limit of network fees is reached; it goes on tomorrow (UTC)."
export const recordsBehind =
  "The records are older than marks that were taken back, so nothing is signed until the operator has run bursar reconcile."
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
export const venueAway = "The swap venue does not answer; it is asked again."
export const noRoute = "The swap venue has no route for this amount now. Nothing was sold."
export const tooSmallToSwap = "The amount is below what the swap venue takes. Nothing was sold."
export const belowFloor =
  "A fresh quote gives less than the minimum that was approved. Nothing was sold; propose it again."
export const tooLate =
  "The time until which it was approved has passed. Nothing was sold; propose it again."
export const priceMoved = "The price moved beyond the minimum before the swap came into a block."
export const hashDied = "The network did not take the swap in time."
export const routeRefused =
  "The venue's route does other things than swap and was not signed; the operator is alerted."

export const triedOut = (tries: number, last: string) =>
  `It was tried ${tries} times and nothing was sold. Last: ${last} Propose it again.`
