/** What a browser's tab says of a payment: its title, and an icon that shows when it is paid. */
import type { CheckoutView } from "./shown.ts"
import { filled, sumIn, type Words } from "./words/words.ts"

/** First and pop directional isolate: a merchant's name turns nothing around it in a browser's tab. */
const isolated = (text: string) => `\u2068${text}\u2069`

export const titleOf = (
  { amount, merchant, status, symbol }: CheckoutView,
  words: Words
): string => {
  const title = filled(words.title, {
    amount: `${sumIn(amount, words)} ${symbol}`,
    merchant: isolated(merchant)
  })
  return status === "paid" ? `${words.paid} · ${title}` : title
}

const drawn = (shape: string) =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${shape}</svg>`)}`

const waiting = drawn('<circle cx="8" cy="8" r="6" fill="none" stroke="#6b7280" stroke-width="2"/>')
const paid = drawn(
  '<circle cx="8" cy="8" r="8" fill="#15803d"/><path d="M4 8l3 3 5-6" fill="none" stroke="#fff" stroke-width="2"/>'
)

export const iconOf = ({ status }: Pick<CheckoutView, "status">): string =>
  status === "paid" ? paid : waiting
