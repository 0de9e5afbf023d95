/**
 * The issuer's two programs on the local Solana (CCTP V2), with the accounts in which they keep what they know. They come
 * when the sandbox links chains; like a real chain's, they were there before anybody burnt anything.
 */
import { address, type Lamports } from "@solana/kit"
import {
  AccountState,
  getMintToInstruction,
  getTokenEncoder,
  TOKEN_PROGRAM_ADDRESS
} from "@solana-program/token"
import * as Places from "../../../adapters/solana/cctp/places.ts"
import * as Receive from "../../../adapters/solana/cctp/receive.ts"
import { derive, keyOf } from "../../../adapters/solana/derived.ts"
import messenger from "./cctp/messenger.json" with { type: "json" }
import transmitter from "./cctp/transmitter.json" with { type: "json" }
import type { Issuer, Secrets } from "./issuer.ts"
import { type Commitment, commitmentOf, type Ledger } from "./ledger.ts"
import { putTable, signerFor, unitsIn } from "./market.ts"

/** Another chain, as messages from it name its messenger and its USDC: 32 bytes each. */
export interface Remote {
  readonly domain: number
  readonly messenger: Uint8Array
  readonly token: Uint8Array
}

export interface Linking {
  /** The number of this chain. */
  readonly domain: number
  /** The addresses of those whose signatures count, all of them needed: 20 bytes each, in ascending order. */
  readonly attesters: ReadonlyArray<Uint8Array>
  readonly remotes: ReadonlyArray<Remote>
}

/** The accounts' kinds, by the first eight bytes in them. */
const kinds = {
  transmitter: "4728b48e13cb23fc",
  messenger: "a204f23493f3dd60",
  remote: "6973ae225fe98afc",
  minter: "7a85543f399fabce",
  localToken: "9f833aaac15480b6",
  pair: "11d62db0e595c547"
} as const

const custodyMicro = 1_000_000_000_000_000n
const burnLimitMicro = 10_000_000_000_000n
const maxBodyBytes = 8_192n
const none = new Uint8Array(32)

const word = (value: number): Uint8Array => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
const long = (value: bigint): Uint8Array => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}
const small = (value: number | boolean): Uint8Array => Uint8Array.of(Number(value))

const put = (
  { svm }: Ledger,
  at: string,
  program: string,
  ...parts: ReadonlyArray<Uint8Array>
): void => {
  const data = Uint8Array.from(Buffer.concat(parts))
  svm.setAccount({
    address: address(at),
    programAddress: address(program),
    lamports: svm.minimumBalanceForRentExemption(BigInt(data.length)) as Lamports,
    data,
    executable: false,
    space: BigInt(data.length)
  })
}

const kind = (name: keyof typeof kinds): Uint8Array => Buffer.from(kinds[name], "hex")

const putState = (ledger: Ledger, { attesters, domain }: Linking, feeRecipient: Uint8Array) => {
  const { fixed, messengerProgram, transmitterProgram } = Places
  const nobody = [none, none, none, none]
  put(
    ledger,
    fixed.transmitter,
    transmitterProgram,
    ...[kind("transmitter"), ...nobody, small(false), word(domain), word(1)],
    ...[word(attesters.length), word(attesters.length)],
    ...attesters.flatMap((each) => [new Uint8Array(12), each]),
    long(maxBodyBytes)
  )
  const { bump } = derive(messengerProgram, "sender_authority")
  put(
    ledger,
    fixed.messenger,
    messengerProgram,
    ...[kind("messenger"), none, none, none, word(1), small(bump), feeRecipient, none, word(0)]
  )
  const minting = derive(messengerProgram, "token_minter")
  const minter = [kind("minter"), none, none, small(false), small(minting.bump)]
  put(ledger, fixed.minter, messengerProgram, ...minter)
}

