import classes from './history.module.css'

export interface Change {
  field: string
  from?: unknown
  to?: unknown
}

const shown = (value: unknown): string =>
  value === undefined || value === null || value === ''
    ? '–'
    : typeof value === 'string'
      ? value
      : JSON.stringify(value, null, 1)

/** What was, beside what is. */
export const Diff = ({ changes }: { changes: Change[] }) => (
  <table className={classes.diff}>
    <thead>
      <tr>
        <th scope="col">Field</th>
        <th scope="col">Before</th>
        <th scope="col">After</th>
      </tr>
    </thead>
    <tbody>
      {changes.map(({ field, from, to }) => (
        <tr key={field}>
          <th scope="row">{field}</th>
          <td className={classes.from}>{shown(from)}</td>
          <td className={classes.to}>{shown(to)}</td>
        </tr>
      ))}
    </tbody>
  </table>
)
