/** With separators of thousands. */
export const number = new Intl.NumberFormat('en')

const short = new Intl.NumberFormat('en', { notation: 'compact' })

/** "1.2K": an axis has room for few characters, and a clipped number is a wrong one. */
export const axisNumber = (value: number): string => short.format(value)

/** "1 user", "20,500 users". */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${number.format(count)} ${count === 1 ? one : many}`
