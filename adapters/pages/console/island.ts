/**
 * The console in the browser: posts what buttons and forms carry, asks the authenticator, and says what came
 * of it. It shows nothing that the server did not write, but a key or a link that is shown once.
 */
import { searchWhileTyping } from "./chooser.ts"
import { type Field, inputOf } from "./form-input.ts"
import { follow, pageAt, show } from "./page-again.ts"

interface Answer {
  readonly ok: boolean
  readonly data: Readonly<Record<string, unknown>>
  readonly error: { readonly code: string; readonly message: string; readonly param?: string }
}

/** What the server refused, and the field it names. */
class Refused extends Error {
  readonly param: string | undefined
  constructor({ message, param }: Answer["error"]) {
    super(message)
    this.param = param
  }
}

const by = (id: string) => document.getElementById(id)

const say = (text: string) => {
  const place = by("said")
  if (place !== null) place.textContent = text
}

const post = async (url: string, body: unknown): Promise<Answer["data"]> => {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  const answer = (await response.json()) as Answer
  if (answer.ok) return answer.data
  if (answer.error.code === "SIGN_IN_REQUIRED") {
    location.assign(`/console/login?next=${encodeURIComponent(location.pathname)}`)
  }
  throw new Refused(answer.error)
}

/** What browsers call what went wrong between them and the authenticator. */
const failures: Readonly<Record<string, string>> = {
  NotAllowedError: "Your device could not verify you, so nothing was signed.",
  InvalidStateError: "This device already has one of your passkeys.",
  SecurityError: "Passkeys work only at the console's own address; open it there."
}

const wrong = (error: unknown): string => {
  if (error instanceof DOMException) return failures[error.name] ?? error.message
  return error instanceof Error ? error.message : "Something went wrong; try again."
}

let isBusy = false

/** One thing at a time, and whatever it comes to is told. */
const act = async (doing: () => Promise<void>) => {
  if (isBusy) return
  isBusy = true
  say("One moment…")
  try {
    await doing()
  } catch (error) {
    say(wrong(error))
  }
  isBusy = false
}

const answerOf = (credential: Credential | null): unknown => {
  if (credential === null) throw new Error("Your device did not respond; try again.")
  return (credential as PublicKeyCredential).toJSON()
}

const signed = async (options: unknown): Promise<unknown> =>
  answerOf(
    await navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(
        options as PublicKeyCredentialRequestOptionsJSON
      )
    })
  )

const newPasskey = async (options: unknown): Promise<unknown> =>
  answerOf(
    await navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(
        options as PublicKeyCredentialCreationOptionsJSON
      )
    })
  )

const showOnce = (text: unknown, link?: unknown) => {
  const secret = by("secret")
  const place = by("once")
  if (secret === null || place === null || typeof text !== "string") return
  secret.textContent = text
  const anchor = by("link")
  if (anchor !== null && typeof link === "string") anchor.setAttribute("href", link)
  place.hidden = false
}

/** The hash beside the question is the one this page shows, or the page is of yesterday. */
const isShown = (question: Answer["data"], shown: string | undefined): boolean => {
  const about = (question.proposal ?? question.request) as Readonly<Record<string, unknown>> | null
  const hash = about?.intentHash ?? about?.payloadHash
  return shown === undefined || hash === shown
}

/** Asks the device to sign for what is posted to `ask`, and posts its answer, with the same, to `answer`. */
const signFor = async ({ ask = "", answer = "", shown }: DOMStringMap, what: object) => {
  const question = await post(ask, what)
  if (!isShown(question, shown)) throw new Error("This has changed; reload the page.")
  const { passkeyChallengeId, options } = question
  return post(answer, { ...what, passkeyChallengeId, answer: await signed(options) })
}

/** One key for each call as it was typed: whoever presses twice is answered as the first time. */
const keys = new Map<string, string>()

const keyed = (input: object) => {
  const text = JSON.stringify(input)
  const idempotencyKey = keys.get(text) ?? crypto.randomUUID()
  keys.set(text, idempotencyKey)
  return { input, idempotencyKey }
}

/** What a button carries: the input of an operation, or fields of its own. */
const carried = ({ body, input }: DOMStringMap): object =>
  input === undefined ? JSON.parse(body ?? "{}") : keyed(JSON.parse(input))

/** Where to go on, with what the answer says in place of `{names}`. */
const onward = (next: string, data: Answer["data"]) =>
  location.assign(next.replaceAll(/\{(\w+)\}/gu, (_, name: string) => String(data[name] ?? "")))

/** Once something was done here: the page as it is now, read in place where it is followed anyhow. */
const again = () => {
  if (live === undefined) return location.reload()
  say("")
  showAgain()
}

const isUnsure = ({ sure }: DOMStringMap) => sure !== undefined && !confirm(sure)

const sign = async (dataset: DOMStringMap) => {
  const { link, next } = dataset
  if (isUnsure(dataset)) return say("")
  const done = await signFor(dataset, carried(dataset))
  if (next !== undefined) return onward(next, done)
  if (link === undefined) return again()
  say("")
  showOnce(done.url, done.url)
}

const press = async (dataset: DOMStringMap) => {
  const { next, post: url = "" } = dataset
  if (isUnsure(dataset)) return say("")
  const done = await post(url, carried(dataset))
  if (next === undefined) again()
  else onward(next, done)
}

const copy = async (text: string) => {
  await navigator.clipboard.writeText(text)
  say("Copied.")
}

const errorOf = (name: string) => by(`field-${name.replaceAll(".", "-")}-error`)

