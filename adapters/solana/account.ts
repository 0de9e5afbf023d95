/**
 * Accounts as nodes tell them, and what lies in those of the token programs. An account counts as money only under
 * the classic token program; the later one lets a mint charge, freeze or take back, so its tokens are shown and no more.
 */
import { Option, Schema } from "effect"
import * as Base58 from "../../core/encoding/base58.ts"
import * as Base64 from "../../core/encoding/base64.ts"

export const tokenProgram = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
export const token2022Program = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"
export const tokenPrograms: ReadonlyArray<string> = [tokenProgram, token2022Program]

export interface Account {
  /** The program it belongs to. */
  readonly owner: string
  readonly lamports: bigint
  readonly executable: boolean
  readonly data: Uint8Array
}

const Told = Schema.Struct({
  owner: Schema.String,
  lamports: Schema.Finite,
  executable: Schema.Boolean,
  data: Schema.Tuple([Schema.String, Schema.Literal("base64")])
})

const Answer = Schema.Struct({
  context: Schema.Struct({ slot: Schema.Int }),
  value: Schema.Array(Schema.NullOr(Told))
})

export const accountOf = ({ data: [text], ...told }: typeof Told.Type): Account | undefined => {
  const data = Base64.decode(text)
  return data === undefined ? undefined : { ...told, lamports: BigInt(told.lamports), data }
}

/** What a node answered to several accounts; undefined when it is no such answer. */
export const accountsIn = (answer: unknown) => {
  const told = Option.getOrUndefined(Schema.decodeUnknownOption(Answer)(answer))
  if (told === undefined) return undefined
  const accounts = told.value.map((each) => (each === null ? undefined : accountOf(each)))
  return { slot: told.context.slot, accounts }
}

const Keyed = Schema.Struct({
  value: Schema.Array(Schema.Struct({ pubkey: Schema.String, account: Told }))
})

/** The accounts of an owner, as a node lists them. */
export const keyedAccountsIn = (answer: unknown): ReadonlyArray<Account> | undefined => {
  const told = Option.getOrUndefined(Schema.decodeUnknownOption(Keyed)(answer))
  return told?.value.flatMap(({ account }) => accountOf(account) ?? [])
}

const viewOf = (data: Uint8Array) => new DataView(data.buffer, data.byteOffset, data.byteLength)

/** A token account begins with its mint, its owner and its amount, under either program. */
const tokenBytes = 165
/** Where an account of the later program says what it is. */
const kindAt = 165
const tokenKind = 2

export interface TokenAccount {
  readonly mint: string
  readonly owner: string
  readonly amount: bigint
}

export const tokenIn = (account: Account): TokenAccount | undefined => {
  const { data, owner } = account
  const isLong = data.length > tokenBytes && data[kindAt] === tokenKind
  const isToken = data.length === tokenBytes || (owner === token2022Program && isLong)
  if (!tokenPrograms.includes(owner) || !isToken) return undefined
  return {
    mint: Base58.encode(data.subarray(0, 32)),
    owner: Base58.encode(data.subarray(32, 64)),
    amount: viewOf(data).getBigUint64(64, true)
  }
}

const mintBytes = 82
const decimalsAt = 44

export const mintIn = ({ data, owner }: Account): { readonly decimals: number } | undefined =>
  tokenPrograms.includes(owner) && data.length >= mintBytes && data.length !== tokenBytes
    ? { decimals: data[decimalsAt] ?? 0 }
    : undefined
