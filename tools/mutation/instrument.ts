/** Puts every mutant of some modules into their source at once, each behind a switch that a running process turns. */
import { readFileSync } from "node:fs"
import { createInstrumenter } from "@stryker-mutator/instrumenter"
import { createInjector } from "typed-inject"

export interface Mutant {
  readonly id: string
  readonly module: string
  readonly line: number
  readonly before: string
  readonly after: string
  /** Why it is not tried; undefined for most. */
  readonly ignored: string | undefined
}

/** Words for people and for operators' logs: changing one costs nobody money. */
const prose = new Set([
  "message",
  "summary",
  "description",
  "next",
  "meaning",
  "title",
  "expected",
  "examples",
  "reason"
])
const annotating = new Set(["annotate", "annotateKey"])
const logging = /^(?:withSpan|log[A-Z]?\w*)$/u

/** Three words in a row: no code, name or key is so long. */
const sentence = /\S+ \S+ \S+/u

const isSentence = (path): boolean =>
  (path.isStringLiteral() && sentence.test(path.node.value)) ||
  (path.isTemplateLiteral() && path.node.quasis.some(({ value }) => sentence.test(value.raw)))

const ignoring = (path) => {
  const { node, parent } = path
  if (isSentence(path)) return "words for people"
  if (path.isObjectProperty() && prose.has(node.key.name)) return "words for people"
  if (path.isObjectExpression() && annotating.has(parent?.callee?.property?.name)) {
    return "words for people"
  }
  return path.isCallExpression() && logging.test(node.callee?.property?.name ?? "")
    ? "what operators read"
    : undefined
}

const silence = () => undefined
const silent = {
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => false,
  isErrorEnabled: () => false,
  isFatalEnabled: () => false,
  trace: silence,
  debug: silence,
  info: silence,
  warn: silence,
  error: silence,
  fatal: silence
}

const between = (source: string, { end, start }): string => {
  const lines = source.split("\n").slice(start.line, end.line + 1)
  lines[lines.length - 1] = lines.at(-1).slice(0, end.column)
  lines[0] = lines[0].slice(start.column)
  return lines.join(" ").replace(/\s+/gu, " ")
}

/** The instrumented sources by their absolute paths, and what was put into them. */
export const instrument = async (root: string, modules: ReadonlyArray<string>) => {
  const instrumenter = createInjector()
    .provideValue("logger", silent)
    .injectFunction(createInstrumenter)
  const plain = new Map(
    modules.map((module) => [`${root}/${module}`, readFileSync(`${root}/${module}`, "utf8")])
  )
  const made = await instrumenter.instrument(
    [...plain].map(([name, content]) => ({ name, content, mutate: true })),
    {
      plugins: null,
      // A whole function gone is what its parts gone are, and would need a process of its own.
      excludedMutations: ["ArrowFunction"],
      ignorers: [{ shouldIgnore: ignoring }],
      noHeader: false
    }
  )
  const mutants = made.mutants.map(
    ({ fileName, id, location, replacement, status, statusReason }): Mutant => ({
      id,
      module: fileName.slice(root.length + 1),
      line: location.start.line + 1,
      before: between(plain.get(fileName) ?? "", location),
      after: replacement.replace(/\s+/gu, " "),
      ignored: status === "Ignored" ? (statusReason ?? "ignored") : undefined
    })
  )
  return { sources: new Map(made.files.map(({ content, name }) => [name, content])), mutants }
}
