/**
 * The service in a process with a heap of 1 GiB, and what the system knows of that process: its memory, and
 * the connections it holds. What is measured is asked of the system, never of the service.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import type * as Guards from "../../adapters/http/guards/guards.ts"
import type { SandboxFacts } from "../../apps/sandbox/facts.ts"
import { freePort } from "../../apps/sandbox/free-port.ts"
import type * as Child from "../kill/child.ts"
import type { Settings } from "./service.ts"

export const heapMib = 1024

export interface Scene {
  readonly port: number
  readonly facts: SandboxFacts
  /** A payment request that anybody may look at. */
  readonly pid: string
  /** Resident memory of the process, in MiB. */
  readonly rssMib: () => number
  /** Connections the system says the service holds with anybody from these addresses. */
  readonly held: () => number
  readonly isAlive: () => boolean
  readonly close: () => Promise<void>
}

/** Whoever comes from 127.0.x.y with x above 0 is of the crowd; fresh clients come from 127.0.0.y. */
const crowd = /^[0-9A-F]{2}(?!00)[0-9A-F]{2}007F:/u

/** Established, or ended by the client alone. */
const open = new Set(["01", "08"])

const heldOn = (port: number): number => {
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`
  return readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/u))
    .filter(
      ([, here = "", there = "", state = ""]) =>
        here.endsWith(local) && crowd.test(there) && open.has(state)
    ).length
}

const rssOf = (pid: number): number => {
  const [, kib = "0"] = /VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
  return Number(kib) / 1024
}

const served = (child: ChildProcess) => {
  let said = ""
  for (const output of [child.stdout, child.stderr]) {
    output?.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString("utf8")).slice(-8192)
    })
  }
  return new Promise<SandboxFacts>((resolve, reject) => {
    // What the program sends first is what it serves.
    child.once("message", (facts) => resolve(facts as SandboxFacts))
    child.once("close", () => reject(new Error(`The service ended:\n${said}`)))
  })
}

/** Requests so that a list is long and a page has something to show. */
const seedAccounts = async (
  { developerKey, wallets }: SandboxFacts,
  port: number,
  requests: number
) => {
  const vault = wallets.find(({ account, kind }) => account === "developer" && kind !== "standard")
  let pid = ""
  for (let at = 0; at < requests; at++) {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/payment-requests`, {
      method: "POST",
      headers: { authorization: `Bearer ${developerKey}`, "content-type": "application/json" },
      body: JSON.stringify({
        walletMappingId: vault?.id,
        amountUsd: 10 + at,
        description: "m".repeat(400)
      })
    })
    const body = (await answer.json()) as { readonly data?: { readonly pid: string } }
    if (body.data === undefined) throw new Error(JSON.stringify(body))
    pid = body.data.pid
  }
  return pid
}

/** The service has a core to itself, and whoever asks it has the others, where a system can do that. */
const keepApart = (service: number) => {
  const others = availableParallelism() - 1
  if (others < 1) return
  spawnSync("taskset", ["-a", "-p", "-c", "0", String(service)])
  spawnSync("taskset", ["-a", "-p", "-c", `1-${others}`, String(process.pid)])
}

export const start = async (
  { file }: Child.Bundle,
  guards: Guards.Options,
  { isApart, requests }: { readonly isApart: boolean; readonly requests: number }
): Promise<Scene> => {
  const directory = mkdtempSync(join(tmpdir(), "bursar-edge-"))
  const [port, chainPort] = [await freePort(), await freePort()]
  const settings: Settings = { directory, port, chainPort, guards }
  const child = spawn(process.execPath, [`--max-old-space-size=${heapMib}`, file], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: {
      PATH: process.env.PATH,
      EDGE_SETTINGS: JSON.stringify(settings),
      NODE_COMPILE_CACHE: join(file, "../cache")
    }
  })
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const close = async () => {
    // The chain beside it ends in good order with the service.
    child.kill("SIGTERM")
    const patience = setTimeout(() => child.kill("SIGKILL"), 5_000)
    await ended
    clearTimeout(patience)
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    const facts = await served(child)
    const pid = await seedAccounts(facts, port, requests)
    if (isApart) keepApart(child.pid ?? 0)
    return {
      port,
      facts,
      pid,
      rssMib: () => rssOf(child.pid ?? 0),
      held: () => heldOn(port),
      isAlive: () => child.exitCode === null && child.signalCode === null,
      close
    }
  } catch (error) {
    await close()
    throw error
  }
}
