/**
 * How much memory `bursar audit export` and `bursar audit verify` take at their most, for logs of several sizes: the
 * commands themselves, each in a process of its own, against a service that makes up entries as they are asked for.
 *
 *     node bench/audit-memory.ts 100000 1000000
 */
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DateTime } from "effect"
import { leafHash } from "../adapters/secrets/audit-export.ts"
import * as Ed25519 from "../adapters/secrets/ed25519.ts"
import type { Placed } from "../core/audit/entry.ts"
import * as Note from "../core/audit/note.ts"
import * as Tree from "../core/audit/tree.ts"
import * as TreeHead from "../core/audit/tree-head.ts"
import * as Base64 from "../core/encoding/base64.ts"

const accountId = "0198c7a0-0000-7000-8000-000000000042"
const began = Date.UTC(2026, 0, 1)
const command = new URL("../apps/cli/main.ts", import.meta.url).pathname

const sha256: Tree.Sha256 = (...parts) => {
  const digest = createHash("sha256")
  for (const part of parts) digest.update(part)
  return new Uint8Array(digest.digest())
}

const idOf = (kind: string, n: number) =>
  `0198c7a0-${kind}-7000-8000-${n.toString(16).padStart(12, "0")}`

/** As long as one of a payment request. */
const entryAt = (sequence: number): Placed => ({
  id: idOf("0001", sequence),
  accountId,
  action: "payment_request.created",
  actor: idOf("0002", 1),
  actorType: "key",
  actorRole: "owner",
  subjectType: "payment_request",
  subjectId: idOf("0003", sequence),
  facts: { pid: `pr_${sequence.toString(36).padStart(22, "0")}`, amountUsd: "49.00" },
  createdAt: DateTime.makeUnsafe(began + sequence * 1000),
  sequence
})

/** The signed head of so many entries, as the service answers it. */
const checkpointOf = (treeSize: number) => {
  let peaks: ReadonlyArray<Tree.Hashed> = []
  for (let at = 0; at < treeSize; at++) {
    peaks = Tree.grow(sha256, peaks, [leafHash(entryAt(at))]).peaks
  }
  const hashes = peaks.map(({ hash }) => hash)
  const rootHash = Tree.rootOf(sha256, hashes)
  const key = Ed25519.privateKeyOf(new Uint8Array(32).fill(7))
  const publicKey = Ed25519.publicBytesOf(key)
  const origin = TreeHead.originOf(accountId)
  const text = TreeHead.write({ origin, treeSize, rootHash, line: 1 })
  return {
    treeSize,
    rootHash: Base64.encode(rootHash),
    line: 1,
    checkpoint: Note.write(sha256, text, origin, publicKey, Ed25519.signed(key, text)),
    verifierKey: Note.verifierKey(sha256, origin, publicKey),
    createdAt: "2026-11-01T00:00:00.000Z"
  }
}

const pageFrom = (first: number, treeSize: number) => {
  const end = Math.min(first + 100, treeSize)
  const entries = Array.from({ length: end - first }, (_, at) => {
    const { accountId: _account, createdAt, ...entry } = entryAt(first + at)
    return { ...entry, createdAt: DateTime.formatIso(createdAt) }
  })
  const hasMore = end < treeSize
  return { entries, hasMore, nextCursor: hasMore ? String(end) : null }
}

/** What a command said, its seconds, and the most memory it had by Linux's own count. */
const run = async (args: ReadonlyArray<string>) => {
  const beganMs = performance.now()
  const child = spawn(process.execPath, [command, ...args], { stdio: ["ignore", "pipe", "pipe"] })
  let said = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text: Buffer) => {
      said += text.toString()
    })
  }
  let mostKilobytes = 0
  const timer = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, "utf8")
      mostKilobytes = Math.max(mostKilobytes, Number(/VmHWM:\s+(\d+)/u.exec(status)?.[1] ?? 0))
    } catch {
      // It has just ended.
    }
  }, 100)
  const [code] = await once(child, "close")
  clearInterval(timer)
  if (code !== 0) throw new Error(said)
  return {
    said: said.trim(),
    text: `${(mostKilobytes / 1024).toFixed(0)} MB, ${((performance.now() - beganMs) / 1000).toFixed(0)} s`
  }
}

const measured = async (treeSize: number) => {
  const signed = checkpointOf(treeSize)
  const server = createServer(({ url = "" }, response) => {
    const asked = new URL(url, "http://service")
    const data = asked.pathname.endsWith("/checkpoint")
      ? signed
      : pageFrom(Number(asked.searchParams.get("cursor") ?? 0), treeSize)
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify({ ok: true, data }))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const folder = mkdtempSync(join(tmpdir(), "bursar-audit-"))
  try {
    const file = join(folder, "audit.jsonl")
    const { port } = server.address() as AddressInfo
    const at = ["--url", `http://127.0.0.1:${port}`, "--key", "any"]
    const taken = await run(["audit", "export", "--out", file, ...at])
    const checked = await run(["audit", "verify", file, "--key", signed.verifierKey])
    if (!checked.said.includes(`All ${treeSize} entries`)) throw new Error(checked.said)
    console.log(`| ${treeSize} | ${taken.text} | ${checked.text} |`)
  } finally {
    server.close()
    server.closeAllConnections()
    rmSync(folder, { recursive: true })
  }
}

const sizes = process.argv
  .slice(2)
  .map(Number)
  .filter((size) => size > 0)
console.log("| entries | export: most memory, time | verify |\n| --- | --- | --- |")
for (const size of sizes.length > 0 ? sizes : [100_000, 1_000_000]) await measured(size)
