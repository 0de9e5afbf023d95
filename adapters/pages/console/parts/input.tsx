/** One field of a form or of a filter, with its label, its help, and the place where its error is written. */

/** How the text of a field becomes JSON; the script of the pages reads it by this. */
export type As =
  | "text"
  | "number"
  | "boolean"
  | "list"
  | "lines"
  | "map"
  /** Objects of a list, one a line or as a spreadsheet has them. */
  | "rows"
  | "day"
  /** USD, sent in millionths; `open-micro` is null when it is empty. */
  | "micro"
  | "open-micro"
  /** A URL, or a file that becomes one. */
  | "picture"

export interface Choice {
  readonly value: string
  readonly text: string
  /** An address beside the text. */
  readonly code?: string
}

/** What may be chosen, and how it was searched for where there is more than is shown. */
export interface Offer {
  readonly choices: ReadonlyArray<Choice>
  /** What is chosen until somebody chooses something else. */
  readonly usual?: string
  readonly search?: Search
  /** Where to go where there is nothing to choose from yet. */
  readonly none?: None
}

export interface None {
  readonly text: string
  readonly href: string
}

export interface Search {
  /** What was searched for; empty at first. */
  readonly text: string
  /** Whether more was found than is offered. */
  readonly hasMore: boolean
}

export interface FormField {
  readonly name: string
  readonly label: string
  readonly help: string | undefined
  readonly isRequired: boolean
  readonly as: As
  /** Empty where any text may be written. */
  readonly choices: ReadonlyArray<Choice>
  /** Where what may be chosen is searched for. */
  readonly search: Search | undefined
  readonly none: None | undefined
  readonly maxLength: number | undefined
  /** What each row has, in order. */
  readonly columns?: ReadonlyArray<string>
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

/** What the search of a field is called in a form and in the address. */
export const searchName = (field: string) => `search.${field}`

/** Sends the form as a search, with all that was typed; the script searches by itself while one types. */
const SearchBox = ({ field }: InputProps) =>
  field.search === undefined ? null : (
    <p class="search">
      <input
        type="search"
        id={idOf(searchName(field.name))}
        name={searchName(field.name)}
        value={field.search.text}
        maxLength={64}
        autoComplete="off"
        placeholder="Search by name or address"
        aria-label={`Search: ${field.label}`}
        data-search={field.name}
      />
      <button type="submit" formMethod="get" formNoValidate data-search-button>
        Search<span class="unseen"> {field.label}</span>
      </button>
    </p>
  )

const Found = ({ field: { choices, search } }: InputProps) =>
  search === undefined ? null : (
    <p class="soft">
      {choices.length === 0
        ? "Nothing was found."
        : search.hasMore
          ? "There are more; search for the one you mean."
          : "These are all."}
    </p>
  )

const NoneYet = ({ field: { choices, none, search } }: InputProps) =>
  none === undefined || choices.length > 0 || search !== undefined ? null : (
    <p class="soft">
      There is none yet. <a href={none.href}>{none.text}</a>
    </p>
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

export const Checks = ({ field }: InputProps) => (
  <fieldset aria-describedby={describedBy(field)}>
    <legend>{field.label}</legend>
    <SearchBox field={field} />
    <div data-options={field.name}>
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
      <Found field={field} />
    </div>
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
      // A map may be empty where it has to be sent.
      <textarea
        {...shared}
        required={field.isRequired && field.as !== "map"}
        data-sent={field.isRequired ? "" : undefined}
        rows={3}
      >
        {field.value}
      </textarea>
    )
  }
  if (field.as === "rows") {
    return (
      <textarea {...shared} data-columns={field.columns?.join(" ")} rows={6} wrap="off">
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

/** The script makes what is chosen small, and writes it into the field above as a `data` URL. */
const FileBelow = ({ field }: InputProps) => (
  <p>
    <label class="soft" for={`${idOf(field.name)}-file`}>
      Or choose a picture; it is made small for you.
    </label>
    <input
      type="file"
      id={`${idOf(field.name)}-file`}
      accept="image/png,image/jpeg,image/webp"
      data-fills={idOf(field.name)}
    />
  </p>
)

/** The script writes what is in it into the field above. */
const TableBelow = ({ field }: InputProps) => (
  <p>
    <label class="soft" for={`${idOf(field.name)}-file`}>
      Or choose a file of comma-separated values; its rows are shown above before they are sent.
    </label>
    <input
      type="file"
      id={`${idOf(field.name)}-file`}
      accept=".csv,.tsv,.txt,text/csv,text/plain"
      data-rows={idOf(field.name)}
    />
  </p>
)

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
      {field.choices.length > 0 || field.search !== undefined || field.none !== undefined ? (
        <>
          <SearchBox field={field} />
          <div data-options={field.name}>
            <Select field={field} />
            <Found field={field} />
            <NoneYet field={field} />
          </div>
        </>
      ) : (
        <Written field={field} />
      )}
      {field.as === "picture" && <FileBelow field={field} />}
      {field.as === "rows" && <TableBelow field={field} />}
      <Below field={field} />
    </div>
  )
}
