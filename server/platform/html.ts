/** Trusted markup. Only the `html` tag creates it, so a plain value can never become markup. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escapeHtml = (value: string): string =>
  value.replace(/[&<>"']/g, (character) => ESCAPES[character]!)

type Value = string | Html | Html[] | undefined

function show(value: Value): string {
  if (value === undefined) return ''
  if (Array.isArray(value)) return value.map(({ text }) => text).join('')
  return value instanceof Html ? value.text : escapeHtml(value)
}

/** Escapes its values; use them between tags or in quoted attributes only. */
export const html = (strings: TemplateStringsArray, ...values: Value[]): Html =>
  new Html(strings.reduce((text, part, at) => text + show(values[at - 1]) + part))
