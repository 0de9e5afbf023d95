/** The answer of `list_wallets` in a file, for the peers to send byte for byte. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Facts, Keyed } from "./servers/seeding.ts"

export const listPath = "/api/v1/wallets"

export const asking = ({ apiKey, origin }: Facts) => ({
  url: origin + listPath,
  headers: { authorization: `Bearer ${apiKey}` }
})

/** The same by the key of one account after the other. */
export const askingInTurn = ({ apiKeys, origin }: Keyed) => ({
  url: origin + listPath,
  inTurn: apiKeys.map((key) => ({ authorization: `Bearer ${key}` }))
})

/** Asks a treasury once and keeps what it says. */
export const keep = async (facts: Facts) => {
  const { headers, url } = asking(facts)
  const response = await fetch(url, { headers })
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
  const text = await response.text()
  const folder = await mkdtemp(join(tmpdir(), "bursar-bench-"))
  const file = join(folder, "answer.json")
  await writeFile(file, text)
  return { file, bytes: text.length, drop: () => rm(folder, { recursive: true }) }
}
