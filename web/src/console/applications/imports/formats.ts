export const FORMATS = [
  { value: 'csv', label: 'CSV' },
  { value: 'json', label: 'JSON' },
  { value: 'jsonl', label: 'JSON Lines' },
]

/** Only JSON has a path, and only CSV a delimiter. */
export const formatted = (format: string | null) => ({
  format,
  ...(format !== 'json' && { recordPath: undefined }),
  ...(format !== 'csv' && { delimiter: undefined }),
})

/** By the ending of its name. */
export const formatOf = (name: string) =>
  /\.jsonl$|\.ndjson$/i.test(name) ? 'jsonl' : /\.json$/i.test(name) ? 'json' : 'csv'
