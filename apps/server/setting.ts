/**
 * One setting: its environment variable, what it means, its default, and how its text is read. The
 * manual's configuration page is printed from these, so a setting without a meaning cannot exist.
 */
import { Data, Result } from "effect"

export class SettingRefused extends Data.TaggedError("SettingRefused")<{
  readonly variable: string
  readonly message: string
}> {}

export interface Setting<Value> {
  readonly variable: string
  readonly meaning: string
  /** As the manual prints it; undefined when there is none. */
  readonly default: string | undefined
  readonly secret: boolean
  readonly read: (environment: Environment) => Value
}

export type Environment = Readonly<Record<string, string | undefined>>

const refuse = (variable: string, message: string) =>
  new SettingRefused({ variable, message: `${variable} ${message}.` })

const present = (environment: Environment, variable: string): string | undefined => {
  const text = environment[variable]
  return text === undefined || text === "" ? undefined : text
}

export const integer = (
  variable: string,
  meaning: string,
  usual: number,
  range: { readonly least: number; readonly most: number }
): Setting<number> => ({
  variable,
  meaning,
  default: String(usual),
  secret: false,
  read: (environment) => {
    const text = present(environment, variable)
    if (text === undefined) return usual
    const value = Number(text)
    if (!/^\d+$/u.test(text) || value < range.least || value > range.most) {
      throw refuse(variable, `must be a whole number from ${range.least} to ${range.most}`)
    }
    return value
  }
})

export const text = (
  variable: string,
  meaning: string,
  usual: string,
  form: RegExp = /^.*$/u,
  expected = "have the documented form"
): Setting<string> => ({
  variable,
  meaning,
  default: usual,
  secret: false,
  read: (environment) => {
    const value = present(environment, variable) ?? usual
    if (!form.test(value)) throw refuse(variable, `must ${expected}`)
    return value
  }
})

/** A setting whose text is read into a value, or refused with the rest of a sentence about its variable. */
export const parsed = <Value>(
  variable: string,
  meaning: string,
  usual: string,
  parse: (text: string) => Result.Result<Value, string>
): Setting<Value> => ({
  variable,
  meaning,
  default: usual,
  secret: false,
  read: (environment) =>
    Result.getOrThrowWith(parse(present(environment, variable) ?? usual), (violation) =>
      refuse(variable, violation)
    )
})

/** A setting without a default. */
export const optional = (
  variable: string,
  meaning: string,
  options: { readonly secret?: boolean; readonly form?: RegExp; readonly expected?: string } = {}
): Setting<string | undefined> => ({
  variable,
  meaning,
  default: undefined,
  secret: options.secret ?? false,
  read: (environment) => {
    const value = present(environment, variable)
    if (value !== undefined && options.form !== undefined && !options.form.test(value)) {
      throw refuse(variable, `must ${options.expected ?? "have the documented form"}`)
    }
    return value
  }
})

export const list = (variable: string, meaning: string): Setting<ReadonlyArray<string>> => ({
  variable,
  meaning,
  default: "(none)",
  secret: false,
  read: (environment) =>
    (present(environment, variable) ?? "")
      .split(",")
      .map((each) => each.trim())
      .filter((each) => each !== "")
})
