/**
 * The local Solana between two runs: the machine's bytes, the history and the keys in one file, readable by its owner
 * alone. The file is replaced whole, so a crash leaves the one before. What was in it is final after a restart.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { ChainNotStarted } from "../chain-not-started.ts"
import type { Secrets } from "./issuer.ts"
import { advance } from "./landing.ts"
import { begin, type Entry, type Ledger, remember } from "./ledger.ts"
import type { Runtime } from "./svm.ts"
import { decode } from "./transaction.ts"

const fileIn = (directory: string) => join(directory, "local-solana.bin")

/** Whole numbers larger than JSON's are kept as text with an n behind it. */
const write = (value: unknown) =>
  JSON.stringify(value, (_, each) => (typeof each === "bigint" ? `${each}n` : each))
const read = (text: string): unknown =>
  JSON.parse(text, (_, each) =>
    typeof each === "string" && /^\d+n$/u.test(each) ? BigInt(each.slice(0, -1)) : each
  )

interface Head extends Pick<Ledger, "genesis" | "slot" | "height" | "hashes" | "blocks"> {
  readonly secrets: Secrets
  readonly entries: ReadonlyArray<
    Pick<Entry, "slot" | "blockTime" | "err" | "meta"> & { readonly raw: string }
  >
}

const lengthBytes = 4

export const save = (ledger: Ledger, secrets: Secrets, directory: string): void => {
  const entries = [...ledger.entries.values()].map(({ blockTime, err, meta, raw, slot }) => ({
    raw: Buffer.from(raw).toString("base64"),
    slot,
    blockTime,
    err,
    meta
  }))
  const { blocks, genesis, hashes, height, slot } = ledger
  const head: Head = { blocks, genesis, hashes, height, slot, secrets, entries }
  const told = Buffer.from(write(head))
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt32LE(told.length)
  const draft = `${fileIn(directory)}.new`
  mkdirSync(directory, { recursive: true })
  writeFileSync(draft, Buffer.concat([length, told, ledger.svm.toBytes()]), { mode: 0o600 })
  chmodSync(draft, 0o600)
  renameSync(draft, fileIn(directory))
}

const slotsToFinal = 33

const restored = (runtime: Runtime, file: Buffer) => {
  const length = file.readUInt32LE(0)
  const start = lengthBytes + length
  const head = read(file.subarray(lengthBytes, start).toString("utf8")) as Head
  const { blocks, entries, genesis, hashes, height, secrets, slot } = head
  const svm = runtime.restore(Uint8Array.from(file.subarray(start)))
  const known = { genesis, slot, height, hashes: [...hashes], blocks: [...blocks] }
  const ledger: Ledger = { ...begin(runtime), svm, ...known }
  for (const { raw, ...told } of entries) {
    const entry = { ...decode(svm, Uint8Array.from(Buffer.from(raw, "base64"))), ...told }
    ledger.entries.set(entry.signature, entry)
    remember(ledger, entry)
  }
  advance(ledger, slotsToFinal, Date.now())
  return { ledger, secrets }
}

/** The chain as it was saved; undefined when it never was. */
export const restore = (runtime: Runtime, directory: string) =>
  Effect.try({
    try: () => {
      const path = fileIn(directory)
      return existsSync(path) ? restored(runtime, readFileSync(path)) : undefined
    },
    catch: () =>
      new ChainNotStarted({
        reason: "state_unreadable",
        detail: `${fileIn(directory)} cannot be read; without it the local Solana starts anew`
      })
  })
