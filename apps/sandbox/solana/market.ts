/**
 * Tokens of the local Solana beside USDC, and pools in which they are sold. The mints are there from the start, as
 * lists of tokens name them; the pools and the programs that route over them come when somebody first asks.
 */
import { createHash } from "node:crypto"
import {
  type Address,
  address,
  createKeyPairSignerFromPrivateKeyBytes,
  getAddressEncoder,
  getProgramDerivedAddress,
  type Instruction,
  type KeyPairSigner,
  type Lamports
} from "@solana/kit"
import { getCreateAccountInstruction } from "@solana-program/system"
import {
  getInitializeAccount3Instruction,
  getInitializeMint2Instruction,
  getMintToInstruction,
  getTokenDecoder,
  TOKEN_PROGRAM_ADDRESS
} from "@solana-program/token"
import type { Issuer, Secrets } from "./issuer.ts"
import type { Ledger } from "./ledger.ts"
import poolProgram from "./router/pools.json" with { type: "json" }
import router from "./router/router.json" with { type: "json" }
import splitter from "./router/splitter.json" with { type: "json" }

/** Where routers of these instructions stand on the real chain too. */
export const routerProgram = address("JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4")
export const splitterProgram = address("6m2CDdhRgxpH4WjvdzxAYbGxwdGUz5MziiL5jek2kBma")

/** What both of them sell over; it is nowhere but here. */
export const poolsProgram = address("HgqRmqHbKCAp5SZhvvZTMeEerjLB88dzL94bzBrsTWP3")

const programs = [
  [routerProgram, router],
  [splitterProgram, splitter],
  [poolsProgram, poolProgram]
] as const

export interface Token {
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  readonly mint: Address
  /** What one is worth in micro-USD while nobody has moved a pool. */
  readonly microUsd: bigint
}

export interface Pool {
  readonly label: string
  /** Its account of each of its two mints. */
  readonly accounts: ReadonlyMap<Address, Address>
}

export interface Market {
  readonly usdc: Address
  readonly tokens: ReadonlyArray<Token>
  readonly pools: ReadonlyArray<Pool>
  /** Owns the accounts of all pools. */
  readonly authority: Address
  /** Owns what lies with the first router between two steps, and the USDC account that it lies in. */
  readonly holder: Address
  readonly between: Address
  /** A lookup table that names them. */
  readonly table: Address
  readonly tableAddresses: ReadonlyArray<Address>
}

const mintBytes = 82
const accountBytes = 165
const microPerUsd = 1_000_000n

const listed = [
  { symbol: "JUP", name: "Jupiter", decimals: 6, microUsd: 500_000n },
  { symbol: "JitoSOL", name: "Jito Staked SOL", decimals: 9, microUsd: 200_000_000n }
] as const

/** Each has USDC on its other side; the second pool of a token is smaller, and a little dearer. */
const founded = [
  { label: "Lake", symbol: "JUP", usd: 2_000_000n, perMille: 1000n },
  { label: "River", symbol: "JUP", usd: 500_000n, perMille: 1004n },
  { label: "Lake", symbol: "JitoSOL", usd: 4_000_000n, perMille: 1000n }
] as const

/** The same keys again after a restart. */
export const signerFor = ({ issuer }: Secrets, name: string): Promise<KeyPairSigner> =>
  createKeyPairSignerFromPrivateKeyBytes(
    Uint8Array.from(createHash("sha256").update(`${issuer} ${name}`).digest())
  )

/** The tokens, their mints made where they are missing. */
export const openMints = async (
  { svm }: Ledger,
  { act, authority, faucet }: Issuer,
  secrets: Secrets
): Promise<ReadonlyArray<Token>> => {
  const tokens: Array<Token> = []
  for (const token of listed) {
    const mint = await signerFor(secrets, `mint ${token.symbol}`)
    tokens.push({ ...token, mint: mint.address })
    if (svm.getAccount(mint.address).exists) continue
    await act([
      getCreateAccountInstruction({
        payer: faucet,
        newAccount: mint,
        lamports: svm.minimumBalanceForRentExemption(BigInt(mintBytes)),
        space: mintBytes,
        programAddress: TOKEN_PROGRAM_ADDRESS
      }),
      getInitializeMint2Instruction({
        mint: mint.address,
        decimals: token.decimals,
        mintAuthority: authority.address,
        freezeAuthority: null
      })
    ])
  }
  return tokens
}

/** Makes an account that tokens of a mint lie in, with so many of them. */
const stocked = (
  { svm }: Ledger,
  { authority, faucet }: Issuer,
  account: KeyPairSigner,
  held: { readonly mint: Address; readonly owner: Address; readonly units: bigint }
): ReadonlyArray<Instruction> => [
  getCreateAccountInstruction({
    payer: faucet,
    newAccount: account,
    lamports: svm.minimumBalanceForRentExemption(BigInt(accountBytes)),
    space: accountBytes,
    programAddress: TOKEN_PROGRAM_ADDRESS
  }),
  getInitializeAccount3Instruction({
    account: account.address,
    mint: held.mint,
    owner: held.owner
  }),
  getMintToInstruction({
    mint: held.mint,
    token: account.address,
    mintAuthority: authority,
    amount: held.units
  })
]

