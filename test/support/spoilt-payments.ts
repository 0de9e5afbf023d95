/** Transactions that look like a plain payment on Solana and are none, each with what is wrong with it. */
import { AccountRole, address, type Instruction, type KeyPairSigner } from "@solana/kit"
import { getSetComputeUnitLimitInstruction } from "@solana-program/compute-budget"
import { getTransferSolInstruction } from "@solana-program/system"
import {
  getApproveInstruction,
  getCloseAccountInstruction,
  getTransferCheckedInstruction,
  getTransferInstruction
} from "@solana-program/token"
import { Effect } from "effect"
import type { LocalSolana } from "../../apps/sandbox/solana/local-solana.ts"
import * as Payers from "./payer-transactions.ts"
import * as Solana from "./solana.ts"

/** Another instruction in the place of one, or beside them. */
type Change = (
  parts: Payers.Parts,
  draft: Payers.Draft,
  strange: KeyPairSigner
) => Effect.Effect<ReadonlyArray<Instruction>, never, LocalSolana>

const list = (parts: Payers.Parts, over: Partial<Payers.Parts> = {}) => {
  const { limit, memo: noting, price, transfer } = { ...parts, ...over }
  return [limit, price, transfer, noting]
}

const withData = (instruction: Instruction, change: (data: Uint8Array) => Uint8Array) => ({
  ...instruction,
  data: change(Uint8Array.from(instruction.data ?? []))
})

const set = (at: number, value: number) => (data: Uint8Array) => {
  data[at] = value
  return data
}

const named = (key: string, role = AccountRole.READONLY) => ({ address: address(key), role })

const adding = (instruction: Instruction, account: ReturnType<typeof named>): Instruction => ({
  ...instruction,
  accounts: [...(instruction.accounts ?? []), account]
})

const pure =
  (change: (parts: Payers.Parts, draft: Payers.Draft) => ReadonlyArray<Instruction>): Change =>
  (parts, draft) =>
    Effect.succeed(change(parts, draft))

/** A checked transfer whose accounts or amounts are others. */
const moving =
  (
    over: (
      draft: Payers.Draft,
      strange: KeyPairSigner
    ) => Effect.Effect<Record<string, unknown>, never, LocalSolana>
  ): Change =>
  (parts, draft, strange) =>
    Effect.gen(function* () {
      const accounts = yield* Payers.accountsOf(draft)
      const input = { ...accounts, authority: draft.payer, amount: draft.amountMicro, decimals: 6 }
      const transfer = getTransferCheckedInstruction({
        ...input,
        ...(yield* over(draft, strange))
      })
      return list(parts, { transfer })
    })