/** The token of this chain and its custody, out of which is given what arrives. */
const putToken = async (ledger: Ledger, { act, authority, mint }: Issuer) => {
  const local = Places.localTokenOf(mint)
  const custody = Places.custodyOf(mint)
  put(
    ledger,
    local.address,
    Places.messengerProgram,
    ...[kind("localToken"), keyOf(custody.address), keyOf(mint), long(burnLimitMicro)],
    ...[new Uint8Array(48), small(local.bump), small(custody.bump)]
  )
  if (ledger.svm.getAccount(custody.address).exists) return
  const empty = {
    mint,
    owner: Places.fixed.minter,
    amount: 0n,
    delegate: null,
    state: AccountState.Initialized,
    isNative: null,
    delegatedAmount: 0n,
    closeAuthority: null
  }
  const encoded = Uint8Array.from(getTokenEncoder().encode(empty))
  put(ledger, custody.address, TOKEN_PROGRAM_ADDRESS, encoded)
  const token = custody.address
  await act([getMintToInstruction({ mint, token, mintAuthority: authority, amount: custodyMicro })])
}

const putRemote = (ledger: Ledger, mint: string, { domain, messenger, token }: Remote) => {
  const { messengerProgram } = Places
  const remote = Places.remoteMessengerOf(domain)
  put(ledger, remote, messengerProgram, kind("remote"), word(domain), messenger)
  const pair = Places.pairOf(domain, token)
  const local = keyOf(Places.localTokenOf(mint).address)
  put(
    ledger,
    pair.address,
    messengerProgram,
    ...[kind("pair"), word(domain), token, local, small(pair.bump)]
  )
}

const programOf = ({ program }: { readonly program: string }) =>
  Uint8Array.from(Buffer.from(program, "base64"))

const tableKey = "lookup table of bridges"

/** The lookup table by which messages fit into a transaction, once the chain is linked. */
export const tableOf = async (secrets: Secrets): Promise<string> =>
  (await signerFor(secrets, tableKey)).address

/** Links the chain with others; its lookup table. */
export const link = async (
  ledger: Ledger,
  issuing: Issuer,
  secrets: Secrets,
  linking: Linking
): Promise<string> => {
  ledger.svm.addProgram(Places.transmitterProgram, programOf(transmitter))
  ledger.svm.addProgram(Places.messengerProgram, programOf(messenger))
  const feeRecipient = (await signerFor(secrets, "fees of bridges")).address
  await issuing.issue(feeRecipient, 0n)
  putState(ledger, linking, keyOf(feeRecipient))
  await putToken(ledger, issuing)
  for (const remote of linking.remotes) putRemote(ledger, issuing.mint, remote)
  const { address: table } = await signerFor(secrets, tableKey)
  const origins = linking.remotes.map(({ domain, token }) => ({ domain, remoteToken: token }))
  putTable(ledger, table, Receive.tabled(issuing.mint, feeRecipient, origins))
  return table
}

/** What the issuer still holds on this chain to give to those who arrive. */
export const custodyOf = (ledger: Ledger, { mint }: Issuer): bigint =>
  unitsIn(ledger, Places.custodyOf(mint).address)

/** Lets nothing be taken or sent, or lets it again. */
export const setPaused = ({ svm }: Ledger, isPaused: boolean): void => {
  const held = svm.getAccount(Places.fixed.transmitter)
  if (!held.exists) return
  const data = Uint8Array.from(held.data)
  data[136] = Number(isPaused)
  svm.setAccount({ ...held, data })
}

/** What a transaction sent to another chain: the message that the transmitter keeps, and how final that is. */
export interface Sent {
  readonly message: Uint8Array
  readonly commitment: Commitment
}

const messageSent = "83648538a6e1973c"
const messageAt = 52

/** The message of a transaction that stands; undefined when it sent none. */
export const sentIn = (ledger: Ledger, signature: string): Sent | undefined => {
  const entry = ledger.entries.get(signature)
  if (entry === undefined || entry.err !== null) return undefined
  for (const key of entry.keys) {
    const held = ledger.svm.getAccount(key)
    if (!held.exists || held.programAddress !== Places.transmitterProgram) continue
    const data = Buffer.from(held.data)
    if (data.subarray(0, 8).toString("hex") !== messageSent) continue
    const commitment = commitmentOf(ledger, entry.slot)
    return { message: Uint8Array.from(data.subarray(messageAt)), commitment }
  }
  return undefined
}
