/** The page of a form: what will happen, its fields, and the button that says whether a passkey is asked. */
import { Console, type Who } from "./parts/frame.tsx"
import { type FormField, Input } from "./parts/input.tsx"
import type { Section } from "./parts/sections.ts"

interface FormProps {
  readonly who: Who
  readonly section: Section
  readonly title: string
  readonly what: string
  /** Where to make what the form needs and cannot offer. */
  readonly before: { readonly href: string; readonly text: string } | undefined
  readonly button: string
  readonly next: string
  readonly operation: string
  readonly isSigned: boolean
  /** Sent along with what is typed. */
  readonly input: Readonly<Record<string, unknown>>
  readonly fields: ReadonlyArray<FormField>
}

export const Once = ({ what }: { readonly what: string }) => (
  <div id="once" class="once" hidden>
    <p>{what}, shown only once:</p>
    <code id="secret" />
    <p>
      <button type="button" data-copy="secret">
        Copy
      </button>
    </p>
  </div>
)

export const FormPage = (props: FormProps) => {
  const at = props.isSigned
    ? {
        "data-ask": `/console/sign/${props.operation}/options`,
        "data-answer": `/console/sign/${props.operation}/verify`
      }
    : { "data-post": `/console/do/${props.operation}` }
  return (
    <Console who={props.who} section={props.section}>
      <h1>{props.title}</h1>
      <p>{props.what}</p>
      {props.before !== undefined && (
        <p>
          <a href={props.before.href}>{props.before.text}</a>
        </p>
      )}
      <form method="post" data-next={props.next} data-input={JSON.stringify(props.input)} {...at}>
        {props.fields.map((field) => (
          <Input key={field.name} field={field} />
        ))}
        <button type="submit" class="main">
          {props.button}
        </button>
        <Once what="The secret" />
      </form>
      <noscript>
        <p class="warning">Forms of the console need JavaScript; enable it for this page.</p>
      </noscript>
    </Console>
  )
}
