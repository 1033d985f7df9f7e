/** A regular expression would look for the end behind each of many slashes. */
export function withoutTrailing(char: string, text: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === char) end--
  return text.slice(0, end)
}
