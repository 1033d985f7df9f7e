import { StreamLanguage } from '@codemirror/language'

/** Colours of the query language; its grammar is in text.ts. */
export const queryLanguage = StreamLanguage.define({
  name: 'query',
  startState: () => ({ value: false }),
  token(stream, state) {
    if (stream.eatSpace()) return null
    if (stream.match(/"(?:[^"\\]|\\.)*"?/)) return 'string'
    if (stream.match(/[(),]/)) return null
    if (stream.match(/!=|<=|>=|[=<>:]/)) {
      state.value = true
      return 'operator'
    }
    const found = stream.match(state.value ? /[^\s(),"]+/ : /[^\s(),"=<>!:]+/)
    const word = Array.isArray(found) ? found[0] : ''
    if (!word) {
      stream.next()
      return null
    }
    if (state.value) {
      state.value = false
      return /^-?\d+(\.\d+)?$/.test(word)
        ? 'number'
        : /^(true|false)$/.test(word)
          ? 'bool'
          : 'string'
    }
    if (/^(and|or|not)$/i.test(word)) return 'keyword'
    if (/^(contains|startsWith|endsWith|before|after|in|not_in)$/i.test(word)) {
      state.value = !/in$/i.test(word)
      return 'operator'
    }
    return 'propertyName'
  },
})
