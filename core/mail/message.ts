/** What every way of sending refuses: a header that could become two, and text that is not bounded. */
import { MailNotSent, type Message } from "../ports/mail.ts"

/** A line break or another control character would begin a header of the writer's choice. */
const breaksOut = /\p{Cc}|[\u2028\u2029]/u
const address = /^[\x21-\x7e]+@[\x21-\x7e]+$/u

const maxSubject = 200
const maxText = 20_000

export const objection = ({ subject, text, to }: Message): MailNotSent | undefined => {
  const refuse = (message: string) => new MailNotSent({ message, isFinal: true })
  if (!address.test(to) || /[<>(),;:\\"[\]]/u.test(to))
    return refuse("it has more than one recipient")
  if (breaksOut.test(subject) || subject.length > maxSubject)
    return refuse("its subject is not a single short line")
  return text.length > maxText ? refuse("it is too long") : undefined
}
