/**
 * Fields of forms and filters from the input schema of an operation, so that the console asks for what the
 * operation takes and for nothing else. The operation itself decides whether what was written is valid.
 */
import { DateTime, Option } from "effect"
import type * as Operation from "../../../../core/operation/operation.ts"
import { type JsonSchema, ofInput } from "../../../http/manual/json-schema.ts"
import type { As, Choice, FormField, Offer } from "./input.tsx"

/** Labels where the name alone would mislead. */
const labels: Readonly<Record<string, string>> = {
  walletMappingId: "Vault",
  vaultId: "Vault",
  fromWalletId: "From wallet",
  accountId: "Wallet",
  walletId: "Wallet",
  recipientId: "Recipient",
  recipientIds: "Recipients it can pay; none selected: all",
  walletIds: "Wallets it can send from; none selected: all",
  cosignerUserId: "Account id of the co-signer",
  chainId: "Chain",
  amountUsd: "Amount in USD",
  amountUsdc: "Amount in USDC",
  dailyCapUsd: "Daily limit in USDC, such as 250.00; empty: none",
  ipRanges: "Allowed IP addresses or CIDR ranges, one per line; empty: any",
  scopes: "Permissions",
  expiresAt: "Last valid day (UTC); empty: no expiry",
  url: "URL",
  idOrPid: "Payment request",
  pid: "Payment request",
  endpointId: "Endpoint",
  eventId: "Event id",
  eventType: "Event type",
  paymentRequestPid: "Payment request",
  depositId: "Deposit",
  paymentRequestId: "Payment request",
  customerExternalId: "Customer id",
  customerNamespace: "Customer namespace",
  minAmountUsd: "Amount from, in USD",
  maxAmountUsd: "Amount up to, in USD",
  since: "From",
  until: "Until",
  expiryDays: "Days until it expires",
  expiresInMinutes: "Minutes until it expires",
  successUrl: "Where to go once it is paid",
  cancelUrl: "Where to go without paying",
  "customer.externalId": "Customer id",
  "customer.namespace": "Customer namespace",
  "product.externalSkuId": "Product SKU",
  tokenAddress: "Token address",
  toWalletId: "To wallet",
  sellTokenAddress: "Contract of the token to sell",
  buyTokenAddress: "Contract of the token to buy",
  sellMint: "Mint of the token to sell",
  buyMint: "Mint of the token to buy",
  sellSymbol: "Token to sell",
  buySymbol: "Token to buy",
  slippagePercent: "Slippage in percent, such as 0.5",
  customers: "Customers, one a line",
  "rules.action": "Action",
  "rules.minAmountMicro": "From amount in USD",
  "rules.maxAmountMicro": "Below amount in USD; empty: no upper limit",
  "rules.requiredApprovals": "Co-signers needed",
  merchantName: "Name payers see",
  logoUrl: "Logo, as an https:// URL",
  brandColor: "Colour of buttons, such as #1d4ed8",
  emailNotices: "E-mail about",
  emailDelivery: "When e-mail is sent",
  email: "E-mail address",
  metadata: "Tags, one key=value a line",
  metadataKey: "Tag",
  metadataValue: "Value of the tag",
  query: "Name or symbol",
  search: "Search by name or address",
  onChainMemo: "Memo on the chain"
}

/** Help where the operation's own is for programs; undefined where the label says it all. */
const helps: Readonly<Record<string, string | undefined>> = {
  amountUsd: "Such as 49.00.",
  amountUsdc: "Such as 12.50.",
  scopes: "What programs with this key may do.",
  expiresAt: undefined,
  expiryDays: "1 to 365; 30 where it may be left empty.",
  expiresInMinutes: "In place of days.",
  depositId: "The id of a deposit.",
  accountId: "The id of a wallet.",
  address: "On its chain.",
  flow: "It determines who may take the token.",
  cursor: "Where an earlier recovery is to go on.",
  paymentRequestId: "The id of a request that can no longer be paid; this or a deposit.",
  metadata: "At most 20 tags.",
  notices: "What people of this account should look at. Default: none.",
  "rules.maxAmountMicro": undefined
}

