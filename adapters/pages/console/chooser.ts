/**
 * In the browser: searches what a field offers while one types. The server answers with the page itself, of which the
 * options of that field alone are taken; what else was typed stays where it is.
 */
import { pageAt } from "./page-again.ts"

const typingMs = 250

/** The address of the page as the form would send it, with all that was typed and chosen. */
const addressOf = (form: HTMLFormElement): string => {
  const query = new URLSearchParams()
  for (const [name, value] of new FormData(form)) {
    if (typeof value === "string" && value !== "") query.append(name, value)
  }
  return `${location.pathname}?${query}`
}

const optionsOf = (page: ParentNode, field: string) =>
  page.querySelector(`[data-options="${CSS.escape(field)}"]`)

const searchFor = async (box: HTMLInputElement) => {
  const { form } = box
  const field = box.dataset.search
  if (form === null || field === undefined) return
  const asked = box.value
  const found = await pageAt(addressOf(form))
  // Who typed on is answered by a later search.
  if (found === undefined || box.value !== asked) return
  const [before, after] = [optionsOf(form, field), optionsOf(found, field)]
  if (before !== null && after !== null) before.replaceWith(document.adoptNode(after))
}

const timers = new WeakMap<HTMLInputElement, ReturnType<typeof setTimeout>>()

const soon = (box: HTMLInputElement, waitMs: number) => {
  clearTimeout(timers.get(box))
  timers.set(
    box,
    setTimeout(() => searchFor(box), waitMs)
  )
}

const boxIn = (target: EventTarget | null): HTMLInputElement | undefined =>
  target instanceof HTMLInputElement && target.dataset.search !== undefined ? target : undefined

/** Makes the search boxes of the page search by themselves. */
export const searchWhileTyping = (): void => {
  // With the script the button of a form is the one that does what the form is for, also by the Enter key.
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-search-button]")) {
    button.hidden = true
    button.type = "button"
  }
  document.addEventListener("input", ({ target }) => {
    const box = boxIn(target)
    if (box !== undefined) soon(box, typingMs)
  })
  document.addEventListener("keydown", (event) => {
    const box = boxIn(event.target)
    if (box === undefined || event.key !== "Enter") return
    event.preventDefault()
    soon(box, 0)
  })
}
