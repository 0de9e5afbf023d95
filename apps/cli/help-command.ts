/** `bursar help`: all commands on one screen, the commands of one topic, or one command in full. */

import { Console, Effect } from "effect"
import { Argument, Command, Completions } from "effect/cli"
import { nearest } from "../../core/encoding/nearest.ts"
import { executed } from "./executed.ts"
import { meanings as exitMeanings, misused } from "./exit.ts"
import { columnsOf, widest, wrapped } from "./help.ts"
import { spoken } from "./operation-flags.ts"
import { meanings as formatMeanings } from "./output.ts"
import { Shell } from "./shell.ts"
import { isTopic, topicRows, topics } from "./topics.ts"

/** Topics that are no group of commands. */
const articles: Readonly<Record<string, (most: number) => ReadonlyArray<string>>> = {
  output: (most) => [
    "How answers are printed: --output, or -o.",
    "",
    ...columnsOf(Object.entries(formatMeanings), most),
    "",
    ...wrapped(
      "Data goes to standard output, everything else to standard error. --wait follows what takes time to its end. The last line of a list names the command that prints its next page.",
      most
    ),
    "",
    "Exit codes",
    "",
    ...columnsOf(Object.entries(exitMeanings), most)
  ]
}

export const topicNames: ReadonlyArray<string> = [...Object.keys(topics), ...Object.keys(articles)]

const topicText = (name: string, most: number): string | undefined => {
  if (isTopic(name)) {
    const rows = topicRows(name).map(([command, does]) => [command, spoken(does)] as const)
    return [
      topics[name],
      "",
      ...columnsOf(rows, most),
      "",
      "bursar help <command> shows the flags of one."
    ].join("\n")
  }
  return articles[name]?.(most).join("\n")
}

/** The command tree is asked for late, since this command is part of it. */
export const helpOf = (tree: () => Command.Command<"bursar", object, object, never, never>) =>
  Command.make(
    "help",
    {
      words: Argument.String("topic").pipe(
        Argument.withDescription(`A command, or one of ${topicNames.join(", ")}.`),
        Argument.variadic()
      )
    },
    Effect.fnUntraced(function* ({ words }) {
      const [first = "", ...more] = words
      const { columns = widest } = yield* Shell
      const text = more.length === 0 ? topicText(first, Math.min(widest, columns)) : undefined
      if (text !== undefined) return yield* Console.log(text.replaceAll("`", ""))
      const commands = Completions.fromCommand(tree()).subcommands.map(({ name }) => name)
      if (first !== "" && !commands.includes(first)) {
        const known = nearest(first, [...topicNames, ...commands])
        return yield* misused(
          `There is no help on ${first}${known === undefined ? "." : `; did you mean ${known}?`}`,
          "See: bursar help"
        )
      }
      yield* executed(tree(), [...words, "--help"])
    })
  ).pipe(
    Command.withDescription("Shows the help of a command, or the commands of a topic."),
    Command.withExamples([{ command: "bursar help payments" }])
  )
