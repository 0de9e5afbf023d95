/** A provisioning job: vaults for up to a thousand customers, made after the call was answered. */
import { type DateTime, Schema } from "effect"
import type { Address } from "../chains/address.ts"
import * as Timestamp from "../time/timestamp.ts"

export const JobStatus = Schema.Literals([
  "queued",
  "running",
  "completed",
  "completed_with_errors",
  "failed"
])

export interface Job {
  readonly id: string
  readonly accountId: string
  readonly chainId: string
  readonly status: typeof JobStatus.Type
  readonly total: number
  readonly succeeded: number
  readonly failed: number
  readonly createdAt: DateTime.Utc
}

/** One customer of a job, at its place in the request; `walletId` and `address` once it is done. */
export interface Item {
  readonly position: number
  readonly externalId: string
  readonly namespace: string
  readonly metadata: Readonly<Record<string, string>>
  readonly status: "pending" | "succeeded" | "failed"
  readonly walletId: string | null
  readonly address: Address | null
  readonly error: string | null
}

export const hasEnded = ({ status }: Job): boolean => status !== "queued" && status !== "running"

export const fields = {
  jobId: Schema.String,
  status: JobStatus,
  total: Schema.Int,
  succeeded: Schema.Int,
  failed: Schema.Int,
  createdAt: Timestamp.Encoded
}

export const view = ({ id, ...job }: Job) => ({ ...job, jobId: id })
