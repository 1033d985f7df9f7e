import { Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { components } from '../../../../../client/index.ts'
import { Tag } from '../../../ui/tag.tsx'
import classes from './mapping.module.css'

type Result = components['schemas']['MappingPreviewRow']

const shown = (value: unknown): string =>
  value === null || value === undefined
    ? '–'
    : typeof value === 'string'
      ? value
      : JSON.stringify(value)

/** What each rule made of one record. */
export const RuleResults = ({ rows, label }: { rows: Result[]; label: string }) => (
  <div className={classes.scroll}>
    <table className={classes.table} aria-label={label}>
      <thead className={classes.head}>
        <tr>
          <th scope="col">Target</th>
          <th scope="col">From</th>
          <th scope="col">Result</th>
        </tr>
      </thead>
      <tbody>
        {rows
          .filter(({ skipped }) => !skipped)
          .map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a target may have several rules
            <tr key={at}>
              <th scope="row">{row.target}</th>
              <td>
                {row.sources
                  .filter(({ value }) => value !== null)
                  .slice(0, 3)
                  .map(({ path, value }) => (
                    <Text key={path} size="xs" c="dimmed">
                      {path}: {shown(value)}
                    </Text>
                  ))}
              </td>
              <td>
                {row.problem || row.missing ? (
                  <Tag
                    tone={row.problem ? 'bad' : 'calm'}
                    {...(row.problem && { Icon: IconAlertTriangle })}
                  >
                    {row.problem ?? 'Nothing'}
                  </Tag>
                ) : (
                  shown(row.value)
                )}
              </td>
            </tr>
          ))}
      </tbody>
    </table>
  </div>
)
