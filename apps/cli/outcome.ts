/** What a reply means for whoever ran the command: its exit code, and what to do next as a command line. */
import type * as Operation from "../../core/operation/operation.ts"
import { operations } from "../../core/treasury/operations.ts"
import { commandLine, type Spoken } from "./command-line.ts"
import * as Exit from "./exit.ts"
import { kebab } from "./field.ts"
import type { ErrorBody, Reply } from "./request.ts"
import { printable } from "./table.ts"

export interface CallContext {
  readonly operation: Operation.Any
  readonly siteUrl: string
  /** Undefined for reads, which need none. */
  readonly idempotencyKey: string | undefined
  /** How the service was named, so that the next call is one to the same. */
  readonly spoken: Spoken
}

const nextOf = ({ next }: ErrorBody, spoken: Spoken): ReadonlyArray<string> => {
  if (next === undefined) return []
  const operation = operations.find(({ name }) => name === next.operation)
  // A service newer than this program may name what it does not know.
  if (operation === undefined) return [`  next: ${next.operation}`]
  const missing = (next.missing ?? []).map((name) => ` --${kebab(name)} …`)
  return [`  next: ${commandLine(operation, next.args ?? {}, spoken)}${missing.join("")}`]
}

const errorLines = (error: ErrorBody, { spoken }: CallContext): ReadonlyArray<string> =>
  [
    `${error.code}: ${error.message}`,
    ...(error.param === undefined ? [] : [`  field: ${error.param}`]),
    ...nextOf(error, spoken),
    ...(error.requestId === undefined ? [] : [`  request: ${error.requestId}`])
  ].map(printable)

const retry = ({ idempotencyKey }: CallContext): ReadonlyArray<string> =>
  idempotencyKey === undefined
    ? []
    : [`The call may have been executed. Run it again with --idempotency-key ${idempotencyKey}.`]

/** How a command ends that got this reply, or undefined when it got what it asked for. */
export const endOf = (asked: CallContext, reply: Reply): Exit.Stopped | undefined => {
  switch (reply._tag) {
    case "answered":
      return undefined
    case "refused": {
      const { error, status } = reply
      if (error.outcome === "unknown")
        return Exit.unknown(...errorLines(error, asked), ...retry(asked))
      return status < 500
        ? Exit.refused(...errorLines(error, asked))
        : Exit.unavailable(...errorLines(error, asked))
    }
    case "unreached":
      return Exit.unavailable(`No service responds at ${asked.siteUrl} (${reply.reason}).`)
    case "unclear": {
      const line = `The outcome of the call to ${asked.siteUrl} is unknown: ${reply.reason}.`
      return asked.operation.sideEffect === "read"
        ? Exit.unavailable(line)
        : Exit.unknown(line, ...retry(asked))
    }
  }
}
