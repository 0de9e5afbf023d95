/** The help of a command as text: what it is for, how it is written, its flags and its commands in columns. */
import { Option } from "effect"
import type { HelpDoc } from "effect/cli"

/** Where nothing says how wide the terminal is, and in one that is wider. */
export const widest = 96

/** Breaks a text at spaces into lines of a width; a longer word stands alone. */
export const wrapped = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(" ")) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`
    } else lines.push(word)
  }
  return lines
}

/** Names on the left, what they mean on the right; a name too long for its column has a line of its own. */
export const columnsOf = (
  rows: ReadonlyArray<readonly [string, string]>,
  most: number
): ReadonlyArray<string> => {
  const left = Math.min(34, Math.max(...rows.map(([name]) => name.length))) + 2
  return rows.flatMap(([name, meaning]) => {
    const [first = "", ...rest] = wrapped(meaning, most - left - 2)
    const more = rest.map((line) => `  ${" ".repeat(left)}${line}`)
    return name.length < left
      ? [`  ${name.padEnd(left)}${first}`, ...more]
      : [`  ${name}`, `  ${" ".repeat(left)}${first}`, ...more]
  })
}

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : ["", title, ...lines]

const flagRow = (flag: HelpDoc.FlagDoc): readonly [string, string] => {
  const names = [`--${flag.name}`, ...flag.aliases].join(", ")
  const meaning = Option.getOrElse(flag.description, () => "")
  return [flag.type === "boolean" ? names : `${names} ${flag.type}`, meaning]
}

/** Only the names of commands: so many would not stay on a screen with what each does. */
const listOf = (names: ReadonlyArray<string>, left: number, most: number): string => {
  const indent = " ".repeat(left)
  return wrapped(names.join(" "), most - left).join(`\n${indent}`)
}

const manyCommands = 40

/** The program's own help: every command under its topic, on one screen. */
const overview = (doc: HelpDoc.HelpDoc, most: number): string => {
  const groups = (doc.subcommands ?? []).map(
    ({ commands, group = "" }) => [group, commands.map(({ name }) => name)] as const
  )
  const left = Math.max(...groups.map(([name]) => name.length)) + 4
  return [
    `${doc.description} Usage: ${doc.usage}`,
    "",
    ...groups.map(([name, names]) => `  ${name.padEnd(left - 2)}${listOf(names, left, most)}`),
    "",
    ...wrapped(
      "bursar help <topic> says what the commands of a group do (payments, webhooks, wallets, recipients, sending, trading, approvals, account), bursar help <command> how one is written, bursar help output how answers are printed. --version shows the version.",
      most
    )
  ].join("\n")
}

/** The help as a terminal so many columns wide prints it; backticks are for pages, not for terminals. */
export const helpText = (doc: HelpDoc.HelpDoc, columns: number | undefined): string => {
  const most = Math.min(widest, columns ?? widest)
  const count = (doc.subcommands ?? []).flatMap(({ commands }) => commands).length
  if (count > manyCommands) return overview(doc, most)
  const paragraphs = doc.description.split("\n").flatMap((line) => wrapped(line, most))
  const args = (doc.args ?? []).map(
    (arg) => [arg.name, Option.getOrElse(arg.description, () => "")] as const
  )
  const groups = (doc.subcommands ?? []).flatMap(({ commands, group = "Commands" }) =>
    section(
      group,
      columnsOf(
        commands.map((each) => [each.name, each.shortDescription ?? each.description]),
        most
      )
    )
  )
  return [
    ...paragraphs,
    ...section("Usage", [`  ${doc.usage}`]),
    ...section("Arguments", args.length === 0 ? [] : columnsOf(args, most)),
    ...groups,
    ...section("Flags", columnsOf([...doc.flags, ...(doc.globalFlags ?? [])].map(flagRow), most)),
    ...section(
      "Example",
      (doc.examples ?? []).map(({ command }) => `  ${command}`)
    )
  ]
    .join("\n")
    .replaceAll("`", "")
}
