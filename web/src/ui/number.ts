/** With separators of thousands. */
export const number = new Intl.NumberFormat('en')

/** "1 user", "20,500 users". */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${number.format(count)} ${count === 1 ? one : many}`
