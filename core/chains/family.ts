/**
 * What chains of one kind have in common: how an address and a transaction are told apart, how a payment is
 * asked for, how a challenge names them. Each family is one pure value; no other room asks which family it is.
 */
import type { Chain, Family } from "./chain.ts"
import type { Curve } from "./key.ts"

/** What a payer's wallet is asked to send. */
export interface PaymentAsked {
  readonly chain: Chain
  /** The token's contract or mint. */
  readonly token: string
  readonly payTo: string
  /** In the token's smallest units. */
  readonly units: bigint
  /** An address that the payment names beside, by which it is told which request it is for (Solana Pay). */
  readonly reference?: string
  /** Who asks, and what for, where a wallet shows it (Solana Pay). */
  readonly label?: string
  readonly message?: string
}

/** What of a payment's URI its payer sends by. */
export interface PaymentRead {
  /** As `chainReference` names the chain; undefined where the URI leaves it to the token. */
  readonly chainReference: string | undefined
  readonly token: string
  readonly payTo: string
  readonly units: bigint
  readonly reference: string | undefined
}

/** As an injected wallet takes it (`eth_sendTransaction`); numbers are hexadecimal. */
export interface WalletCall {
  readonly chainId: string
  readonly to: string
  readonly data: string
  readonly value: "0x0"
}

export interface Coin {
  readonly symbol: string
  readonly name: string
  readonly decimals: number
}

/**
 * How an owner lets a spender take a token without a transaction of their own: not at all, by a permit (EIP-2612),
 * or by a permit of Circle's contracts, whose domain has a version of its own. Unknown is none: it costs gas alone.
 */
export type Permit = "none" | "eip2612" | "fiattoken"

/** A token by its contract or mint, in display form. */
export interface KnownToken extends Coin {
  readonly address: string
  readonly permit: Permit
  /** What sources of prices call it; null where only its address names it. */
  readonly priceId: string | null
  /** Whether an allowance goes from one amount to another by way of zero alone. */
  readonly approvesByZero: boolean
  /** Whether its issuer calls it otherwise there than everybody does, so that its own symbol says nothing of it. */
  readonly isRenamed?: true
  /** The Keccak-256 of its code, in hex, where that stays for ever; left out where somebody may put other code there. */
  readonly codeHash?: string
}

export interface ChainFamily {
  readonly family: Family
  /** What its wallets sign on. */
  readonly curve: Curve
  /** What a wallet calls its account in a challenge: "Ethereum account". */
  readonly accountWord: string
  /** What an address looks like, for whoever wrote another: "Send …". */
  readonly addressForm: string
  /** The address a text is, in display form; undefined when it is none, or misspelt by its checksum. */
  readonly parseAddress: (text: string) => string | undefined
  /** The identity of an address: two texts are one address exactly when their keys are equal. */
  readonly addressKey: (address: string) => string
  /** The identity of a transaction. */
  readonly transactionKey: (transactionId: string) => string
  /** The transaction id a text is, as its key; undefined when it is none. */
  readonly parseTransactionId: (text: string) => string | undefined
  /** The chain as challenges name it (EIP-4361, CAIP-122). */
  readonly chainReference: (chain: Chain) => string
  /** What the QR code of a payment says (EIP-681, Solana Pay). */
  readonly paymentUri: (asked: PaymentAsked) => string
  /** What such a code asks for; undefined for any other text. */
  readonly readPaymentUri: (uri: string) => PaymentRead | undefined
  /** The one call that pays; undefined where browsers' wallets take no such call. */
  readonly walletCall: (asked: PaymentAsked) => WalletCall | undefined
  /**
   * The chain as the Wallet Standard names it, where browsers' wallets sign whole transactions; undefined elsewhere.
   */
  readonly walletChain: (chain: Chain) => string | undefined
  /** Whether its wallets sign payments that others submit, as x402 asks for. */
  readonly takesAuthorizations: boolean
  /** Whether a wallet can let a spender take money later (allowances). */
  readonly takesApprovals: boolean
  /** Why money sent to this address is lost, by its key; undefined for any other. */
  readonly whyLost: (addressKey: string) => string | undefined
  /** What the API calls where a token stands: `sellTokenAddress`, or `sellMint`. */
  readonly tokenField: "TokenAddress" | "Mint"
  /** Whether a chain tells of transfers only by the addresses that it is asked about. */
  readonly tellsByAddress: boolean
  /** Whether an owner is paid into an account that somebody has to open first. */
  readonly holdsInAccounts: boolean
  /** Whether a payment can name the request that it is for, by an address of its own (`PaymentAsked`). */
  readonly takesReferences: boolean
  /** The most bytes of text that a payment may carry on the chain, for all to read; none where it carries no text. */
  readonly maxMemoBytes: number
  /** What a chain takes its fees in. */
  readonly coinOf: (chain: Chain) => Coin
  /** The tokens everybody knows, USDC aside, by chain. */
  readonly tokens: Readonly<Record<string, ReadonlyArray<KnownToken>>>
  /** In display form, for examples. */
  readonly exampleAddress: string
}
