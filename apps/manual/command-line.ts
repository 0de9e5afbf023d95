/** The command-line page: how a command speaks to a service, how it ends, and every command there is. */
import { Completions } from "effect/cli"
import type { Bound } from "../../adapters/http/route.ts"
import { bursar } from "../cli/bursar.ts"
import { commandLine } from "../cli/command-line.ts"
import { meanings } from "../cli/exit.ts"
import { fieldsOf, kebab, type Sort } from "../cli/field.ts"
import { inputOf } from "./example.ts"
import { limitsOf } from "./field.ts"
import { code, fence, generated, page, table } from "./markdown.ts"

const written: Readonly<Record<Sort, string>> = {
  text: "text",
  number: "number",
  boolean: "flag alone; `--no-…` for false",
  list: "text, repeatable, or a JSON array",
  map: "key=value, repeatable, or a JSON object",
  json: "JSON"
}

const entry = ({ operation }: Bound): string => {
  const name = kebab(operation.name)
  const fields = fieldsOf(operation)
  return page([
    `### ${name}`,
    `${operation.summary} The operation is [${code(operation.name)}](reference.md#${operation.name}); scope ${code(operation.scope)}.`,
    fields.length === 0
      ? undefined
      : table(
          ["Flag", "Written as", "Required", "Limits", "Meaning"],
          fields.map((field) => [
            code(`--${field.flag}`),
            written[field.sort],
            field.required ? "yes" : "no",
            limitsOf(field.schema),
            field.schema.description ?? ""
          ])
        ),
    fence("sh", commandLine(operation, inputOf(operation)))
  ]).trimEnd()
}

type Descriptor = Completions.CommandDescriptor

/** Every command below one, by its words; those that only gather others are left out. */
const leaves = (command: Descriptor, path: string): ReadonlyArray<readonly [string, Descriptor]> =>
  command.subcommands.length === 0
    ? [[path, command]]
    : command.subcommands.flatMap((each) => leaves(each, `${path} ${each.name}`))

/** What works on the database itself; everything else that is no operation asks a service or nobody. */
const onDatabase = new Set(["accounts", "humans", "keys", "tier", "migrate"])

const ownCommands = (all: ReadonlyArray<Bound>, isOnDatabase: boolean) => {
  const operations = new Set(all.map(({ operation }) => kebab(operation.name)))
  return Completions.fromCommand(bursar)
    .subcommands.filter(
      ({ name }) => !operations.has(name) && onDatabase.has(name) === isOnDatabase
    )
    .flatMap((command) => leaves(command, `bursar ${command.name}`))
}

const flagsOf = (command: Descriptor): string =>
  [
    ...command.arguments.map(({ name }) => `<${name}>`),
    ...command.flags.map(({ name }) => `--${name}`)
  ]
    .map(code)
    .join(" ")

const commandTable = (commands: ReturnType<typeof ownCommands>): string =>
  table(
    ["Command", "Takes", "What it does"],
    commands.map(([path, command]) => [code(path), flagsOf(command), command.description ?? ""])
  )

export const commandLinePage = (all: ReadonlyArray<Bound>): string =>
  page([
    generated("the catalogue and `apps/cli/`"),
    "# Command line",
    "`bursar` has a command for every operation of the catalogue. It asks a running service over REST, so a command is allowed what its key is allowed, and the service decides about every call. `bursar <command> --help` says what a command takes.",
    "## Whom it asks",
    [
      "- The service: `--url`, or `BURSAR_URL`: its address without `/api/v1`.",
      "- The key: `BURSAR_API_KEY`, or `--key`, which other users of the machine may see in the list of processes.",
      "- When no address is named and there is a sandbox in `.bursar` (or `BURSAR_DATA_DIR`), that sandbox, with its developer's key; `--as agent` takes the agent's.",
      "- Where a field of an operation has the name of such a flag, the field keeps it and the flag is `--bursar-…`: `create-merchant-webhook --url <the endpoint> --bursar-url <the service>`."
    ].join("\n"),
    "## What it prints",
    [
      "- A table for a list, a line a field for anything else. `--json` prints the data exactly as the service wrote it, and is what a script should read.",
      "- Data goes to standard output; everything else, refusals included, goes to standard error. A refusal names its [code](errors.md), says what to do, and gives the next call as a command line.",
      "- A write without `--idempotency-key` gets a key of its own, printed before it is sent. Run the same command with that key when you do not know what became of it; it is never done twice.",
      "- A value that begins with a dash is tied to its flag: `--memo=-1`. Amounts are handed on as they are written."
    ].join("\n"),
    table(
      ["Exit code", "Meaning"],
      Object.entries(meanings).map(([exitCode, meaning]) => [code(exitCode), meaning])
    ),
    "## For the operator",
    "These work on the database itself, which the [settings](configuration.md) of the service name, and need no key. Whoever may run them may do anything; every change leaves an audit entry with the actor `operator`. An embedded database is open in one process at a time, so stop the service first; with PostgreSQL both may run.",
    commandTable(ownCommands(all, true)),
    "A tier that is tightened supersedes the proposals that wait for more than it lets one transfer move; what is executing goes on. After caps were tightened by [settings](configuration.md), setting an account's tier again does the same.",
    "The first key of a person is made here:",
    fence(
      "sh",
      [
        'bursar accounts open --name "Corner Shop" --kind developer',
        "bursar keys create --account <id> --scopes all"
      ].join("\n")
    ),
    "An agent's account is opened with the wallet that governs it, whose holder signs its challenges; it needs no key of the treasury and is not changed later:",
    fence(
      "sh",
      [
        'bursar accounts open --name "Purchasing" --kind agent --funding-wallet-chain base --funding-wallet-address 0x8ba1f109551bD432803012645Ac136ddd64DBA72',
        "bursar keys create --account <id> --scopes all"
      ].join("\n")
    ),
    "## More commands",
    "`bursar serve` is the service itself. An exported [audit log](audit.md) is checked without treasury, database or network.",
    commandTable(ownCommands(all, false)),
    "## Completion",
    fence(
      "sh",
      [
        "bursar completion bash >> ~/.bashrc",
        "bursar completion zsh > ~/.zfunc/_bursar",
        "bursar completion fish > ~/.config/fish/completions/bursar.fish"
      ].join("\n")
    ),
    "## Operations",
    ...all.map(entry)
  ])
