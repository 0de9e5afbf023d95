/**
 * Lookup tables as the chain has them: what a transaction names by a place in a table is read from the chain, never
 * from whoever proposed the table. A table only ever grows, so what stands in it now stands there when it executes.
 */
import { type Address, address } from "@solana/kit"
import { Effect } from "effect"
import * as Base58 from "../../core/encoding/base58.ts"
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import { type Account, accountsIn } from "./account.ts"
import { askEach } from "./ask.ts"
import { type Node, unavailable } from "./node.ts"
import type { RpcFailed } from "./rpc.ts"

const tableProgram = "AddressLookupTab1e1111111111111111111111111"
const headerBytes = 56
const keyBytes = 32
const tableKind = 1
const neverDeactivated = 0xffff_ffff_ffff_ffffn

/** What each table holds, in order. */
export type Tables = ReadonlyMap<string, ReadonlyArray<Address>>

const viewOf = (data: Uint8Array) => new DataView(data.buffer, data.byteOffset, data.byteLength)

/** The addresses in a table that may be used; undefined when the account is none. */
const addressesIn = ({ data, owner }: Account): ReadonlyArray<Address> | undefined => {
  const isTable =
    owner === tableProgram &&
    data.length >= headerBytes &&
    (data.length - headerBytes) % keyBytes === 0 &&
    viewOf(data).getUint32(0, true) === tableKind &&
    viewOf(data).getBigUint64(4, true) === neverDeactivated
  if (!isTable) return undefined
  return Array.from({ length: (data.length - headerBytes) / keyBytes }, (_, place) => {
    const start = headerBytes + place * keyBytes
    return address(Base58.encode(data.subarray(start, start + keyBytes)))
  })
}

/** The same at every node that is asked; tables that one does not have, or has otherwise, are left out. */
export const read = (
  node: Node,
  tables: ReadonlyArray<string>
): Effect.Effect<Tables, ChainUnavailable | RpcFailed> =>
  Effect.gen(function* () {
    if (tables.length === 0) return new Map()
    const answers = yield* askEach(node, {
      method: "getMultipleAccounts",
      params: [tables, { commitment: "finalized", encoding: "base64" }]
    })
    const told = answers.map((answer) => accountsIn(answer)?.accounts)
    if (told.some((accounts) => accounts?.length !== tables.length)) {
      return yield* unavailable(node, "inconsistent", "the node does not tell the lookup tables")
    }
    return new Map(
      tables.flatMap((table, at) => {
        const each = told.map((accounts) => {
          const account = accounts?.[at]
          return account === undefined ? undefined : addressesIn(account)
        })
        const [first] = each
        const isAgreed = first !== undefined && each.every((one) => one?.join() === first.join())
        return isAgreed ? [[table, first] as const] : []
      })
    )
  })
