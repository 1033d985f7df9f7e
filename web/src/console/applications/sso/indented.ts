/** A message with a line for each element. Only for reading: signatures cover the bytes as they were sent. */
export function indented(message: string): string {
  if (!message.startsWith('<')) return message
  let depth = 0
  return message
    .replaceAll(/>\s*</g, '>\n<')
    .split('\n')
    .map((line) => {
      if (line.startsWith('</')) depth--
      const shown = '  '.repeat(Math.max(0, depth)) + line
      const opens = /^<[^!?/]/.test(line) && !line.endsWith('/>') && !line.includes('</')
      if (opens) depth++
      return shown
    })
    .join('\n')
}
