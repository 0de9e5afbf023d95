/**
 * The merchants' receivers in every language run as their readers would run them, and all judge the same
 * deliveries alike. A language that is not on this machine is left out, aloud.
 */
import { spawn, spawnSync } from "node:child_process"
import { createHmac } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { freePort } from "../apps/sandbox/free-port.ts"

const root = join(import.meta.dirname, "..")
const receivers = join(root, "examples/receivers")

interface Receiver {
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** Tells whether the language is there, by its own command. */
  readonly asked: readonly [command: string, ...args: ReadonlyArray<string>]
  readonly directory?: string
}

const python = process.env.PYTHON ?? "python3"
const go = process.env.GO ?? "go"

const languages: Readonly<Record<string, Receiver>> = {
  "TypeScript, with bursar/webhooks": {
    command: process.execPath,
    args: ["--import", "./test/support/published-paths.ts", "examples/webhook-receiver.ts"],
    asked: [process.execPath, "--version"]
  },
  "plain Node": {
    command: process.execPath,
    args: [join(receivers, "node.mjs")],
    asked: [process.execPath, "--version"]
  },
  Python: {
    command: python,
    args: [join(receivers, "python/receiver.py")],
    asked: [python, "--version"]
  },
  Go: {
    command: go,
    args: ["run", "."],
    asked: [go, "version"],
    directory: join(receivers, "go")
  }
}

const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
const formerSecret = "whsec_HxobHB0eHyAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg="
const nowSeconds = () => Math.floor(Date.now() / 1000)

const bodyOf = (reference: string) =>
  JSON.stringify({
    id: `evt_${reference}`,
    object: "event",
    type: "payment_request.paid",
    created: nowSeconds(),
    livemode: true,
    api_version: "2026-08-19",
    // What a naive reader would lose on the way through a parser: order, spaces and a letter beyond ASCII.
    data: { object: { amountUsd: "49.00", externalReference: reference, note: "größe / 10 €" } }
  }).replace('"note":', '"note" : ')

const sign = (key: string, timestamp: number | string, body: string) =>
  `v1=${createHmac("sha256", key).update(`${timestamp}.${body}`).digest("hex")}`

interface Delivered {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

const delivery = (
  reference: string,
  over: { timestamp?: number; signature?: (timestamp: number, body: string) => string } = {}
): Delivered => {
  const body = bodyOf(reference)
  const { timestamp = nowSeconds(), signature = (at, text) => sign(secret, at, text) } = over
  return {
    body,
    headers: {
      "content-type": "application/json",
      "svc-webhook-id": `evt_${reference}`,
      "svc-webhook-timestamp": String(timestamp),
      "svc-webhook-event": "payment_request.paid",
      "svc-webhook-signature": signature(timestamp, body)
    }
  }
}

const without = (header: string, { body, headers }: Delivered): Delivered => ({
  body,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== header))
})

/** Made when they are sent, as their time is part of them. */
const vectors: ReadonlyArray<readonly [says: string, status: 200 | 400, make: () => Delivered]> = [
  ["one that is genuine", 200, () => delivery("good")],
  ["the same event again", 200, () => delivery("good")],
  [
    "one signed with the new and the former secret",
    200,
    () =>
      delivery("rotating", {
        signature: (at, body) => `${sign(formerSecret, at, body)},${sign(secret, at, body)}`
      })
  ],
  [
    "one with a version of signatures that is not known yet",
    200,
    () => delivery("later", { signature: (at, body) => `v2=abc,${sign(secret, at, body)}` })
  ],
  ["one nearly five minutes old", 200, () => delivery("late", { timestamp: nowSeconds() - 290 })],
  [
    "one signed with another secret",
    400,
    () => delivery("foreign", { signature: (at, body) => sign(formerSecret, at, body) })
  ],
  [
    "one whose body was altered",
    400,
    () => {
      const { body, headers } = delivery("altered")
      return { body: body.replace("49.00", "94.00"), headers }
    }
  ],
  ["one that is too old", 400, () => delivery("old", { timestamp: nowSeconds() - 310 })],
  ["one from the future", 400, () => delivery("early", { timestamp: nowSeconds() + 330 })],
  [
    "an old one under a new timestamp",
    400,
    () => delivery("again", { signature: (at, body) => sign(secret, at - 600, body) })
  ],
  [
    "one whose time is no number",
    400,
    () => {
      const { body, headers } = delivery("timeless")
      const signature = sign(secret, "NaN", body)
      return {
        body,
        headers: {
          ...headers,
          "svc-webhook-timestamp": "NaN",
          "svc-webhook-signature": signature
        }
      }
    }
  ],
  ["one without a signature", 400, () => without("svc-webhook-signature", delivery("bare"))],
  ["one without a time", 400, () => without("svc-webhook-timestamp", delivery("undated"))]
]

const isThere = ({ asked: [command, ...args] }: Receiver): boolean =>
  spawnSync(command, args, { stdio: "ignore" }).status === 0

/** It as a process group of its own, for `go run` starts another. */
const started = async ({ args, command, directory = root }: Receiver) => {
  const port = await freePort()
  const cache = mkdtempSync(join(tmpdir(), "bursar-receiver-"))
  const child = spawn(command, args, {
    cwd: directory,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: cache,
      GOROOT: process.env.GOROOT,
      WEBHOOK_SECRET: secret,
      PORT: String(port)
    }
  })
  let said = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text
    })
  }
  const until = async (words: string) => {
    for (let turn = 0; turn < 1200; turn++) {
      if (said.includes(words)) return
      if (child.exitCode !== null) break
      await setTimeout(25)
    }
    throw new Error(`It never said ${words}:\n${said}`)
  }
  return {
    said: () => said,
    until,
    url: `http://127.0.0.1:${port}/webhooks`,
    stop: async () => {
      const gone = child.exitCode === null ? once(child, "close") : undefined
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
      await gone
      rmSync(cache, { recursive: true, force: true })
    }
  }
}

describe("a merchant's receiver", () => {
  for (const [language, receiver] of Object.entries(languages)) {
    if (!isThere(receiver)) {
      const reason = `${receiver.asked[0]} is not on this machine: the receiver in ${language} is not tried.`
      process.stderr.write(`\n${reason}\n`)
      continue
    }
    it(`in ${language} judges each delivery as it is, and acts on an event once`, {
      timeout: 60_000
    }, async () => {
      const running = await started(receiver)
      try {
        await running.until("Listening on")
        for (const [says, status, make] of vectors) {
          const { body, headers } = make()
          const answer = await fetch(running.url, { method: "POST", body, headers })
          assert.strictEqual(answer.status, status, `${says}: ${running.said()}`)
        }
        await running.until("late is paid: 49.00 USD.")
        const acted = [...running.said().matchAll(/^(\w+) is paid/gmu)].map(([, name]) => name)
        assert.deepStrictEqual(acted, ["good", "rotating", "later", "late"])
      } finally {
        await running.stop()
      }
    })
  }
})