const clear = (form: HTMLFormElement) => {
  for (const field of form.querySelectorAll<Field>("[aria-invalid]")) {
    field.removeAttribute("aria-invalid")
    const error = errorOf(field.name)
    if (error !== null) error.textContent = ""
  }
}

const isWithin = (inner: string, outer: string) => `${inner}.`.startsWith(`${outer}.`)

/** Writes an error at the field it names, which keeps what was typed; false when the form has no such field. */
const pointOut = (form: HTMLFormElement, { message, param }: Refused): boolean => {
  const name = param?.replaceAll(/\[(\d+)\]/gu, ".$1") ?? ""
  const all = [...form.querySelectorAll<Field>("[data-as]")]
  const field = all.find((one) => isWithin(one.name, name) || isWithin(name, one.name))
  const error = field && errorOf(field.name)
  if (!field || !error) return false
  // Rows are counted as whoever wrote them counts: from one.
  const [row] = /\d+/u.exec(name.slice(field.name.length)) ?? []
  field.setAttribute("aria-invalid", "true")
  error.textContent = row ? `Row ${+row + 1}: ${message}` : message
  field.focus()
  return true
}

const submit = async (form: HTMLFormElement) => {
  const { next, post: url } = form.dataset
  clear(form)
  if (isUnsure(form.dataset)) return say("")
  try {
    const asked = keyed(inputOf(form))
    let done = url === undefined ? await signFor(form.dataset, asked) : await post(url, asked)
    // What is done by the page is done to its end.
    while (url !== undefined && done.hasMore === true) {
      done = await post(url, keyed({ ...asked.input, cursor: done.nextCursor }))
    }
    const secret =
      done.apiKey ?? done.secret ?? (done.secretAvailable === true ? done.url : undefined)
    if (secret === undefined && next !== undefined) return onward(next, done)
    say("Created. Store it now.")
    showOnce(secret)
  } catch (error) {
    if (!(error instanceof Refused) || !pointOut(form, error)) throw error
    say(error.message)
  }
}

/** In the reader's own zone, with UTC beside it for whoever points at it or has it read. */
const localize = () => {
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" })
  for (const time of document.querySelectorAll("time")) {
    const at = Date.parse(time.dateTime)
    if (Number.isNaN(at) || time.title !== "") continue
    time.title = time.textContent ?? ""
    time.textContent = format.format(at)
  }
}

localize()
searchWhileTyping()

/** How what the page shows stands, in its own words; undefined where it says no such thing. */
const stateIn = (page: ParentNode | null) => page?.querySelector(".state")?.textContent?.trim()

const retryMs = 500

/** Shows the page as it is now; nobody is interrupted who is doing something there. */
const showAgain = async () => {
  if (isBusy) {
    setTimeout(showAgain, retryMs)
    return
  }
  const next = await pageAt(location.href, true)
  if (next === undefined) return
  const before = stateIn(document)
  const after = stateIn(show(next))
  localize()
  if (after !== undefined && after !== before) say(`Now: ${after}`)
}

const live = document.querySelector<HTMLElement>("main[data-live]")?.dataset.live
if (live !== undefined) follow(live, showAgain)

const facts = JSON.parse(by("facts")?.textContent ?? "{}") as {
  readonly next?: string
  readonly goesOn?: boolean
}

/** The token leaves the address at once, so that neither a bookmark nor the history keeps it. */
const token = by("enrol") === null ? "" : location.hash.slice(1)
if (token !== "") history.replaceState(null, "", location.pathname)

/** Whose link it is, or that it is good no more, before anybody makes a passkey by it. */
const tellWhose = async () => {
  const { account, name } = await post("/console/enrol/options", { token })
  const [whom, whose, where] = [by("whom"), by("name"), by("account")]
  if (whom === null || whose === null || where === null) return
  whose.textContent = String(name)
  where.textContent = (account as { readonly name: string }).name
  whom.hidden = false
}

/** Awaited before a passkey is made: both ask under the cookie that the first answer brings. */
const enrolmentShown = token === "" ? undefined : tellWhose().catch((error) => say(wrong(error)))

const enrol = async () => {
  await enrolmentShown
  const { passkeyChallengeId, options } = await post("/console/enrol/options", { token })
  const label = (by("label") as HTMLInputElement | null)?.value.trim() ?? ""
  const answer = await newPasskey(options)
  await post("/console/enrol/verify", {
    passkeyChallengeId,
    answer,
    ...(label === "" ? {} : { label })
  })
  location.assign("/console")
}

const login = async () => {
  const { passkeyChallengeId, options } = await post("/console/login/options", {})
  await post("/console/login/verify", { passkeyChallengeId, answer: await signed(options) })
  location.assign(facts.next ?? "/console")
}

document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest("button") : null
  if (button === null) return
  const { dataset } = button
  if (dataset.enrol !== undefined) act(enrol)
  if (dataset.login !== undefined) act(login)
  if (dataset.ask !== undefined) act(() => sign(dataset))
  if (dataset.post !== undefined) act(() => press(dataset))
  const { copied = dataset.copy === undefined ? undefined : by(dataset.copy)?.textContent } =
    dataset
  if (copied !== undefined) act(() => copy(copied ?? ""))
})

document.addEventListener("submit", (event) => {
  const { target } = event
  // A filter is sent by the browser itself.
  if (!(target instanceof HTMLFormElement) || target.method === "get") return
  event.preventDefault()
  act(() => submit(target))
})

// Whoever comes from another site brings no cookie; going on from here does.
if (facts.goesOn === true) location.replace(facts.next ?? "/console")