/** `metadataKey` and `customer.name` as "Metadata key" and "Customer name". */
export const labelOf = (path: string): string => {
  const [, row] = /\.(\d+)\./u.exec(path) ?? []
  const name = path.replace(/\.\d+\./u, ".")
  const words = name
    .replaceAll(/[._]/gu, " ")
    .replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`)
  const label = labels[name] ?? `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
  return row === undefined || row === "0" ? label : `${label}, row ${Number(row) + 1}`
}

const typesOf = (schema: JsonSchema): ReadonlyArray<string> =>
  [schema, ...(schema.anyOf ?? [])].flatMap(({ type }) => type ?? [])

const asOf = (name: string, schema: JsonSchema): As => {
  const types = typesOf(schema)
  if (name.endsWith("Micro")) return types.includes("null") ? "open-micro" : "micro"
  if (name === "logoUrl") return "picture"
  if (types.includes("array")) return schema.items?.enum === undefined ? "lines" : "list"
  if (types.includes("object")) return "map"
  if (types.includes("string") || types.length === 0) return name === "expiresAt" ? "day" : "text"
  return types.includes("boolean") ? "boolean" : "number"
}

/** `payment_request.paid` and `payment_requests:read` stay as they are: people look for them by these names. */
const isName = (value: unknown) => /[.:]/u.test(String(value))

const choicesOf = (schema: JsonSchema): ReadonlyArray<Choice> =>
  [schema.enum ?? schema.items?.enum ?? []]
    .flat()
    .filter((value) => value !== null)
    .map((value) => ({
      value: String(value),
      text: isName(value) ? String(value) : String(value).replaceAll("_", " ")
    }))

interface Asked {
  /** Values that stand there already. */
  readonly values?: Readonly<Record<string, string>>
  /** What may be chosen where the schema leaves it open. */
  readonly choices?: Readonly<Record<string, Offer>>
  /** Fields that are not asked for. */
  readonly without?: ReadonlyArray<string>
}

/** Beyond this many a list is written, or pasted, as text. */
const maxFieldRows = 100

const tableOf = (
  name: string,
  { items, maxItems }: JsonSchema,
  isRequired: boolean,
  value: string
): FormField => {
  const columns = Object.entries(items?.properties ?? {}).flatMap(([column, { type }]) =>
    type === "object" ? [] : [column]
  )
  return {
    name,
    label: labelOf(name),
    help: `A line each: ${columns.join(", ")}. A first line of these names may put them in another order, and metadata.key adds a tag. Up to ${maxItems}, as a spreadsheet copies or saves them.`,
    isRequired,
    as: "rows",
    choices: [],
    search: undefined,
    none: undefined,
    maxLength: undefined,
    columns,
    value,
    unset: ""
  }
}

/** How many rows of a list of objects a form has; what is left empty is not sent. */
const rowsOf = (name: string, values: Asked["values"] = {}): number => {
  const written = new Set(
    Object.keys(values).flatMap((key) => (key.startsWith(`${name}.`) ? key.split(".")[1] : []))
  )
  return written.size + 2
}

/** What the operation says of a field, in plain text. Who chooses among names is not told where ids come from. */
const helpOf = (
  name: string,
  { description }: JsonSchema,
  isOffered: boolean
): string | undefined => {
  const path = name.replace(/\.\d+\./u, ".")
  if (path in helps) return helps[path]
  return typeof description === "string" && !isOffered ? description.replaceAll("`", "") : undefined
}

