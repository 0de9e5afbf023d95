/** The command-line page: how a command speaks to a service, how it ends, and every command there is. */
import { Completions } from "effect/cli"
import type { Bound } from "../../adapters/http/route.ts"
import { bursar } from "../cli/bursar.ts"
import { commandLine } from "../cli/command-line.ts"
import { meanings } from "../cli/exit.ts"
import { fieldsOf, kebab, type Sort } from "../cli/field.ts"
import { meanings as formats } from "../cli/output.ts"
import { inputOf } from "./example.ts"
import { limitsOf } from "./field.ts"
import { code, fence, generated, page, table } from "./markdown.ts"

const flagForms: Readonly<Record<Sort, string>> = {
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
            flagForms[field.sort],
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
    "`bursar` has a command for every operation. It calls a running service over REST, so a command can do what its API key is allowed to do. `bursar help` shows all commands on one screen, `bursar help <topic>` what those of a topic do, and `bursar help <command>` the flags of one.",
    "## Service and key",
    [
      "- The service: `--url` or `BURSAR_URL`, its address without `/api/v1`.",
      "- The API key: `BURSAR_API_KEY`, or `--key`, which other users of the machine can see in the list of processes.",
      "- Without an address, the sandbox in `.bursar` (or `BURSAR_DATA_DIR`) is used with its developer key; `--as agent` uses the agent key.",
      "- If a field of an operation has the name of such a flag, the flag is `--bursar-…` instead: `create-merchant-webhook --url <the endpoint> --bursar-url <the service>`."
    ].join("\n"),
    "## Output",
    [
      "- In a terminal a list is a table of the columns that tell most, as many as fit; everything else has one line per field. Where the output is no terminal, as in a pipe or a file, it is the service's data unchanged, as JSON: scripts need no flag. `--output` (`-o`) chooses:",
      ...Object.entries(formats).map(([name, meaning]) => `  - ${code(name)}: ${meaning}`),
      "- `--wait` follows what takes time (a proposal, a payment request, a provisioning job) to its end and shows how it goes. It exits with `1` if that does not succeed, and only reads: you may stop it and start it again.",
      "- An id that a command needs may stand without its flag: `bursar get-proposal <id>`. An object of which one text is required may be that text: `--customer user_42`.",
      "- Data goes to standard output; everything else, including errors, goes to standard error. An error shows its [code](errors.md), a message, and the next call as a command line.",
      "- A write without `--idempotency-key` gets a new key, which is printed before the call is sent. If the outcome is unknown, run the same command with that key; it is never executed twice.",
      "- Write a value that begins with a dash with an equals sign: `--memo=-1`. Amounts are sent unchanged."
    ].join("\n"),
    table(
      ["Exit code", "Meaning"],
      Object.entries(meanings).map(([exitCode, meaning]) => [code(exitCode), meaning])
    ),
    "## For the operator",
    "These commands work directly on the database named by the service's [settings](configuration.md) and need no API key. Anyone who can run them can do anything; every change is recorded in the audit log with the actor `operator`. Only one process can open an embedded database. While the service runs on one, it does these commands itself: they reach it over `operator.sock` in the data directory, which only the user who runs the service can open. Commands that change the keyring, and `migrate`, need the service to be stopped there.",
    commandTable(ownCommands(all, true)),
    "A lower tier supersedes the waiting proposals above its cap per transfer; executing ones continue. After lowering caps by [settings](configuration.md), set an account's tier again to get the same effect.",
    "To create a person's first key:",
    fence(
      "sh",
      [
        'bursar accounts open --name "Corner Shop" --kind developer',
        "bursar keys create <account> --scopes all"
      ].join("\n")
    ),
    "An agent's account is opened with its funding wallet, which signs its governance challenges. The wallet belongs to its holder, and cannot be changed later:",
    fence(
      "sh",
      [
        'bursar accounts open --name "Purchasing" --kind agent --funding-wallet-chain base --funding-wallet-address 0x8ba1f109551bD432803012645Ac136ddd64DBA72',
        "bursar keys create <account> --scopes all"
      ].join("\n")
    ),
    "## More commands",
    "`bursar pay` pays a payment link as its payer: a link of the sandbox with the sandbox's test money, any other with a key from a file and through a node of your choice. It pays nothing but USDC as its issuer published it, and never more than `--up-to`. `bursar serve` is the service itself, and `bursar sandbox` is one to try, with chains and test money of its own. Verifying an exported [audit log](audit.md) needs no treasury, database or network.",
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