const openPools = async (
  ledger: Ledger,
  issuing: Issuer,
  secrets: Secrets,
  tokens: ReadonlyArray<Token>,
  owner: Address
): Promise<ReadonlyArray<Pool>> => {
  const pools: Array<Pool> = []
  for (const { label, perMille, symbol, usd } of founded) {
    const token = tokens.find((each) => each.symbol === symbol) as Token
    const micro = usd * microPerUsd
    const units = (micro * 10n ** BigInt(token.decimals) * 1000n) / (token.microUsd * perMille)
    const ofUsdc = await signerFor(secrets, `reserve ${label} ${symbol} USDC`)
    const ofToken = await signerFor(secrets, `reserve ${label} ${symbol}`)
    const accounts = new Map([
      [issuing.mint, ofUsdc.address],
      [token.mint, ofToken.address]
    ])
    pools.push({ label, accounts })
    if (ledger.svm.getAccount(ofUsdc.address).exists) continue
    const held = { mint: issuing.mint, owner, units: micro }
    await issuing.act(stocked(ledger, issuing, ofUsdc, held))
    await issuing.act(stocked(ledger, issuing, ofToken, { mint: token.mint, owner, units }))
  }
  return pools
}

const tableProgram = address("AddressLookupTab1e1111111111111111111111111")

const tableBytes = 56
const keyBytes = 32
const neverDeactivated = 0xffff_ffff_ffff_ffffn

/** Puts down a lookup table that holds these addresses; like the program, it was there before the chain began. */
export const putTable = (
  { svm }: Ledger,
  table: Address,
  addresses: ReadonlyArray<Address>
): void => {
  const data = Buffer.alloc(tableBytes + keyBytes * addresses.length)
  data.writeUInt32LE(1)
  data.writeBigUInt64LE(neverDeactivated, 4)
  for (const [index, each] of addresses.entries()) {
    data.set(getAddressEncoder().encode(each), tableBytes + keyBytes * index)
  }
  svm.setAccount({
    address: table,
    programAddress: tableProgram,
    lamports: svm.minimumBalanceForRentExemption(BigInt(data.length)) as Lamports,
    data: Uint8Array.from(data),
    executable: false,
    space: BigInt(data.length)
  })
}

const derived = async (programAddress: Address, seed: string): Promise<Address> =>
  (await getProgramDerivedAddress({ programAddress, seeds: [seed] }))[0]

/** Deploys the routers and the pools' program, founds the pools and names them in a lookup table. */
export const openMarket = async (
  ledger: Ledger,
  issuing: Issuer,
  secrets: Secrets,
  tokens: ReadonlyArray<Token>
): Promise<Market> => {
  for (const [place, { program }] of programs) {
    ledger.svm.addProgram(place, Uint8Array.from(Buffer.from(program, "base64")))
  }
  const authority = await derived(poolsProgram, "pool")
  const holder = await derived(routerProgram, "hold")
  const pools = await openPools(ledger, issuing, secrets, tokens, authority)
  const between = await signerFor(secrets, "USDC between two steps")
  if (!ledger.svm.getAccount(between.address).exists) {
    await issuing.act(
      stocked(ledger, issuing, between, { mint: issuing.mint, owner: holder, units: 0n })
    )
  }
  const tableAddresses = [
    ...[authority, holder, between.address, poolsProgram, issuing.mint],
    ...tokens.map(({ mint }) => mint),
    ...pools.flatMap(({ accounts }) => [...accounts.values()])
  ]
  const { address: table } = await signerFor(secrets, "lookup table")
  putTable(ledger, table, tableAddresses)
  const places = { usdc: issuing.mint, authority, holder, between: between.address }
  return { ...places, tokens, pools, table, tableAddresses }
}

/** What a token account holds in the newest slot. */
export const unitsIn = ({ svm }: Ledger, account: Address): bigint => {
  const held = svm.getAccount(account)
  return held.exists ? getTokenDecoder().decode(held.data).amount : 0n
}

/** What a whole token costs in its largest pool, in micro-USD; nought for what is not traded. */
export const priceIn = (
  ledger: Ledger,
  { pools, tokens, usdc }: Pick<Market, "pools" | "tokens" | "usdc">,
  mint: string
): bigint => {
  const token = tokens.find((each) => each.mint === mint)
  if (token === undefined) return 0n
  const pool = pools.find(({ accounts }) => accounts.has(token.mint))
  const [ofUsdc, ofToken] = [pool?.accounts.get(usdc), pool?.accounts.get(token.mint)]
  if (ofUsdc === undefined || ofToken === undefined) return token.microUsd
  const units = unitsIn(ledger, ofToken)
  return units === 0n ? 0n : (unitsIn(ledger, ofUsdc) * 10n ** BigInt(token.decimals)) / units
}

/** Puts further tokens of a mint into all its pools, until they hold so many times as many: its price falls. */
export const dilute = async (
  ledger: Ledger,
  { act, authority }: Issuer,
  { pools }: Market,
  mint: Address,
  [numerator, denominator]: readonly [bigint, bigint]
): Promise<void> => {
  for (const { accounts } of pools) {
    const account = accounts.get(mint)
    if (account === undefined || accounts.size < 2) continue
    const held = unitsIn(ledger, account)
    const amount = (held * numerator) / denominator - held
    await act([getMintToInstruction({ mint, token: account, mintAuthority: authority, amount })])
  }
}
