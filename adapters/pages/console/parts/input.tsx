/** One field of a form or of a filter, with its label, its help, and the place where its error is written. */

/** How the text of a field becomes JSON; the script of the pages reads it by this. */
export type As =
  | "text"
  | "number"
  | "boolean"
  | "list"
  | "lines"
  | "map"
  | "day"
  /** USD, sent in millionths; `open-micro` is null when it is empty. */
  | "micro"
  | "open-micro"

export interface Choice {
  readonly value: string
  readonly text: string
  /** An address beside the text. */
  readonly code?: string
}

export interface FormField {
  readonly name: string
  readonly label: string
  readonly help: string | undefined
  readonly isRequired: boolean
  readonly as: As
  /** Empty where any text may be written. */
  readonly choices: ReadonlyArray<Choice>
  readonly maxLength: number | undefined
  readonly value: string
  /** What it says where nothing is chosen. */
  readonly unset: string
}

interface InputProps {
  readonly field: FormField
}

const idOf = (name: string) => `field-${name.replaceAll(".", "-")}`

const describedBy = ({ help, name }: FormField) =>
  help === undefined ? `${idOf(name)}-error` : `${idOf(name)}-help ${idOf(name)}-error`

const Below = ({ field }: InputProps) => (
  <>
    {field.help !== undefined && (
      <p id={`${idOf(field.name)}-help`} class="soft">
        {field.help}
      </p>
    )}
    <p id={`${idOf(field.name)}-error`} class="error" />
  </>
)

const Select = ({ field }: InputProps) => (
  <select
    id={idOf(field.name)}
    name={field.name}
    data-as={field.as}
    required={field.isRequired}
    aria-describedby={describedBy(field)}
  >
    <option value="">{field.unset}</option>
    {field.choices.map(({ code, text, value }) => (
      <option key={value} value={value} selected={value === field.value}>
        {code === undefined ? text : `${text} (${code})`}
      </option>
    ))}
  </select>
)

const Checks = ({ field }: InputProps) => (
  <fieldset aria-describedby={describedBy(field)}>
    <legend>{field.label}</legend>
    {field.choices.map(({ code, text, value }) => (
      <label key={value} class="check">
        <input
          type="checkbox"
          name={field.name}
          value={value}
          data-as="list"
          checked={field.value.split(" ").includes(value)}
        />
        <span>
          <bdi>{text}</bdi> {code !== undefined && <code>{code}</code>}
        </span>
      </label>
    ))}
    <Below field={field} />
  </fieldset>
)

const Written = ({ field }: InputProps) => {
  const shared = {
    id: idOf(field.name),
    name: field.name,
    "data-as": field.as,
    required: field.isRequired,
    maxLength: field.maxLength,
    autoComplete: "off",
    "aria-describedby": describedBy(field)
  }
  if (field.as === "lines" || field.as === "map") {
    return (
      <textarea {...shared} rows={3}>
        {field.value}
      </textarea>
    )
  }
  if (field.as === "day") return <input {...shared} type="date" value={field.value} />
  const isNumber = field.as === "number" || /amount|cap|micro/iu.test(field.name)
  return (
    <input
      {...shared}
      type="text"
      inputMode={isNumber ? "decimal" : undefined}
      value={field.value}
    />
  )
}

export const Input = ({ field }: InputProps) => {
  if (field.as === "list") return <Checks field={field} />
  if (field.as === "boolean" && field.isRequired === false && field.choices.length === 0) {
    return (
      <div class="field">
        <label class="check">
          <input
            type="checkbox"
            id={idOf(field.name)}
            name={field.name}
            value="true"
            data-as="boolean"
            checked={field.value === "true"}
            aria-describedby={describedBy(field)}
          />
          <span>{field.label}</span>
        </label>
        <Below field={field} />
      </div>
    )
  }
  return (
    <div class="field">
      <label for={idOf(field.name)}>
        {field.label}
        {field.isRequired && <span class="soft"> (required)</span>}
      </label>
      {field.choices.length > 0 ? <Select field={field} /> : <Written field={field} />}
      <Below field={field} />
    </div>
  )
}