export const changes: Readonly<Record<string, Change>> = {
  "no unit limit": pure(({ memo: noting, price, transfer }) => [price, transfer, noting]),
  "no unit price": pure(({ limit, memo: noting, transfer }) => [limit, transfer, noting]),
  "no transfer": pure(({ limit, memo: noting, price }) => [limit, price, noting]),
  "no memo": pure(({ limit, price, transfer }) => [limit, price, transfer]),
  "price and limit in the other order": pure(({ limit, memo: noting, price, transfer }) => [
    price,
    limit,
    transfer,
    noting
  ]),
  "memo before the transfer": pure(({ limit, memo: noting, price, transfer }) => [
    limit,
    price,
    noting,
    transfer
  ]),
  "two transfers": pure((parts) => [...list(parts), parts.transfer]),
  "two memos": pure((parts) => [...list(parts), parts.memo]),
  "another transfer in the place of the memo": pure((parts) =>
    list(parts, { memo: parts.transfer })
  ),
  "a unit limit of another kind": pure((parts) =>
    list(parts, { limit: withData(parts.limit, set(0, 1)) })
  ),
  "a unit limit with a byte more": pure((parts) =>
    list(parts, { limit: withData(parts.limit, (data) => Uint8Array.from([...data, 0])) })
  ),
  "too many units": pure((parts) =>
    list(parts, { limit: getSetComputeUnitLimitInstruction({ units: 200_001 }) })
  ),
  "a price above the operator's limit": pure((parts) =>
    list(parts, {
      price: withData(parts.price, (data) => {
        new DataView(data.buffer, data.byteOffset).setBigUint64(1, 100_001n, true)
        return data
      })
    })
  ),
  "a price that empties the relayer": pure((parts) =>
    list(parts, {
      price: withData(parts.price, (data) => {
        new DataView(data.buffer, data.byteOffset).setBigUint64(1, 2n ** 63n, true)
        return data
      })
    })
  ),
  "the relayer in the memo": pure((parts, { feePayer }) =>
    list(parts, { memo: adding(parts.memo, named(feePayer)) })
  ),
  "the relayer in the transfer": pure((parts, { feePayer }) =>
    list(parts, { transfer: adding(parts.transfer, named(feePayer)) })
  ),
  "the relayer as a signer of the transfer": pure((parts, { feePayer }) =>
    list(parts, {
      transfer: adding(parts.transfer, named(feePayer, AccountRole.READONLY_SIGNER))
    })
  ),
  "the relayer in the unit limit": pure((parts, { feePayer }) =>
    list(parts, { limit: adding(parts.limit, named(feePayer)) })
  ),
  "coins of the relayer in the place of the memo": pure((parts, { feePayer, payer }) =>
    list(parts, {
      memo: {
        ...getTransferSolInstruction({
          source: payer,
          destination: payer.address,
          amount: 1_000_000n
        }),
        accounts: [
          named(feePayer, AccountRole.WRITABLE_SIGNER),
          named(payer.address, AccountRole.WRITABLE)
        ]
      }
    })
  ),
  "coins of the relayer beside": pure((parts, { feePayer, payer }) => [
    ...list(parts),
    {
      ...getTransferSolInstruction({ source: payer, destination: payer.address, amount: 1n }),
      accounts: [
        named(feePayer, AccountRole.WRITABLE_SIGNER),
        named(payer.address, AccountRole.WRITABLE)
      ]
    }
  ]),
  "an unchecked transfer": (parts, draft) =>
    Effect.gen(function* () {
      const { destination, source } = yield* Payers.accountsOf(draft)
      const transfer = getTransferInstruction({
        source,
        destination,
        authority: draft.payer,
        amount: draft.amountMicro
      })
      return list(parts, { transfer })
    }),
  "an approval in the place of the transfer": (parts, draft, strange) =>
    Effect.gen(function* () {
      const { source } = yield* Payers.accountsOf(draft)
      const transfer = getApproveInstruction({
        source,
        delegate: strange.address,
        owner: draft.payer,
        amount: draft.amountMicro
      })
      return list(parts, { transfer })
    }),
  "closing the payer's account beside": (parts, draft) =>
    Effect.gen(function* () {
      const { source } = yield* Payers.accountsOf(draft)
      const owner = draft.payer
      return [
        ...list(parts),
        getCloseAccountInstruction({ account: source, destination: owner.address, owner })
      ]
    }),
  "a micro-unit less": moving(({ amountMicro }) => Effect.succeed({ amount: amountMicro - 1n })),
  "a micro-unit more": moving(({ amountMicro }) => Effect.succeed({ amount: amountMicro + 1n })),
  "other decimals": moving(() => Effect.succeed({ decimals: 9 })),
  "another payee": moving((_, strange) =>
    Effect.gen(function* () {
      const { usdc } = yield* Solana.SolanaChain
      return { destination: yield* Solana.tokenAccount(strange.address, usdc) }
    })
  ),
  "the payee's address for their account": moving(({ payTo }) =>
    Effect.succeed({ destination: address(payTo) })
  ),
  "another mint": moving((_, strange) => Effect.succeed({ mint: strange.address })),
  "somebody else's account": moving((_, strange) =>
    Effect.gen(function* () {
      const { usdc } = yield* Solana.SolanaChain
      return { source: yield* Solana.tokenAccount(strange.address, usdc) }
    })
  ),
  "a second signer": pure((parts, { payTo }) =>
    list(parts, { transfer: adding(parts.transfer, named(payTo, AccountRole.READONLY_SIGNER)) })
  ),
  "a reference that nobody asked for": pure((parts, { payTo }) =>
    list(parts, { transfer: adding(parts.transfer, named(payTo)) })
  ),
  "the token program of extensions": pure((parts) =>
    list(parts, {
      transfer: {
        ...parts.transfer,
        programAddress: address("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb")
      }
    })
  ),
  "another memo": pure((parts) => list(parts, { memo: Payers.memoOf("pr_another") })),
  "an empty memo": pure((parts) => list(parts, { memo: Payers.memoOf("") })),
  "a memo of 257 bytes": pure((parts) => list(parts, { memo: Payers.memoOf("m".repeat(257)) })),
  "a memo that is no text": pure((parts) =>
    list(parts, { memo: { ...parts.memo, data: Uint8Array.from([0xff, 0xfe]) } })
  ),
  "the later memo program": pure((parts) =>
    list(parts, {
      memo: {
        ...parts.memo,
        programAddress: address("Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo")
      }
    })
  )
}

/** What is wrong with the bytes themselves. */
export const spoilt: Readonly<Record<string, (wire: string) => string>> = {
  "no base64": (wire) => `*${wire}`,
  "base64 with a bit that says nothing": (wire) => `${wire}A`,
  "a byte after the end": (wire) =>
    Buffer.concat([Buffer.from(wire, "base64"), Buffer.from([0])]).toString("base64"),
  "its last byte missing": (wire) => Buffer.from(wire, "base64").subarray(0, -1).toString("base64"),
  "a flipped bit in the payer's signature": (wire) => {
    const bytes = Buffer.from(wire, "base64")
    bytes.writeUInt8(bytes.readUInt8(70) ^ 1, 70)
    return bytes.toString("base64")
  },
  "the relayer's signature there already": (wire) => {
    const bytes = Buffer.from(wire, "base64")
    bytes.fill(7, 1, 65)
    return bytes.toString("base64")
  },
  "no signature of the payer": (wire) => {
    const bytes = Buffer.from(wire, "base64")
    bytes.fill(0, 65, 129)
    return bytes.toString("base64")
  },
  "another block than was signed": (wire) => {
    const bytes = Buffer.from(wire, "base64")
    // Header, count and eight keys of the message are before the block.
    const at = 129 + 1 + 3 + 1 + 8 * 32
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
    return bytes.toString("base64")
  }
}
