/** Decimals as people read them. */

/** `1250.5` as `1,250.5`. */
export const separated = (decimal: string): string => {
  const [whole = "", ...rest] = decimal.split(".")
  return [whole.replace(/\B(?=(\d{3})+$)/gu, ","), ...rest].join(".")
}
