/**
 * A row of the execution table, and the execution it tells of. Inside JSON, amounts and fees are decimal
 * strings: a JSON number would lose the last digits of wei.
 */
import { DateTime } from "effect"
import type { Authorization, Carrier, Execution } from "../../core/submissions/execution.ts"
import * as Column from "./column.ts"

interface WrittenAuthorization extends Omit<Authorization, "act" | "amountMicro"> {
  /** Rows from before there were permits do not say it. */
  readonly act?: Authorization["act"]
  readonly amountMicro: string
}

export interface WrittenCarrier {
  readonly txHash: string
  readonly raw: string
  readonly maxFeePerGas: string
  readonly maxPriorityFeePerGas: string
  /** Rows from before it was estimated do not say it. */
  readonly gas?: string
  readonly at: string
}

export interface Row {
  readonly proposal_id: string
  readonly account_id: string
  readonly wallet_id: string
  readonly key_backend: string
  readonly key_ref: string
  readonly chain_id: string
  readonly act: Execution["act"]
  readonly from_address: string
  readonly to_address: string
  readonly amount_micro: bigint
  readonly step: Execution["step"]
  readonly authorization: WrittenAuthorization | null
  readonly relayer: string | null
  readonly relayer_nonce: bigint | null
  readonly carriers: ReadonlyArray<WrittenCarrier>
  readonly next_look_at: Date | null
  readonly created_at: Date
  readonly updated_at: Date
}

const readAuthorization = (written: WrittenAuthorization): Authorization => ({
  act: written.act ?? "transfer",
  chainId: written.chainId,
  token: written.token,
  from: written.from,
  to: written.to,
  amountMicro: BigInt(written.amountMicro),
  nonce: written.nonce,
  validBefore: written.validBefore,
  signature: written.signature
})

/** What every carrier was given before gas was estimated. */
const gasBefore = "150000"

export const readCarrier = (written: WrittenCarrier): Carrier => ({
  txHash: written.txHash,
  raw: written.raw,
  maxFeePerGas: BigInt(written.maxFeePerGas),
  maxPriorityFeePerGas: BigInt(written.maxPriorityFeePerGas),
  gas: BigInt(written.gas ?? gasBefore),
  at: DateTime.makeUnsafe(written.at)
})

export const read = (row: Row): Execution => ({
  proposalId: row.proposal_id,
  accountId: row.account_id,
  walletId: row.wallet_id,
  key: { backend: row.key_backend, ref: row.key_ref },
  chainId: row.chain_id,
  act: row.act,
  from: row.from_address,
  to: row.to_address,
  amountMicro: row.amount_micro,
  step: row.step,
  authorization: row.authorization === null ? null : readAuthorization(row.authorization),
  relayer: row.relayer,
  relayerNonce: row.relayer_nonce === null ? null : Number(row.relayer_nonce),
  carriers: row.carriers.map(readCarrier),
  nextLookAt: Column.instantOrNull(row.next_look_at),
  createdAt: Column.instant(row.created_at),
  updatedAt: Column.instant(row.updated_at)
})

/** As a parameter. */
export const authorization = (signed: Authorization | null): string | null =>
  signed === null
    ? null
    : Column.json({
        ...signed,
        amountMicro: String(signed.amountMicro)
      } satisfies WrittenAuthorization)

/** As a parameter. */
export const carriers = (carried: ReadonlyArray<Carrier>): string =>
  Column.json(
    carried.map(
      (carrier): WrittenCarrier => ({
        txHash: carrier.txHash,
        raw: carrier.raw,
        maxFeePerGas: String(carrier.maxFeePerGas),
        maxPriorityFeePerGas: String(carrier.maxPriorityFeePerGas),
        gas: String(carrier.gas),
        at: DateTime.formatIso(carrier.at)
      })
    )
  )
