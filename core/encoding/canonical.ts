/**
 * Canonical JSON (RFC 8785): one text for one value, whatever order its keys came in. What is hashed,
 * signed or compared is always this text.
 */
import type { Schema } from "effect"

export const canonical = (value: Schema.Json | undefined): string => {
  if (value === undefined) return "null"
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  const fields = value as Readonly<Record<string, Schema.Json | undefined>>
  const written = Object.keys(fields)
    .filter((key) => fields[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(fields[key])}`)
  return `{${written.join(",")}}`
}