const fieldsIn = (
  { properties = {}, required = [] }: JsonSchema,
  { choices = {}, values = {}, without = [] }: Asked,
  within: string,
  isNeeded = true
): ReadonlyArray<FormField> =>
  Object.entries(properties).flatMap(([property, schema]) => {
    const name = `${within}${property}`
    if (without.includes(name)) return []
    if (schema.properties !== undefined) {
      const isWhole = isNeeded && required.includes(property)
      return fieldsIn(schema, { choices, values, without }, `${name}.`, isWhole)
    }
    const item = schema.items
    if (item?.properties !== undefined && Number(schema.maxItems ?? 0) > maxFieldRows) {
      return [tableOf(name, schema, isNeeded && required.includes(property), values[name] ?? "")]
    }
    if (item?.properties !== undefined) {
      const rows = Array.from({ length: rowsOf(name, values) }, (_, at) => at)
      return rows.flatMap((at) =>
        fieldsIn(
          item,
          { choices, values, without },
          `${name}.${at}.`,
          isNeeded && rows.length === 1
        ).map((field) => (at === 0 ? field : { ...field, help: undefined }))
      )
    }
    const as = asOf(property, schema)
    const {
      choices: own,
      none,
      search,
      usual
    }: Offer = choices[name] ?? { choices: choicesOf(schema) }
    const help = helpOf(name, schema, name in choices)
    return [
      {
        name,
        label: labelOf(name),
        help,
        isRequired: isNeeded && required.includes(property),
        as: as === "lines" && name in choices ? "list" : as,
        choices: own,
        search,
        none,
        // Browsers count UTF-16 units, of which a character has at most two.
        maxLength: typeof schema.maxLength === "number" ? 2 * schema.maxLength : undefined,
        value: values[name] ?? usual ?? "",
        unset: "Not chosen"
      }
    ]
  })

/** What stands in the fields by the address of a page: of a field that takes several, all of them. */
export const valuesIn = (query: URLSearchParams): Readonly<Record<string, string>> =>
  Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name).join(" ")]))

/** The fields of a form, nested objects as `customer.externalId`. */
export const formFields = (operation: Operation.Any, asked: Asked = {}) =>
  fieldsIn(ofInput(operation), asked, "")

const ofPages: ReadonlyArray<string> = ["limit", "cursor"]

/** Whole days of UTC, the last one with all of it. */
const dayLabels: Readonly<Record<string, string>> = {
  since: "From day (UTC)",
  until: "To day (UTC)"
}

const ofDays = (field: FormField): FormField => {
  const label = dayLabels[field.name]
  return label === undefined
    ? field
    : { ...field, label, as: "day", value: field.value.slice(0, 10) }
}

/** What a list can be filtered by. */
export const filterFields = (operation: Operation.Any, asked: Asked = {}) =>
  formFields(operation, { ...asked, without: [...ofPages, ...(asked.without ?? [])] }).map(
    (field) => ofDays({ ...field, help: undefined, unset: "Any" })
  )

/** A day as the instant it begins, or for the end of a time, as the one it ends; anything else as it is. */
const instantOf = (name: string, text: string): string => {
  if (dayLabels[name] === undefined || !/^\d{4}-\d{2}-\d{2}$/u.test(text)) return text
  const begins = Option.getOrUndefined(DateTime.make(`${text}T00:00:00Z`))
  if (begins === undefined) return text
  return DateTime.formatIso(name === "until" ? DateTime.add(begins, { days: 1 }) : begins)
}

/** The input of a list from the query of a page; what the operation does not know is left out. */
export const inputOf = (
  operation: Operation.Any,
  query: URLSearchParams
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(ofInput(operation).properties ?? {}).flatMap(
      ([name, schema]): ReadonlyArray<readonly [string, unknown]> => {
        const text = query.get(name)?.trim() ?? ""
        if (text === "") return []
        const as = asOf(name, schema)
        if (as === "number" && /^\d+$/u.test(text)) return [[name, Number(text)]]
        return [[name, as === "boolean" ? text === "true" : instantOf(name, text)]]
      }
    )
  )
