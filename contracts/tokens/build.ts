/**
 * Compiles the contracts of the tokens of tests and writes what a local chain needs of them. Run it after a change of
 * a source: `npm install && npm run build` in this folder; the result is committed.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import solc from "solc"

interface Compiled {
  readonly evm: { readonly deployedBytecode: { readonly object: string } }
}

interface Output {
  readonly errors?: ReadonlyArray<{ readonly severity: string; readonly formattedMessage: string }>
  readonly contracts: Readonly<Record<string, Readonly<Record<string, Compiled>>>>
}

const here = new URL("./", import.meta.url)
const target = new URL("../../test/support/token-code.ts", import.meta.url)

const sources = Object.fromEntries(
  readdirSync(here)
    .filter((name) => name.endsWith(".sol"))
    .toSorted()
    .map((name) => [name, { content: readFileSync(new URL(name, here), "utf8") }])
)

const input = {
  language: "Solidity",
  sources,
  settings: {
    evmVersion: "prague",
    viaIR: true,
    optimizer: { enabled: true, runs: 200 },
    metadata: { bytecodeHash: "none", appendCBOR: false },
    outputSelection: { "*": { "*": ["evm.deployedBytecode.object"] } }
  }
}

const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output
const errors = (output.errors ?? []).filter(({ severity }) => severity === "error")
for (const { formattedMessage } of errors) process.stderr.write(`${formattedMessage}\n`)
if (errors.length > 0) process.exit(1)

const code = Object.values(output.contracts)
  .flatMap((file) => Object.entries(file))
  .map(([name, { evm }]) => [name, evm.deployedBytecode.object] as const)
  .filter(([, bytes]) => bytes.length > 0)

const header = `/** The tokens of tests as they stand on a chain: compiled from contracts/tokens, never edited. */`
const constants = code.map(
  ([name, bytes]) => `export const ${name[0]?.toLowerCase()}${name.slice(1)} =\n  "0x${bytes}"\n`
)
writeFileSync(target, [header, ...constants].join("\n"))
