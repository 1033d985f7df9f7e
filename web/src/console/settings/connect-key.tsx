import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { dataOf } from '../../api/organization.ts'
import { Confirm, type Question } from '../../ui/confirm.tsx'
import { CopyLine } from '../../ui/copy-line.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { When } from '../../ui/when.tsx'
import { useChange } from '../changes.ts'
import { To } from '../link.tsx'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'

function Key() {
  const [question, ask] = useState<Question | null>(null)
  const { data, error } = useRead(['connect-key'], async (api) =>
    dataOf(await api.management.GET('/v2/connect-key')),
  )
  const rotate = useChange({
    run: (api) => api.management.POST('/v2/connect-key/rotate'),
    touches: [['connect-key']],
    done: () => 'Rotated the connect key',
  })
  return (
    <Stack gap="sm">
      <Problem error={error} />
      {data && <CopyLine text={data.connectKey} />}
      <Text size="sm" c="dimmed" component="div">
        Made <When time={data?.created} />.{' '}
        <To to="devices" search={{ new: '1' }}>
          Enrol a device
        </To>
      </Text>
      <div>
        <Button
          size="sm"
          variant="default"
          onClick={() =>
            ask({
              title: 'Rotate the connect key?',
              text: 'The old key stops working at once. Devices that are enrolled are not affected.',
              action: 'Rotate key',
              run: () => rotate.mutate(),
            })
          }
        >
          Rotate key
        </Button>
      </div>
      <Confirm question={question} close={() => ask(null)} />
    </Stack>
  )
}

/** The key with which machines enrol. */
export function ConnectKey() {
  const writable = useMay().write('systems')
  return (
    <Stack maw={760}>
      <Section title="Connect key" about="Machines that present it become devices here.">
        {writable ? <Key /> : <Text size="sm">Your role may not see it: it lets machines in.</Text>}
      </Section>
    </Stack>
  )
}
