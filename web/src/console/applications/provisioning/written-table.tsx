import { Button, Text } from '@mantine/core'
import { IconAlertCircle, IconRefresh } from '@tabler/icons-react'
import { Tag } from '../../../ui/tag.tsx'
import { When } from '../../../ui/when.tsx'
import { To } from '../../link.tsx'
import classes from '../mapping/mapping.module.css'

interface Written {
  id: string
  name: string
  /** The page of the user or the group. */
  to: string
  state: string
  /** The state in words. */
  shown: string
  since: string
  parked: boolean
  attempts: number
  error: string | null
  nextAttempt: string | null
  deleteAt?: string | null
}

/** What the provider or the rules said, and when it is tried again. */
const Failure = ({ row }: { row: Written }) => (
  <>
    <Text size="sm">{row.error}</Text>
    <Text size="xs" c="dimmed" component="div">
      {row.parked ? (
        'Not tried again until something changes'
      ) : (
        <>
          Attempt {row.attempts}; again <When time={row.nextAttempt} />
        </>
      )}
    </Text>
  </>
)

const State = ({ row }: { row: Written }) =>
  row.error ? (
    <Tag tone="bad" Icon={IconAlertCircle}>
      {row.parked ? 'Gave up' : 'Failing'}
    </Tag>
  ) : (
    <Tag tone={row.state === 'provisioned' ? 'good' : 'calm'}>{row.shown}</Tag>
  )

interface Props<T> {
  label: string
  /** What the rows are. */
  of: string
  rows: T[]
  /** Absent for those who may only read. */
  retry: ((row: T) => void) | undefined
}

/** What is written to the provider, and what could not be. */
export const WrittenTable = <T extends Written>({ label, of, rows, retry }: Props<T>) => (
  <div className={classes.scroll}>
    <table className={classes.table} aria-label={label}>
      <thead className={classes.head}>
        <tr>
          <th scope="col">{of}</th>
          <th scope="col">State</th>
          <th scope="col">Since</th>
          <th scope="col">Problem</th>
          <th scope="col">
            <span hidden={!retry}>Action</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            <th scope="row" className={classes.name}>
              <To to={row.to}>{row.name}</To>
            </th>
            <td>
              <State row={row} />
              {row.deleteAt && (
                <Text size="xs" c="dimmed" component="div">
                  deleted <When time={row.deleteAt} />
                </Text>
              )}
            </td>
            <td className={classes.time}>
              <When time={row.since} />
            </td>
            <td>{row.error && <Failure row={row} />}</td>
            <td>
              {retry && row.error && (
                <Button
                  size="compact-sm"
                  variant="default"
                  leftSection={<IconRefresh size={14} aria-hidden />}
                  aria-label={`Retry ${row.name}`}
                  onClick={() => retry(row)}
                >
                  Retry
                </Button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
