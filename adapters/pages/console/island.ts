/**
 * The console in the browser: posts what buttons and forms carry, asks the authenticator, and says what came
 * of it. It shows nothing that the server did not write, but a key or a link that is shown once.
 */

interface Answer {
  readonly ok: boolean
  readonly data: Readonly<Record<string, unknown>>
  readonly error: { readonly code: string; readonly message: string }
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
  throw new Error(answer.error.message)
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

const made = async (options: unknown): Promise<unknown> =>
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

/** What a button carries: the input of an operation, or fields of its own. */
const carried = ({ body, input }: DOMStringMap): object =>
  input === undefined ? JSON.parse(body ?? "{}") : { input: JSON.parse(input) }

const isUnsure = ({ sure }: DOMStringMap) => sure !== undefined && !confirm(sure)

const sign = async (dataset: DOMStringMap) => {
  const { link } = dataset
  if (isUnsure(dataset)) return say("")
  const done = await signFor(dataset, carried(dataset))
  if (link === undefined) return location.reload()
  say("")
  showOnce(done.url, done.url)
}

const press = async (dataset: DOMStringMap) => {
  const { next, post: url = "" } = dataset
  if (isUnsure(dataset)) return say("")
  await post(url, carried(dataset))
  if (next === undefined) location.reload()
  else location.assign(next)
}

const lines = (text: string) => text.split(/[\s,]+/u).filter((line) => line !== "")

type Field = HTMLInputElement | HTMLTextAreaElement

/** What a form says; what was left empty is left out. */
const inputOf = (form: HTMLFormElement): Record<string, unknown> => {
  const input: Record<string, unknown> = {}
  for (const field of form.querySelectorAll<Field>("[data-as]")) {
    const { name, value } = field
    const as = field.dataset.as
    if (as === "list" && (field as HTMLInputElement).checked) {
      input[name] = [...((input[name] as ReadonlyArray<string> | undefined) ?? []), value]
    }
    if (as === "lines" && lines(value).length > 0) input[name] = lines(value)
    if (as === "text" && value.trim() !== "") input[name] = value.trim()
    if (as === "day" && value !== "") input[name] = `${value}T23:59:59Z`
  }
  return input
}

const submit = async (form: HTMLFormElement) => {
  const { apiKey } = await signFor(form.dataset, { input: inputOf(form) })
  say("Created. Store it now.")
  showOnce(apiKey)
}

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
  const answer = await made(options)
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
})

document.addEventListener("submit", (event) => {
  event.preventDefault()
  const { target } = event
  if (target instanceof HTMLFormElement) act(() => submit(target))
})

// Whoever comes from another site brings no cookie; going on from here does.
if (facts.goesOn === true) location.replace(facts.next ?? "/console")
