/** Secrets stay out of what is said: a key put in a wrong place is not repeated by the complaint about it. */

const forms: ReadonlyArray<readonly [RegExp, string]> = [
  [/(svc_(?:hu|ag)_)[0-9A-Za-z]+/gu, "$1…"],
  [/(whsec_)[0-9A-Za-z+/=]+/gu, "$1…"],
  // The password of a connection URL.
  [/(\w+:\/\/[^\s:/@]+:)[^\s@]+@/gu, "$1…@"]
]

export const withoutKeys = (text: string): string =>
  forms.reduce((said, [form, instead]) => said.replaceAll(form, instead), text)
