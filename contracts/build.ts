/**
 * Compiles the contracts in the folders beside it and writes what a local chain needs of them. Run it after a change
 * of a source: `npm install && npm run build` in this folder; the results are committed.
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

/** Each folder of sources, where its code is written, and what is said there above it. */
const folders = [
  {
    name: "bridges",
    target: "../apps/sandbox/bridges/contract-code.ts",
    what: "What stands at the addresses of the local bridges' contracts"
  },
  {
    name: "tokens",
    target: "../test/support/token-code.ts",
    what: "The tokens of tests as they stand on a chain"
  }
]

const sourcesIn = (folder: URL) =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => name.endsWith(".sol"))
      .toSorted()
      .map((name) => [name, { content: readFileSync(new URL(name, folder), "utf8") }])
  )

const compiled = (folder: URL): Output => {
  const input = {
    language: "Solidity",
    sources: sourcesIn(folder),
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
  return output
}

for (const { name: folder, target, what } of folders) {
  const { contracts } = compiled(new URL(`./${folder}/`, import.meta.url))
  const constants = Object.values(contracts)
    .flatMap((file) => Object.entries(file))
    .map(([name, { evm }]) => [name, evm.deployedBytecode.object] as const)
    .filter(([, bytes]) => bytes.length > 0)
    .map(
      ([name, bytes]) =>
        `export const ${name[0]?.toLowerCase()}${name.slice(1)} =\n  "0x${bytes}"\n`
    )
  const header = `/** ${what}: compiled from contracts/${folder}, never edited. */`
  writeFileSync(new URL(target, import.meta.url), [header, ...constants].join("\n"))
}
