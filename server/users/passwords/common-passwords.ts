/** Common base words from breached passwords; compared after undoing the usual substitutions. */
const COMMON = new Set(
  'password passwort motdepasse contrasena passw passwd pass letmein welcome willkommen bienvenue admin administrator root login qwerty qwertyuiop qwertz azerty asdfgh asdfghjkl zxcvbnm iloveyou princess sunshine monkey dragon football baseball basketball superman batman trustno master shadow michael jennifer jordan hunter charlie starwars whatever freedom hello secret summer winter spring autumn january february march april june july august september october november december monday friday flower cookie computer internet samsung google access changeme default guest company temp temporary test testing user abcdef abcdefgh'.split(
    ' ',
  ),
)

const DISGUISES: Record<string, string> = {
  '@': 'a',
  4: 'a',
  3: 'e',
  1: 'i',
  '!': 'i',
  0: 'o',
  $: 's',
  5: 's',
  7: 't',
}

const lettersOf = (text: string) => text.replace(/[^a-z]/g, '')

/** True for "P@ssw0rd2026!": a common word (once or repeated) disguised with digits and symbols. */
export function isCommonPassword(password: string): boolean {
  const lower = password.toLowerCase()
  const start = lower.search(/[a-z]/)
  if (start < 0) return lower !== '' && new Set(lower).size < 8
  let end = lower.length
  while (!/[a-z]/.test(lower[end - 1]!)) end--
  const core = lower.slice(start, end)
  const candidates = [
    lettersOf(lower),
    lettersOf(core.replace(/[@431!0$57]/g, (c) => DISGUISES[c] ?? c)),
  ]
  return candidates.some((word) => {
    const once = word.slice(0, (word + word).indexOf(word, 1))
    return COMMON.has(word) || COMMON.has(once)
  })
}
