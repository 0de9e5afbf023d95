/**
 * API keys: `svc_hu_` or `svc_ag_`, 43 base62 characters, and a CRC-32 of what precedes as 6 more.
 * The key itself is shown once; only its digest is kept, and its checksum spares the database typos.
 */
import { DateTime, Schema } from "effect"
import { KeyKind, Scope } from "../operation/caller.ts"
import * as Timestamp from "../time/timestamp.ts"
import * as Caveats from "./caveats.ts"

export interface Key extends Caveats.Caveats {
  readonly id: string
  readonly accountId: string
  readonly kind: KeyKind
  readonly prefix: string
  readonly lastFour: string
  readonly scopes: ReadonlyArray<Scope>
  readonly label: string | null
  /** The key that made it; null when the operator or a set-up did. */
  readonly madeBy: string | null
  readonly createdAt: DateTime.Utc
  readonly lastUsedAt: DateTime.Utc | null
  readonly expiresAt: DateTime.Utc | null
  readonly revokedAt: DateTime.Utc | null
}

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

export const prefixes = { developer: "svc_hu_", agent: "svc_ag_" } as const

export const secretLength = 43

const form = /^svc_(hu|ag)_[0-9A-Za-z]{49}$/u

const crc32 = (text: string): number => {
  let crc = 0xffffffff
  for (let index = 0; index < text.length; index++) {
    crc ^= text.charCodeAt(index)
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}

const checksum = (text: string): string => {
  let rest = crc32(text)
  let encoded = ""
  for (let place = 0; place < 6; place++) {
    encoded = base62.charAt(rest % 62) + encoded
    rest = Math.floor(rest / 62)
  }
  return encoded
}

/** Composes the key a caller is shown once from 43 random base62 characters. */
export const compose = (kind: KeyKind, random: string): string => {
  const body = `${prefixes[kind]}${random}`
  return body + checksum(body)
}

/** Whether the text has the form and checksum of a key; says nothing about whether it exists. */
export const isWellFormed = (text: string): boolean =>
  form.test(text) && checksum(text.slice(0, -6)) === text.slice(-6)

export const isUsable = (key: Key, now: DateTime.Utc): boolean =>
  isUsableAt(key, DateTime.toEpochMillis(now))

/** The same of a moment in milliseconds, as every call asks. */
export const isUsableAt = ({ expiresAt, revokedAt }: Key, nowMs: number): boolean =>
  revokedAt === null && (expiresAt === null || nowMs < DateTime.toEpochMillis(expiresAt))

export const fields = {
  id: Schema.String,
  prefix: Schema.String,
  lastFour: Schema.String,
  kind: KeyKind,
  scopes: Schema.Array(Scope),
  label: Schema.NullOr(Schema.String),
  ...Caveats.fields,
  madeBy: Schema.NullOr(Schema.String).annotate({
    description:
      "The key it was created from; revoking that key asks whether to revoke this one too."
  }),
  createdAt: Timestamp.Encoded,
  lastUsedAt: Schema.NullOr(Timestamp.Encoded),
  expiresAt: Schema.NullOr(Timestamp.Encoded),
  revokedAt: Schema.NullOr(Timestamp.Encoded)
}

/** A key as every surface shows it. */
export const view = ({ dailyCapMicro, ...key }: Key) => ({ ...key, dailyCapUsd: dailyCapMicro })
