/** A text whose places are filled with elements, so that a name that somebody chose stays apart from what is around it. */
import type { ComponentChildren } from "preact"
import { parts } from "./words.ts"

interface Props {
  readonly text: string
  readonly values: Readonly<Record<string, ComponentChildren>>
}

export const Filled = ({ text, values }: Props) => (
  <>{parts(text).map((part, at) => (at % 2 === 0 ? part : values[part]))}</>
)
