/**
 * The floors of core, from the ground up, and what stands on each. A room imports from the rooms below it
 * and from no other, so that whoever changes a room knows who may notice.
 */
export const floors: ReadonlyArray<readonly [room: string, holds: string]> = [
  ["encoding", "canonical JSON, base64, text that is safe to show"],
  ["time", "timestamps and expiry"],
  ["money", "decimals and USDC"],
  ["chains", "the chains there are, and what their tokens are called"],
  ["ports", "the outside world: chains, prices, mail, keys, webhooks' receivers, clockwork"],
  ["background", "worker loops, leases, cleanup in batches"],
  ["operation", "the operation, the one way in, idempotency, rate limits, refusals, lists"],
  [
    "timeline",
    "the line of history that the records are on, whether anything may be sent on it, and what is the same on every line"
  ],
  ["tokens", "the pinned list of tokens, how one is named, and what it costs"],
  ["audit", "the log of what happened, its tree and its proofs"],
  ["notices", "what somebody of an account should look at"],
  ["accounts", "accounts and their keys"],
  ["humans", "people, passkeys and sessions"],
  ["webhooks", "endpoints, events and deliveries"],
  ["mail", "outgoing email"],
  ["people", "who may do what in an account, and what they are told"],
  ["governance", "challenges, and requests that wait for a passkey"],
  ["cosigners", "invites, memberships, rules by bands, counting of votes"],
  ["policy", "tiers, plans, what was bought of them, limits and the ledger of spending"],
  ["submissions", "what is submitted to chains: its life and lease, its submitter, its purposes"],
  ["evm", "how a submission goes on on an EVM chain: its journal, its relayer, its fees"],
  ["solana", "how a submission goes on on Solana: its journal, its marks, its relayer, its fees"],
  ["waits", "what executions wait for outside: its life and lease, and who looks after it"],
  ["proposals", "the proposal, its kinds seen from below, its life"],
  ["wallets", "wallets, and the kinds that open and rename them"],
  ["recipients", "who may be paid, and the kinds that add and approve them"],
  ["sales", "what a trade is worth and risks, and what it holds of a wallet"],
  ["approvals", "decisions on proposals and requests: passkeys and votes"],
  ["keys", "creating, restricting and revoking API keys"],
  ["x402", "payments by signature: verifying what was signed, waiting for the result"],
  ["payments", "payment requests, checkout, deposits, matching, settlement"],
  ["transfers", "sends and refunds of USDC"],
  ["agents", "accounts that agents buy and renew"],
  ["yields", "what vaults that earn pay, and what wallets have in them"],
  ["discovery", "finding tokens by name and by rank"],
  ["quotes", "what venues and bridges would give, and the floor that follows"],
  ["trade", "token approvals: what a spender may take"],
  ["routing", "the ways there are between chains, and whether venues answer"],
  ["swaps", "swaps of tokens on one chain: quotes, proposals, orders"],
  ["bridges", "tokens from chain to chain, and their way until they have arrived"],
  ["portfolio", "balances and their value in USD"],
  ["books", "what came and went in a period, as bookkeepers' programs read it"],
  ["guide", "the guide for agents, and the one of trades between chains"],
  ["treasury", "every registry: the catalogue, the kinds, the purposes, the workers, the settings"]
]

/** What an adapter binds: a service of the outside world, or of a room's own store. */
export const isPort = (path: string): boolean =>
  path.startsWith("core/ports/") || /-(store|ledger|resends|limits)\.ts$/u.test(path)
